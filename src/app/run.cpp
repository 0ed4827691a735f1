// The run loop: steps, frames on schedule, metrics, log, and an orderly end in every case.

#include "hydrolith/simulation.h"

#include "app/assets.h"
#include "app/expect.h"
#include "app/run_record.h"
#include "core/check.h"
#include "core/parallel.h"
#include "output/files.h"
#include "output/metrics.h"
#include "output/run_folder.h"
#include "scene/scene.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace hydrolith {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Due at 0, 1/rate, 2/rate, ... of simulated time. Steps are never cut to meet it: what is written
/// must not change what is simulated.
class Schedule {
 public:
  explicit Schedule(double interval) : interval_(interval) {}
  /// True once for every due time passed at t; several passed in one step count as one.
  bool due(double t) {
    if (t < next_ - 1e-9 * interval_) return false;
    next_ = interval_ * (std::floor(t / interval_ + 1e-9) + 1);
    return true;
  }

 private:
  double interval_;
  double next_ = 0;
};

std::shared_ptr<spdlog::logger> open_log(const std::filesystem::path& file) {
  auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string(), true);
  auto log = std::make_shared<spdlog::logger>("run", sink);
  log->set_pattern("%Y-%m-%d %H:%M:%S.%e %-7l %v");
  log->flush_on(spdlog::level::info);
  return log;
}

void prepare_folder(const std::filesystem::path& folder) {
  make_folder(folder);
  if (holds_run(folder))
    throw IoError(
        fmt::format("{} already holds a run. Choose another folder with --output, or remove it",
                    folder.string()));
}

/// Everything a run writes, opened in order and closed in reverse.
class RunFiles {
 public:
  RunFiles(const SceneFile& scene, const Simulation& simulation,
           const std::filesystem::path& folder)
      : folder_(folder),
        output_(scene.scene().output),
        frame_schedule_(1 / output_.frame_rate),
        metrics_schedule_(output_.metrics_every > 0 ? output_.metrics_every : 1e-12) {
    record_.scene = scene.name();
    record_.scene_file = scene.scene().file;
    record_.version = version();
    record_.instruction_set = instruction_set();
    record_.colour_by = scene.scene().picture.colour_by;
    record_.duration = scene.duration();
    record_.threads = threads();
    copy_assets(scene.scene(), folder);
    write_file_atomically(folder / "scene.yaml", scene.yaml());
    write_run_record(folder, record_);
    log_ = open_log(folder / "log.txt");
    frames_.emplace(folder, simulation.objects(),
                    FrameFormats{output_.hdf5, output_.vtk, output_.ply, output_.compression});
    metrics_.emplace(folder / "metrics.csv", simulation.metric_names());
  }

  spdlog::logger& log() { return *log_; }

  /// After the start and after every step.
  void record(const Simulation& simulation) {
    if (metrics_schedule_.due(simulation.time())) metrics_->write(simulation.metrics());
    if (frame_schedule_.due(simulation.time())) write_frame(simulation);
  }

  void finish(const Simulation& simulation) {
    if (last_frame_time_ < simulation.time()) write_frame(simulation);  // the end is always shown
    frames_->finish();
    metrics_->flush();
  }

  void close(std::string state, std::string message, const RunResult& result) {
    record_.state = std::move(state);
    record_.message = std::move(message);
    record_.time = result.time;
    record_.steps = result.steps;
    record_.frames = frames_->frames_written();
    record_.wall = result.wall;
    write_run_record(folder_, record_);
  }

  std::int64_t frames_queued() const { return queued_; }

 private:
  void write_frame(const Simulation& simulation) {
    Frame frame = simulation.frame();
    frame.index = queued_++;
    frames_->write(std::move(frame));
    last_frame_time_ = simulation.time();
  }

  std::filesystem::path folder_;
  OutputSpec output_;
  RunRecord record_;
  std::shared_ptr<spdlog::logger> log_;
  std::optional<FrameWriter> frames_;
  std::optional<MetricsWriter> metrics_;
  Schedule frame_schedule_, metrics_schedule_;
  std::int64_t queued_ = 0;
  double last_frame_time_ = -1;
};

void log_start(spdlog::logger& log, const SceneFile& scene, const Simulation& simulation) {
  const SceneSize size = simulation.size();
  log.info("Hydrolith {}, {} threads, {}", version(), threads(), instruction_set());
  log.info("scene {} ({}), {:g} s", scene.name(), scene.scene().file, scene.duration());
  log.info("{} liquid particles, {} bodies, {} body particles", size.liquid_particles, size.bodies,
           size.body_particles);
  for (const std::string& note : simulation.notes()) log.info("note: {}", note);
}

/// The loop itself; leaves `result` true to what was reached even if it throws.
void simulate(const RunOptions& options, Simulation& simulation, RunFiles& files,
              ExpectWatch& watch, double duration, RunResult& result) {
  const auto start = Clock::now();
  const SceneSize size = simulation.size();
  double work = 0;  // particles times steps
  simulation.prepare();
  files.record(simulation);
  watch.see(simulation.metrics());
  while (!simulation.finished()) {
    if (options.stop && *options.stop) {
      result.state = RunState::interrupted;
      break;
    }
    const StepReport report = simulation.step();
    result.steps = report.step;
    result.time = report.time;
    result.wall = seconds_since(start);
    if (!report.converged) {
      ++result.unconverged_steps;
      files.log().warn("step {}, t = {:g} s: residual {:g} (largest {:g}) after {} iterations",
                       report.step, report.time, report.residual_mean, report.residual_max,
                       report.iterations);
    }
    watch.see(simulation.metrics());
    files.record(simulation);
    work += static_cast<double>(report.particles + size.body_particles);
    if (options.progress)
      options.progress({report, duration, result.wall, work / std::max(result.wall, 1e-9),
                        files.frames_queued()});
  }
  files.finish(simulation);
}

}  // namespace

RunResult run(const SceneFile& scene, const RunOptions& options) {
  prepare_folder(options.folder);
  Simulation simulation(scene);
  ExpectWatch watch(scene.scene(), simulation.metric_names());
  RunFiles files(scene, simulation, options.folder);
  log_start(files.log(), scene, simulation);
  RunResult result;
  try {
    simulate(options, simulation, files, watch, scene.duration(), result);
  } catch (const Error& e) {
    files.log().error("{}", e.what());
    try {
      if (dynamic_cast<const SimulationError*>(&e))
        files.finish(simulation);  // the last good state
      files.close("failed", e.what(), result);
    } catch (const Error& also) {
      files.log().error("{}", also.what());  // a full disk: the first error is the one to tell
    }
    throw;
  }
  result.frames = files.frames_queued();
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

}  // namespace hydrolith
