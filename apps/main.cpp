#include "hydrolith/simulation.h"

#include "commands.h"
#include "core/suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <system_error>

using namespace hydrolith;

namespace {

constexpr const char* description =
    "Hydrolith: liquids and rigid bodies that push on each other in one solve.\n\n"
    "First steps:\n"
    "  hydrolith gallery                     what there is to run\n"
    "  hydrolith run fountain                simulate a gallery scene into runs/fountain\n"
    "  hydrolith view runs/fountain          look at it in the browser\n"
    "  hydrolith render runs/fountain        pictures and a film of it\n"
    "  hydrolith resume runs/fountain        go on after Ctrl-C, a crash or a full disk\n"
    "  hydrolith compare fountain --vary spacing=0.05,0.04   variants side by side\n"
    "  hydrolith check my_scene.yaml         is my own scene right, and how big is it?\n";

constexpr const char* footer =
    "\nExit codes: 0 done; 1 an expectation of --verify failed; 2 wrong command line; 3 the scene "
    "has\n"
    "faults; 4 a file could not be read or written; 5 the simulation could not go on; 130 stopped "
    "by\n"
    "Ctrl-C. Documentation: docs/first-steps.md, docs/scene-reference.md";

void add_scene_options(CLI::App& app, command::SceneChoice& choice) {
  app.add_option("scene", choice.scene,
                 "A scene file (YAML or JSON), or the name of a gallery scene")
      ->required();
  app.add_option(
         "--set", choice.overrides,
         "Override a value: --set spacing=0.02 --set liquids[0].density=800; may be repeated")
      ->take_all()
      ->expected(1);
}

void add_run(CLI::App& main, command::RunChoices& c) {
  CLI::App& app = *main.add_subcommand("run", "Simulate a scene into a folder of results");
  add_scene_options(app, c.scene);
  app.add_option("-o,--output", c.output,
                 "Folder of the run (default: runs/NAME, numbered if taken)");
  app.add_option("-j,--threads", c.threads,
                 "Threads; results do not depend on it (default: all cores)")
      ->check(CLI::Range(1, 4096));
  app.add_flag("-q,--quiet", c.quiet, "Print only errors");
  app.add_flag("--verify", c.verify,
               "At the end check what the scene expects; exit code 1 if it fails");
  app.footer(
      "\nWrites scene.yaml, log.txt, metrics.csv, run.json, objects.h5 and frames/ "
      "(docs/results.md).\n"
      "Ctrl-C finishes the step and writes a checkpoint for `hydrolith resume`. Examples:\n"
      "  hydrolith run fountain\n"
      "  hydrolith run dam.yaml --set spacing=0.02 --set duration=3 -o runs/fine --verify");
}

void add_resume(CLI::App& main, command::ResumeChoices& c) {
  CLI::App& app = *main.add_subcommand("resume", "Go on with a run that was stopped, bit for bit");
  app.add_option("run", c.run, "Folder of the run")->required();
  app.add_option("--set", c.overrides,
                 "Change duration, output, picture, tolerance, limit of iterations or time step")
      ->take_all()
      ->expected(1);
  app.add_option("-j,--threads", c.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1, 4096));
  app.add_flag("-q,--quiet", c.quiet, "Print only errors");
  app.add_flag("--verify", c.verify,
               "At the end check what the scene expects; exit code 1 if it fails");
  app.add_flag("--anew", c.anew,
               "If all checkpoints are lost: begin from the start and make all frames again");
  app.footer(
      "\nGoes on from the newest whole checkpoint in RUN/checkpoints, after Ctrl-C, a kill, a "
      "power cut\nor a full disk (docs/restart.md). Examples:\n"
      "  hydrolith resume runs/fountain\n"
      "  hydrolith resume runs/fountain --set duration=10       go on longer than planned");
}

void add_info(CLI::App& main, command::InfoChoices& c) {
  CLI::App& app =
      *main.add_subcommand("info", "Tell what a run is, how far it came and whether it is whole");
  app.add_option("run", c.run, "Folder of the run")->required();
  app.add_flag("--quick", c.quick, "Count frames without reading them all");
  app.add_flag("--json", c.json, "For programs: one JSON object (docs/restart.md)");
  app.footer("\nExit code 4 if a file is damaged or gone.");
}

