#include "hydrolith/error.h"

#include "output/exporter.h"
#include "output/files.h"
#include "output/frame_file.h"
#include "output/run_folder.h"
#include "output/run_names.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace hydrolith {
namespace fs = std::filesystem;

struct FrameWriter::Impl {
  static constexpr std::size_t queue_limit = 2;

  Impl(const fs::path& folder_, const Objects& objects_, FrameFormats formats_);

  void work();  // the life of the thread
  void write(const Frame& frame);
  void push(std::function<void()> job);  // throws what failed before
  void throw_failure();                  // if there is one; call with the mutex held

  const fs::path folder;
  const Objects objects;
  const FrameFormats formats;
  std::vector<std::unique_ptr<FrameExporter>> exporters;

  std::mutex mutex;  // guards all below
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool busy = false;             // the thread is at work
  bool stop = false;             // no more frames will come
  std::int64_t written = 0;      // whole frames
  std::int64_t last_whole = -1;  // index of the last of them
  std::string failure;           // empty: all is well
  std::thread thread;
};

FrameWriter::Impl::Impl(const fs::path& folder_, const Objects& objects_, FrameFormats formats_)
    : folder(folder_), objects(objects_), formats(formats_) {
  make_folder(folder);
  const fs::path file = objects_file(folder);
  write_file_atomically(file, encode_objects(objects, file.string(), formats.compression));
  if (formats.hdf5) make_folder(folder / "frames");
  if (formats.vtk) exporters.push_back(make_vtk_exporter(folder / "vtk", objects, {formats.compression}));
  if (formats.ply) exporters.push_back(make_ply_exporter(folder / "ply", objects));
}

void FrameWriter::Impl::write(const Frame& frame) {
  if (formats.hdf5) {
    const fs::path file = frame_file(folder, frame.index);
    write_file_atomically(file, encode_frame(frame, objects, file.string(), formats.compression));
  }
  for (const auto& exporter : exporters) exporter->write(frame);
  const std::lock_guard lock(mutex);
  ++written;
  last_whole = frame.index;
}

void FrameWriter::Impl::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return stop || !queue.empty(); });
    if (queue.empty()) return;
    const std::function<void()> job = std::move(queue.front());
    queue.pop_front();
    changed.notify_all();
    if (!failure.empty()) continue;  // the run is told; nothing more is written
    busy = true;
    lock.unlock();
    std::string outcome;
    try {
      job();
    } catch (const std::exception& error) {
      outcome = error.what();
    }
    lock.lock();
    busy = false;
    failure = outcome;
    changed.notify_all();
  }
}

void FrameWriter::Impl::push(std::function<void()> job) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return queue.size() < queue_limit || !failure.empty(); });
  throw_failure();
  queue.push_back(std::move(job));
  changed.notify_all();
}

void FrameWriter::Impl::throw_failure() {
  if (failure.empty()) return;
  const std::string kept = last_whole < 0 ? std::string("No frame was finished.")
                                          : fmt::format("Frames up to {} are whole.", last_whole);
  throw IoError(fmt::format("{} {}", failure, kept));
}

FrameWriter::FrameWriter(const fs::path& folder, const Objects& objects, FrameFormats formats,
                         std::int64_t already)
    : impl_(std::make_unique<Impl>(folder, objects, formats)) {
  impl_->written = already;
  impl_->last_whole = already - 1;
  impl_->thread = std::thread([impl = impl_.get()] { impl->work(); });
}

FrameWriter::~FrameWriter() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stop = true;
  }
  impl_->changed.notify_all();
  impl_->thread.join();
}

void FrameWriter::write(Frame frame) {
  check_frame(frame, impl_->objects);
  impl_->push([impl = impl_.get(), frame = std::move(frame)] { impl->write(frame); });
}

void FrameWriter::then(std::function<void()> work) { impl_->push(std::move(work)); }

void FrameWriter::finish() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [&] { return impl_->queue.empty() && !impl_->busy; });
  impl_->throw_failure();
}

std::int64_t FrameWriter::frames_written() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->written;
}

}  // namespace hydrolith
