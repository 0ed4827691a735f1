// The run loop: steps, frames on schedule, metrics, checkpoints, log, and an orderly end in every
// case; from the start, or from a checkpoint.

#include "hydrolith/simulation.h"

#include "app/expect.h"
#include "app/resume.h"
#include "app/run_files.h"
#include "core/parallel.h"
#include "output/files.h"

#include <algorithm>
#include <chrono>

namespace hydrolith {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void log_start(spdlog::logger& log, const SceneFile& scene, const Simulation& simulation) {
  const SceneSize size = simulation.size();
  log.info("Hydrolith {}, {} threads, {}", version(), threads(), instruction_set());
  log.info("scene {} ({}), {:g} s", scene.name(), scene.scene().file, scene.duration());
  log.info("{} liquid particles, {} bodies, {} body particles", size.liquid_particles, size.bodies,
           size.body_particles);
  for (const std::string& note : simulation.notes()) log.info("note: {}", note);
}

/// Takes a step. False: on_step has stopped the run by an exception of its own; no step is taken.
bool take_step(const RunCallbacks& options, Simulation& simulation, StepReport& report) {
  try {
    report = simulation.step();
    return true;
  } catch (const Error&) {
    throw;
  } catch (...) {
    if (options.stop && *options.stop) return false;
    throw;
  }
}

/// The loop itself; leaves `result` true to what was reached even if it throws.
void simulate(const RunCallbacks& options, Simulation& simulation, RunFiles& files,
              ExpectWatch& watch, double duration, RunResult& result) {
  const auto start = Clock::now();
  const double wall_before = result.wall;
  const SceneSize size = simulation.size();
  double work = 0;  // particles times steps
  const std::size_t notes = simulation.notes().size();
  const bool ready = result.steps > 0 || simulation.prepare(options.stop);
  for (std::size_t k = notes; k < simulation.notes().size(); ++k)
    files.log().info("note: {}", simulation.notes()[k]);
  if (!ready) {
    result.state = RunState::interrupted;
  } else if (result.steps == 0) {
    files.record(simulation);
    watch.see(simulation.metrics());
  }
  while (ready && !simulation.finished()) {
    if (options.stop && *options.stop) {
      result.state = RunState::interrupted;
      break;
    }
    StepReport report;
    if (!take_step(options, simulation, report)) {
      result.state = RunState::interrupted;
      break;
    }
    result.steps = report.step;
    result.time = report.time;
    result.wall = wall_before + seconds_since(start);
    if (!report.converged) {
      ++result.unconverged_steps;
      files.log().warn("step {}, t = {:g} s: residual {:g} (largest {:g}) after {} iterations",
                       report.step, report.time, report.residual_mean, report.residual_max,
                       report.iterations);
    }
    watch.see(simulation.metrics());
    files.record(simulation);
    if (files.checkpoint_due(report.step)) files.write_checkpoint(simulation, watch, result);
    work += static_cast<double>(report.particles + size.body_particles);
    if (options.progress)
      options.progress({report, duration, result.wall,
                        work / std::max(result.wall - wall_before, 1e-9), files.frames_queued()});
  }
  if (result.steps > 0) files.write_checkpoint(simulation, watch, result);
  files.finish(simulation);
}

/// What can still be saved when something went wrong. A simulation that cannot go on leaves its
/// last good state, to be looked at or resumed with a smaller time step.
void save_the_rest(const std::exception& e, const Simulation& simulation, RunFiles& files,
                   const ExpectWatch& watch, const RunResult& result) {
  files.log().error("{}", e.what());
  try {
    if (dynamic_cast<const SimulationError*>(&e)) {
      if (result.steps > 0) files.write_checkpoint(simulation, watch, result);
      files.finish(simulation);
    }
    files.close("failed", e.what(), result);
  } catch (const Error& also) {
    files.log().error("{}", also.what());  // a full disk: the first error is the one to tell
  }
}

RunResult run_from(const SceneFile& scene, const std::filesystem::path& folder,
                   const RunCallbacks& options, const RunStart& start) {
  Simulation simulation(scene);
  simulation.on_step(options.on_step);
  ExpectWatch watch(scene.scene(), simulation.metric_names());
  RunResult result;
  if (const Checkpoint* c = start.checkpoint) {
    simulation.restore(*c);
    watch.restore(c->output.expectations);
    result.steps = c->step;
    result.time = c->time;
    result.wall = c->output.wall;
    result.unconverged_steps = static_cast<int>(c->output.unconverged);
  }
  RunFiles files(scene, simulation, folder, start);
  log_start(files.log(), scene, simulation);
  for (const std::string& line : start.history) files.log().info("{}", line);
  try {
    simulate(options, simulation, files, watch, scene.duration(), result);
  } catch (const std::exception& e) {  // of a callback too
    save_the_rest(e, simulation, files, watch, result);
    throw;
  }
  result.frames = files.frames_queued();
  result.warnings = files.warnings();
  const bool finished = result.state == RunState::finished;
  files.close(finished ? "finished" : "interrupted", "", result);
  if (finished) result.verdicts = watch.verdicts();
  for (const Verdict& v : result.verdicts)
    files.log().info("{} {}", v.passed ? "pass" : "FAIL", v.text);
  files.log().info("{} at t = {:g} s after {} steps, {} frames, {:.1f} s",
                   finished ? "finished" : "interrupted", result.time, result.steps, result.frames,
                   result.wall);
  return result;
}

}  // namespace

RunResult run(const SceneFile& scene, const RunOptions& options) {
  make_folder(options.folder);
  const RunLock lock(options.folder);
  if (holds_run(options.folder))
    throw IoError(fmt::format(
        "{} already holds a run. Choose another folder with --output, go on with it by `hydrolith "
        "resume`, or remove it",
        options.folder.string()));
  return run_from(scene, options.folder, options, {});
}

RunResult resume(const ResumeOptions& options) {
  const RunLock lock(existing_run(options.folder));
  const ResumePoint point = find_resume_point(options.folder, options.overrides, options.anew);
  for (const std::string& line : point.news)
    if (options.tell) options.tell(line);
  return run_from(point.scene, options.folder, options,
                  {point.checkpoint ? &*point.checkpoint : nullptr, point.history, point.scene_file,
                   options.tell});
}

}  // namespace hydrolith