void add_compare(CLI::App& main, command::CompareChoices& c) {
  CLI::App& app = *main.add_subcommand(
      "compare", "Run variants of a scene side by side: stable or not, cost, accuracy");
  add_scene_options(app, c.scene);
  app.add_option("--vary", c.vary,
                 "Values of a key: --vary solver.method=automatic,nncg; repeated: all combinations")
      ->take_all()
      ->expected(1);
  app.add_option("-o,--output", c.output, "Folder (default: compare/NAME, numbered if taken)");
  app.add_option("-j,--threads", c.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--max-void", c.max_void, "Unstable above this void_fraction")
      ->capture_default_str();
  app.add_option("--max-speed", c.max_speed,
                 "Unstable above this speed [m/s] (default: 3 (v0 + sqrt(2 g H)))");
  app.add_option("--max-energy-gain", c.max_energy_gain,
                 "Unstable above this gain of energy, in M g H (default: 0.05, or not judged where "
                 "energy comes from outside)");
  app.add_option("--max-overlap", c.max_overlap, "Unstable above this overlap of bodies [spacings]")
      ->capture_default_str();
  app.add_flag("--allow-retries", c.allow_retries,
               "A step taken back and halved does not make a run unstable");
  app.add_option("--largest-stable-step", c.search_range,
                 "Search the largest stable fixed time step, within MIN:MAX (default: 0.01ms:20ms)")
      ->expected(0, 1);
  app.add_option("--resolution", c.resolution, "Factor between the steps of the search")
      ->capture_default_str()
      ->check(CLI::Range(1.01, 10.0));
  app.add_flag("-q,--quiet", c.quiet, "Print only errors");
  app.footer(
      "\nWrites table.csv, table.md, compare.html and metrics/ (docs/compare.md). Examples:\n"
      "  hydrolith compare floating --vary solver.method=automatic,nncg --set duration=1\n"
      "  hydrolith compare dam.yaml --vary spacing=0.05,0.025 --largest-stable-step=0.1ms:20ms");
}

void add_render(CLI::App& main, command::RenderChoices& c) {
  CLI::App& app =
      *main.add_subcommand("render", "Make pictures of a run, and a film where ffmpeg is");
  app.add_option("run", c.run, "Folder of the run")->required();
  app.add_option("-o,--output", c.output, "Folder of the pictures (default: RUN/pictures)");
  app.add_option("--size", c.size, "Width x height in pixels")->capture_default_str();
  app.add_option("--liquid", c.liquid,
                 "Draw liquids as particles, or as a surface to look through (coloured by body "
                 "unless --colour-by speed)")
      ->capture_default_str()
      ->check(CLI::IsMember({"particles", "surface"}));
  app.add_option("--colour-by", c.colour_by, "speed, pressure or body (default: the scene's)")
      ->check(CLI::IsMember({"speed", "pressure", "body"}));
  app.add_option("--frames", c.frames, "Which: last, 12, 0:50 or 0:50:5 (default: all)");
  app.add_option("--range", c.range, "Smallest and largest value of the colours")->expected(2);
  app.add_option("--camera", c.camera, "Where from and where to: x y z x y z [m]")->expected(6);
  app.add_option("--field-of-view", c.field_of_view, "Vertical, in degrees, with --camera")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 150.0));
  app.add_option("--samples", c.samples, "Rays a pixel: more is smoother and slower")
      ->check(CLI::Range(1, 4096));
  app.add_option("-j,--threads", c.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1, 4096));
  app.add_flag("--no-video", c.no_video, "No film");
  app.add_flag("--no-ground", c.no_ground, "No ground plane");
  app.add_flag("--no-legend", c.no_legend, "No colour bar and time");
  app.add_flag("--again", c.again, "Make pictures anew that are already there");
  app.add_flag("-q,--quiet", c.quiet, "Print only errors");
}

void add_view(CLI::App& main, command::ViewChoices& c) {
  CLI::App& app = *main.add_subcommand("view", "Look at a run in the browser, also while it runs");
  app.add_option("run", c.run, "Folder of the run")->required();
  app.add_option("--port", c.port, "Port to listen on (default: 8642, or any if that is taken)")
      ->check(CLI::Range(1, 65535));
  app.add_option("--host", c.host, "Address to listen on; the default is for this machine alone")
      ->capture_default_str();
  app.add_flag("--no-open", c.no_open, "Do not open a browser");
  CLI::Option* file = app.add_option("--export", c.export_file,
                                     "Write the run as one HTML page instead, to mail or publish");
  app.add_option("--max-particles", c.max_particles, "Particles of a frame in the export")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t(1), std::size_t(10000000)))
      ->needs(file);
  app.add_option("--max-frames", c.max_frames, "Frames in the export")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t(1), std::size_t(100000)))
      ->needs(file);
  app.add_option("--frames", c.frames, "Frames of the export: last, 12, 0:50 or 0:50:5")
      ->needs(file);
  app.add_flag("-q,--quiet", c.quiet, "Print only errors");
  app.footer(
      "\nCtrl-C ends it (docs/viewer.md). Examples:\n"
      "  hydrolith view runs/fountain\n"
      "  hydrolith view runs/fountain --export fountain.html");
}

