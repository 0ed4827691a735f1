// The run's folder written by somebody who takes the steps himself.

#include "hydrolith/simulation.h"

#include "app/expect.h"
#include "app/run_files.h"
#include "core/check.h"
#include "output/files.h"

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

/// Locked before anything else is looked at.
RunLock new_run(const fs::path& folder) {
  make_folder(folder);
  RunLock lock(folder);
  if (holds_run(folder))
    throw IoError(fmt::format("{} already holds a run. Choose another folder, or remove it",
                              folder.string()));
  return lock;
}

/// The state before the first frame: settled.
Simulation& prepared(Simulation& simulation) {
  simulation.prepare();
  return simulation;
}

}  // namespace

struct Recorder::Impl {
  Impl(Simulation& simulation, const fs::path& folder)
      : lock(new_run(folder)),
        watch(simulation.scene().scene(), simulation.metric_names()),
        files(simulation.scene(), prepared(simulation), folder, {}) {}

  RunLock lock;
  ExpectWatch watch;
  RunFiles files;
  RunResult result;
  Clock::time_point start = Clock::now();
  bool open = true;
};

Recorder::Recorder(Simulation& simulation, const fs::path& folder)
    : impl_(std::make_unique<Impl>(simulation, folder)) {
  impl_->files.log().info("recorded by a program of its own");
  record(simulation);
}

Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

Recorder::~Recorder() {
  if (!impl_ || !impl_->open) return;
  try {
    impl_->files.close("interrupted", "the recording was not closed", impl_->result);
  } catch (const Error&) {  // there is nobody to tell
  }
}

void Recorder::record(const Simulation& simulation) {
  require(impl_->open, "this recording is closed");
  RunResult& r = impl_->result;
  require(simulation.time() >= r.time,
          "t = {:g} s was recorded and now it is {:g} s: begin another recording for a state that "
          "was restored",
          r.time, simulation.time());
  r.steps = simulation.steps();
  r.time = simulation.time();
  r.wall = std::chrono::duration<double>(Clock::now() - impl_->start).count();
  impl_->watch.see(simulation.metrics());
  impl_->files.record(simulation);
  if (impl_->files.checkpoint_due(r.steps))
    impl_->files.write_checkpoint(simulation, impl_->watch, r);
}

RunResult Recorder::close(const Simulation& simulation, const std::string& failure) {
  require(impl_->open, "this recording is closed");
  if (simulation.time() > impl_->result.time) record(simulation);
  impl_->open = false;
  RunResult& r = impl_->result;
  r.state = simulation.finished() && failure.empty() ? RunState::finished : RunState::interrupted;
  if (r.steps > 0) impl_->files.write_checkpoint(simulation, impl_->watch, r);
  impl_->files.finish(simulation);
  r.frames = impl_->files.frames_queued();
  r.warnings = impl_->files.warnings();
  const bool finished = r.state == RunState::finished;
  if (finished) r.verdicts = impl_->watch.verdicts();
  impl_->files.close(!failure.empty() ? "failed"
                     : finished       ? "finished"
                                      : "interrupted",
                     failure, r);
  return r;
}

}  // namespace hydrolith
