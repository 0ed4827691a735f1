#pragma once
// Everything a run writes, opened in order and closed in reverse; and how a run goes on with the
// files it finds.

#include "hydrolith/simulation.h"

#include "app/run_record.h"
#include "app/run_warnings.h"
#include "output/checkpoint_file.h"
#include "output/metrics.h"
#include "output/run_folder.h"
#include "output/run_lock.h"
#include "scene/scene.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <functional>
#include <optional>

namespace hydrolith {

class ExpectWatch;

/// Due at 0, 1/rate, 2/rate, ... of simulated time. Steps are never cut to meet it: what is written
/// must not change what is simulated.
class Schedule {
 public:
  explicit Schedule(double interval) : interval_(interval) {}
  /// True once for every due time passed at t; several passed in one step count as one.
  bool due(double t);
  double interval() const { return interval_; }
  double next() const { return next_; }
  /// As it was at time t; with another interval than then, due at the first multiple after t.
  void restore(double interval, double next, double t);

 private:
  void next_after(double t);
  double interval_;
  double next_ = 0;
};

/// How a run starts in its folder: anew, or where a checkpoint left it.
struct RunStart {
  const Checkpoint* checkpoint = nullptr;
  std::vector<std::string> history;              // for the record
  std::string scene_file;                        // likewise; "" = the scene's own
  std::function<void(const std::string&)> tell;  // what else there is to know
};

class RunFiles {
 public:
  /// Removes what an earlier attempt has left behind that point. Throws IoError.
  RunFiles(const SceneFile& scene, const Simulation& simulation,
           const std::filesystem::path& folder, const RunStart& start);

  spdlog::logger& log() { return *log_; }
  const std::vector<std::string>& warnings() const { return warnings_.told(); }

  /// After the start and after every step.
  void record(const Simulation& simulation);
  /// Whether one is due by steps or by wall time.
  bool checkpoint_due(std::int64_t step) const;
  /// Queues one; it is written once all frames before it are.
  void write_checkpoint(const Simulation& simulation, const ExpectWatch& watch,
                        const RunResult& result);
  /// The end is always shown: writes a last frame and waits until all is on disk. Such a frame
  /// stands outside the schedule: a checkpoint must be written before it.
  void finish(const Simulation& simulation);
  void close(std::string state, std::string message, const RunResult& result);

  std::int64_t frames_queued() const { return queued_; }

 private:
  void warn(const std::string& text);
  void go_on(const Checkpoint& checkpoint);
  void open_metrics(const std::vector<std::string>& columns, const RunStart& start);
  void write_frame(const Simulation& simulation);

  std::filesystem::path folder_;
  OutputSpec output_;
  RunWarnings warnings_;
  std::string scene_yaml_;
  std::vector<AssetMark> assets_;
  RunRecord record_;
  std::shared_ptr<spdlog::logger> log_;
  std::optional<FrameWriter> frames_;
  std::optional<MetricsWriter> metrics_;
  Schedule frame_schedule_, metrics_schedule_;
  std::int64_t queued_ = 0;
  double last_frame_time_ = -1;
  std::chrono::steady_clock::time_point last_checkpoint_ = std::chrono::steady_clock::now();
};

}  // namespace hydrolith