void add_export(CLI::App& main, command::ExportChoices& c) {
  CLI::App& app = *main.add_subcommand(
      "export", "Write a run for ParaView, Blender, Houdini and others; surfaces of liquids");
  app.add_option("run", c.run, "Folder of the run")->required();
  app.add_option("--to", c.format, "The format, see below")->required();
  app.add_option("-o,--output", c.output, "Folder of the files (default: RUN/FORMAT)");
  app.add_option("--frames", c.frames, "Which: last, 12, 0:50 or 0:50:5 (default: all)");
  app.add_option("--objects", c.objects,
                 "Which: names of liquids, body entries or bodies (default: all)");
  app.add_option("--liquid", c.liquid, "Liquids as particles, surface or none");
  app.add_option("--cell", c.cell,
                 "Cells of surfaces and volumes, 0.25 to 1 spacings (default: 0.5)");
  app.add_option("--radius", c.radius,
                 "How far a particle reaches, 1.5 to 4 spacings (default: 2)");
  app.add_option("--smoothing", c.smoothing, "Bumps smoothed away, 0 to 5 spacings (default: 1)");
  app.add_option("--compression", c.compression,
                 "0 none to 9 smallest, of vtk (default: 4) and bgeo (default: 0)")
      ->check(CLI::Range(0, 9));
  app.add_option("-j,--threads", c.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1, 4096));
  app.add_flag("-q,--quiet", c.quiet, "Print only errors");
  app.footer("\nFormats:\n" + command::export_help() +
             "\nWhat to click in the other program: docs/exports.md. Examples:\n"
             "  hydrolith export runs/fountain --to vtk\n"
             "  hydrolith export runs/fountain --to ply --liquid surface --frames 0:100");
}

/// What to say if the first word is no command; else "".
std::string unknown_command(const CLI::App& main, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> names;
  for (const CLI::App* command : main.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return "";
    names.push_back(command->get_name());
  }
  return fmt::format("{}: no command.{} `hydrolith --help` lists them", argv[1],
                     did_you_mean(argv[1], names));
}

int dispatch(CLI::App& main, int argc, char** argv) {
  main.require_subcommand(1);
  main.set_version_flag("--version", fmt::format("hydrolith {}, {}", version(), instruction_set()));
  main.footer(footer);
  main.get_formatter()->column_width(34);

  command::RunChoices run;
  add_run(main, run);

  command::ResumeChoices resume;
  add_resume(main, resume);

  command::CompareChoices compare;
  add_compare(main, compare);

  command::SceneChoice checked;
  bool check_quiet = false;
  CLI::App& check = *main.add_subcommand(
      "check", "Validate a scene and tell what would be simulated, without running it");
  add_scene_options(check, checked);
  check.add_flag("-q,--quiet", check_quiet, "Print only errors");

  command::RenderChoices render;
  add_render(main, render);

  command::ViewChoices view;
  add_view(main, view);

  command::ExportChoices exported;
  add_export(main, exported);

  command::InfoChoices info;
  add_info(main, info);

  main.add_subcommand("gallery", "List the built-in scenes");

  std::string format = "json";
  main.add_subcommand("schema",
                      "Print the scene language: JSON Schema for editors, or a reference page")
      ->add_option("--format", format, "json or markdown")
      ->capture_default_str()
      ->check(CLI::IsMember({"json", "markdown"}));

  try {
    main.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (const std::string hint = unknown_command(main, argc, argv); !hint.empty()) {
      fmt::print(stderr, "{}\n", hint);
      return command::bad_usage;
    }
    return main.exit(e) == 0 ? command::ok : command::bad_usage;
  }
  const std::string name = main.get_subcommands().front()->get_name();
  if (name == "run") return command::run(run);
  if (name == "resume") return command::resume(resume);
  if (name == "compare") {
    compare.search = main.get_subcommand("compare")->count("--largest-stable-step") > 0;
    return command::compare(compare);
  }
  if (name == "check") return command::check(checked, check_quiet);
  if (name == "render") return command::render(render);
  if (name == "view") return command::view(view);
  if (name == "export") return command::export_run(exported);
  if (name == "info") return command::info(info);
  if (name == "schema") return command::schema(format);
  return command::gallery();
}

int report(const char* message, int code) {
  fmt::print(stderr, "{}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(description, "hydrolith");
  try {
    const int code = dispatch(app, argc, argv);
    if (std::fflush(stdout) != 0) throw IoError("the output could not be written");
    return code;
  } catch (const SceneError& e) {
    const std::size_t n = e.diagnostics.size();
    return report(
        fmt::format("{}\n{} fault{} in the scene.", e.what(), n, n == 1 ? "" : "s").c_str(),
        command::bad_scene);
  } catch (const IoError& e) {
    return report(e.what(), command::io_failed);
  } catch (const std::system_error& e) {  // standard output is closed or full
    return report(e.what(), command::io_failed);
  } catch (const SimulationError& e) {
    return report(e.what(), command::simulation_failed);
  } catch (const Error& e) {
    return report(e.what(), command::bad_usage);
  } catch (const std::bad_alloc&) {
    return report(
        "out of memory: use a larger spacing, or see `hydrolith check` for what a scene needs",
        command::simulation_failed);
  } catch (const std::exception& e) {
    return report(fmt::format("unexpected: {}. Please report this", e.what()).c_str(),
                  command::simulation_failed);
  }
}
