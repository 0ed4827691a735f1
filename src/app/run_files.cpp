#include "app/run_files.h"

#include "app/assets.h"
#include "app/expect.h"
#include "core/parallel.h"
#include "output/files.h"

#include <fcntl.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <algorithm>
#include <cmath>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<spdlog::logger> open_log(const fs::path& file, bool anew) {
  auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string(), anew);
  auto log = std::make_shared<spdlog::logger>("run", sink);
  log->set_pattern("%Y-%m-%d %H:%M:%S.%e %-7l %v");
  log->flush_on(spdlog::level::info);
  return log;
}

/// Files that were not whole when somebody killed the run: ".NAME.tmp".
void remove_temporary_files(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') && name.ends_with(".tmp")) fs::remove(entry.path(), error);
  }
}

/// Moves a file out of the way; the name it has then.
std::string put_aside(const fs::path& file) {
  fs::path other;
  for (int n = 1; other.empty() || fs::exists(other); ++n)
    other = file.parent_path() /
            fmt::format("{}.old-{}{}", file.stem().string(), n, file.extension().string());
  std::error_code error;
  fs::rename(file, other, error);
  if (error)
    throw IoError(fmt::format("{}: cannot rename to {}: {}", file.string(),
                              other.filename().string(), error.message()));
  return other.filename().string();
}

/// What an earlier part of the run warned of; nothing if its record is gone.
std::vector<std::string> warnings_of(const fs::path& folder) {
  try {
    return read_run_record(folder).warnings;
  } catch (const IoError&) {
    return {};
  }
}

void sync_file(const fs::path& file) { FileDescriptor(file, O_WRONLY).sync(); }

}  // namespace

void Schedule::next_after(double t) { next_ = interval_ * (std::floor(t / interval_ + 1e-9) + 1); }

bool Schedule::due(double t) {
  if (t < next_ - 1e-9 * interval_) return false;
  next_after(t);
  return true;
}

void Schedule::restore(double interval, double next, double t) {
  if (interval == interval_)
    next_ = next;
  else
    next_after(t);
}

RunFiles::RunFiles(const SceneFile& scene, const Simulation& simulation, const fs::path& folder,
                   const RunStart& start)
    : folder_(folder),
      output_(scene.scene().output),
      warnings_(scene.scene(), simulation.metric_names()),
      scene_yaml_(scene.yaml()),
      frame_schedule_(1 / output_.frame_rate),
      metrics_schedule_(output_.metrics_every > 0 ? output_.metrics_every : 1e-12) {
  const Checkpoint* from = start.checkpoint;
  record_.scene = scene.name();
  record_.scene_file = start.scene_file.empty() ? scene.scene().file : start.scene_file;
  record_.version = version();
  record_.instruction_set = instruction_set();
  record_.colour_by = scene.scene().picture.colour_by;
  record_.duration = scene.duration();
  record_.threads = threads();
  record_.history = start.history;
  if (!start.history.empty()) record_.warnings = warnings_of(folder);
  assets_ = mark_assets(scene.scene());
  if (start.history.empty()) copy_assets(scene.scene(), folder);  // else they are there
  write_file_atomically(folder / "scene.yaml", scene_yaml_);
  write_run_record(folder, record_);
  log_ = open_log(folder / "log.txt", start.history.empty());
  for (const fs::path& part : {folder, folder / "frames", folder / "checkpoints"})
    remove_temporary_files(part);
  const FrameFormats formats{output_.hdf5, output_.vtk, output_.ply, output_.compression};
  const std::int64_t already = from ? from->output.frames : 0;
  remove_frames(folder, already, formats);
  if (!start.history.empty()) remove_checkpoints_after(folder, from ? from->step : -1);
  frames_.emplace(folder, simulation.objects(), formats, already);
  open_metrics(simulation.metric_names(), start);
  if (from) go_on(*from);
}

