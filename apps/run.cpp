#include "hydrolith/simulation.h"

#include "app/run_record.h"
#include "commands.h"
#include "interrupt.h"
#include "output/metrics.h"
#include "output/run_folder.h"
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace hydrolith::command {

namespace fs = std::filesystem;

namespace {

fs::path free_folder(const std::string& scene_file) {
  const std::string name = fs::path(scene_file).stem().string();
  fs::path folder = fs::path("runs") / name;
  for (int n = 2; fs::exists(folder); ++n)
    folder = fs::path("runs") / fmt::format("{}-{}", name, n);
  return folder;
}

std::string verdict_lines(const RunResult& result) {
  std::string text;
  for (const Verdict& v : result.verdicts)
    text += fmt::format("  {}  {}\n", v.passed ? "pass" : "FAIL", v.text);
  return text;
}

int report(const RunResult& r, const fs::path& folder, const RunChoices& c) {
  const bool interrupted_run = r.state == RunState::interrupted;
  int failed = 0;
  for (const Verdict& v : r.verdicts) failed += v.passed ? 0 : 1;
  if (!c.quiet) {
    fmt::print("{} at t = {:g} s: {} steps, {} frames in {}.\n",
               interrupted_run ? "Stopped" : "Finished", r.time, r.steps, r.frames,
               duration_text(r.wall));
    if (r.unconverged_steps > 0)
      fmt::print("{} steps reached the maximum of iterations; see {}\n", r.unconverged_steps,
                 (folder / "log.txt").string());
  }
  if (c.verify && (!c.quiet || failed > 0)) fmt::print("{}", verdict_lines(r));
  if (!c.quiet) {
    fmt::print("Results: {}\n", folder.string());
    if (interrupted_run)
      fmt::print(
          "What was finished is whole. Look at it:  hydrolith render {}\n"
          "Run it again from the start:  hydrolith run {}\n",
          folder.string(), c.scene.scene);
    else
      fmt::print("Pictures:  hydrolith render {}\n", folder.string());
  }
  if (interrupted_run) return interrupted;
  return c.verify && failed > 0 ? expectation_failed : ok;
}

}  // namespace

int run(const RunChoices& c) {
  set_threads(c.threads);
  const fs::path file = find_scene(c.scene.scene);
  const SceneFile scene = SceneFile::load(file, c.scene.overrides);
  const fs::path folder = c.output.empty() ? free_folder(file.string()) : fs::path(c.output);
  ProgressLine line(c.quiet);
  RunOptions options;
  options.folder = folder;
  options.stop = &stop_on_interrupt();
  options.progress = [&](const Progress& p) { line.show(p); };
  if (!c.quiet) fmt::print("{} -> {}\n", scene.name(), folder.string());
  try {
    const RunResult result = hydrolith::run(scene, options);
    line.finish();
    return report(result, folder, c);
  } catch (...) {
    line.finish();
    throw;
  }
}

int info(const std::string& run) {
  const RunRecord r = read_run_record(run);
  const RunReader reader(run);
  const Objects& o = reader.objects();
  const auto frames = reader.frames();
  const bool open = r.state == "running";
  fmt::print("{}: scene {} ({})\n", run, r.scene, r.scene_file);
  fmt::print("  made by     Hydrolith {}, {} threads, {}\n", r.version, r.threads,
             r.instruction_set);
  fmt::print("  state       {}{}\n", open ? "running, or killed before it could end" : r.state,
             r.message.empty() ? "" : ": " + r.message);
  double reached = r.time;
  if (!frames.empty()) reached = std::max(reached, reader.read(frames.back()).time);
  fmt::print("  time        {:g} of {:g} s", reached, r.duration);
  if (!open) fmt::print(", {} steps in {}", r.steps, duration_text(r.wall));
  fmt::print("\n  frames      {} whole\n", frames.size());
  const MetricsTable metrics = read_metrics(fs::path(run) / "metrics.csv");
  fmt::print("  metrics     {} rows, {} columns\n", metrics.rows.size(), metrics.columns.size());
  fmt::print("  objects     {} liquid{}, {} bod{}, spacing {:g} m, {}D\n", o.liquids.size(),
             o.liquids.size() == 1 ? "" : "s", o.bodies.size(), o.bodies.size() == 1 ? "y" : "ies",
             o.spacing, o.dimensions);
  return ok;
}

}  // namespace hydrolith::command
