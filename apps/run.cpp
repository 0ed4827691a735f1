#include "hydrolith/simulation.h"

#include "app/run_record.h"
#include "commands.h"
#include "interrupt.h"
#include "output/checkpoint_file.h"
#include "output/run_lock.h"
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

int report(const RunResult& r, const fs::path& folder, bool quiet, bool verify) {
  const bool interrupted_run = r.state == RunState::interrupted;
  int failed = 0;
  for (const Verdict& v : r.verdicts) failed += v.passed ? 0 : 1;
  if (!quiet) {
    fmt::print("{} at t = {:g} s: {} steps, {} frames in {}.\n",
               interrupted_run ? "Stopped" : "Finished", r.time, r.steps, r.frames,
               duration_text(r.wall));
    if (r.unconverged_steps > 0)
      fmt::print("{} steps reached the maximum of iterations; see {}\n", r.unconverged_steps,
                 (folder / "log.txt").string());
    for (const std::string& warning : r.warnings) fmt::print("Warning: {}.\n", warning);
  }
  if (verify && (!quiet || failed > 0)) fmt::print("{}", verdict_lines(r));
  if (!quiet) {
    fmt::print("Results: {}\n", folder.string());
    if (interrupted_run) fmt::print("Go on with it:  hydrolith resume {}\n", folder.string());
    fmt::print("Look at it:     hydrolith view {}\n", folder.string());
  }
  if (interrupted_run) return interrupted;
  return verify && failed > 0 ? expectation_failed : ok;
}

/// How a run that has failed can go on, with these changes; nothing if it cannot.
std::string way_on(const fs::path& folder, std::string_view changes) try {
  if (!holds_run(folder)) return "";
  const std::vector<std::int64_t> steps = list_checkpoints(folder);
  if (steps.empty() || is_being_written(folder)) return "";
  const std::string state = read_run_record(folder).state;
  if (state != "failed" && state != "running") return "";  // not of this attempt
  return fmt::format("\nIt can go on from step {}:  hydrolith resume {}{}", steps.back(),
                     folder.string(), changes);
} catch (const Error&) {
  return "";
}

/// Runs or resumes with a progress line, then reports.
template <class Options, class Go>
int with_progress(Options options, const fs::path& folder, bool quiet, bool verify, Go&& go) {
  ProgressLine line(quiet);
  options.folder = folder;
  options.stop = &stop_on_interrupt(
      "\nStopping after this step, with a checkpoint. Again: at once, back to the last one.\n");
  options.progress = [&](const Progress& p) { line.show(p); };
  try {
    const RunResult result = go(options);
    line.finish();
    return report(result, folder, quiet, verify);
  } catch (const IoError& e) {
    line.finish();
    throw IoError(e.what() + way_on(folder, ""));
  } catch (const SimulationError& e) {
    line.finish();
    throw SimulationError(e.what() + way_on(folder, " --set time_step=..."));
  } catch (...) {
    line.finish();
    throw;
  }
}

}  // namespace

int run(const RunChoices& c) {
  set_threads(c.threads);
  const fs::path file = find_scene(c.scene.scene);
  const SceneFile scene = SceneFile::load(file, c.scene.overrides);
  const fs::path folder = c.output.empty() ? free_folder(file.string()) : fs::path(c.output);
  if (!c.quiet) fmt::print("{} -> {}\n", scene.name(), folder.string());
  return with_progress(RunOptions{}, folder, c.quiet, c.verify,
                       [&](const RunOptions& o) { return hydrolith::run(scene, o); });
}

int resume(const ResumeChoices& c) {
  set_threads(c.threads);
  ResumeOptions options;
  options.overrides = c.overrides;
  options.anew = c.anew;
  options.tell = [&](const std::string& news) {
    if (!c.quiet) fmt::print("{}\n", news);
  };
  return with_progress(options, c.run, c.quiet, c.verify,
                       [](const ResumeOptions& o) { return hydrolith::resume(o); });
}

}  // namespace hydrolith::command