/// A new file, or the old one cut back to where the checkpoint left it; if somebody has changed it,
/// to the rows before the checkpoint that can still be read.
void RunFiles::open_metrics(const std::vector<std::string>& columns, const RunStart& start) {
  const fs::path file = folder_ / "metrics.csv";
  if (!start.checkpoint) return static_cast<void>(metrics_.emplace(file, columns));
  const OutputProgress& then = start.checkpoint->output;
  if (const auto kept = metrics_unchanged(file, static_cast<std::size_t>(then.metrics_bytes),
                                          static_cast<std::uint32_t>(then.metrics_crc)))
    return static_cast<void>(metrics_.emplace(file, columns, *kept));
  const MetricsKept kept = metrics_until(file, columns, start.checkpoint->time);
  std::string news = "metrics.csv has been changed since the checkpoint: ";
  if (kept.bytes > 0) {
    news += fmt::format("{} rows of it are kept", kept.rows);
    metrics_.emplace(file, columns, kept);
  } else {
    news += fs::exists(file) ? fmt::format("it is now {}", put_aside(file)) : "it is gone";
    news += "; a new one begins here";
    metrics_.emplace(file, columns);
  }
  log_->warn("{}", news);
  if (start.tell) start.tell(news);
}

void RunFiles::go_on(const Checkpoint& c) {
  frame_schedule_.restore(c.output.frame_interval, c.output.next_frame, c.time);
  metrics_schedule_.restore(c.output.metrics_interval, c.output.next_metrics, c.time);
  queued_ = c.output.frames;
  last_frame_time_ = c.output.last_frame_time;
}

/// To the log, and to the record, where the viewer finds it.
void RunFiles::warn(const std::string& text) {
  log_->warn("{}", text);
  std::vector<std::string>& told = record_.warnings;
  if (std::find(told.begin(), told.end(), text) != told.end()) return;  // before it was resumed
  told.push_back(text);
  write_run_record(folder_, record_);
}

void RunFiles::record(const Simulation& simulation) {
  for (const std::string& text : warnings_.see(simulation.metrics())) warn(text);
  if (metrics_schedule_.due(simulation.time())) metrics_->write(simulation.metrics());
  if (frame_schedule_.due(simulation.time())) write_frame(simulation);
}

bool RunFiles::checkpoint_due(std::int64_t step) const {
  if (output_.checkpoint_steps > 0 && step % output_.checkpoint_steps == 0) return true;
  const std::chrono::duration<double> since = Clock::now() - last_checkpoint_;
  return output_.checkpoint_every > 0 && since.count() >= output_.checkpoint_every;
}

void RunFiles::write_checkpoint(const Simulation& simulation, const ExpectWatch& watch,
                                const RunResult& result) {
  metrics_->flush();
  Checkpoint c = simulation.checkpoint();
  c.assets = assets_;
  c.output = {.frames = queued_,
              .last_frame_time = last_frame_time_,
              .frame_interval = frame_schedule_.interval(),
              .next_frame = frame_schedule_.next(),
              .metrics_interval = metrics_schedule_.interval(),
              .next_metrics = metrics_schedule_.next(),
              .metrics_bytes = static_cast<std::int64_t>(metrics_->size()),
              .metrics_crc = metrics_->crc(),
              .unconverged = result.unconverged_steps,
              .wall = result.wall,
              .expectations = watch.memory()};
  frames_->then([folder = folder_, checkpoint = std::move(c)] {
    sync_file(folder / "metrics.csv");
    hydrolith::write_checkpoint(folder, checkpoint);
  });
  last_checkpoint_ = Clock::now();
}

void RunFiles::write_frame(const Simulation& simulation) {
  Frame frame = simulation.frame();
  frame.index = queued_++;
  frames_->write(std::move(frame));
  last_frame_time_ = simulation.time();
}

void RunFiles::finish(const Simulation& simulation) {
  if (last_frame_time_ < simulation.time()) write_frame(simulation);
  frames_->finish();
  metrics_->flush();
}

void RunFiles::close(std::string state, std::string message, const RunResult& result) {
  record_.state = std::move(state);
  record_.message = std::move(message);
  record_.time = result.time;
  record_.steps = result.steps;
  record_.frames = frames_->frames_written();
  record_.wall = result.wall;
  write_run_record(folder_, record_);
}

}  // namespace hydrolith
