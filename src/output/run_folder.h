#pragma once
// The folder of a run: frames written in the background, read back by anyone.
//
//   RUN/scene.yaml      the scene as run       RUN/log.txt
//   RUN/metrics.csv     one row a step         RUN/run.json      versions, state of the run
//   RUN/objects.h5      what never changes     RUN/frames/frame_000000.h5 ...
//   RUN/vtk/...         on request             RUN/ply/...       on request
//
// Every file is written under a temporary name and renamed when whole: a kill at any moment leaves
// only whole frames.

#include "hydrolith/frame.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

struct FrameFormats {
  bool hdf5 = true, vtk = false, ply = false;
  int compression = 4;  // 0 none .. 9 smallest
};

/// Writes frames on a thread of its own. A failure there (full disk) is thrown as IoError from the
/// next call of write() or from finish(), naming the file, the reason and the last whole frame.
class FrameWriter {
 public:
  /// `already`: frames that are there, when a run goes on.
  FrameWriter(const std::filesystem::path& folder, const Objects& objects, FrameFormats formats,
              std::int64_t already = 0);
  ~FrameWriter();  // waits for what was queued; swallows errors: call finish() to see them
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  /// Queues a frame; blocks only when two frames are already waiting.
  void write(Frame frame);
  /// Queues work to be done once all frames queued so far are on disk; blocks and fails like a
  /// frame.
  void then(std::function<void()> work);
  /// Waits until all is on disk.
  void finish();
  std::int64_t frames_written() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a finished or running run. Throws IoError with the file's name.
class RunReader {
 public:
  explicit RunReader(const std::filesystem::path& folder);
  const Objects& objects() const { return objects_; }
  /// Indices of the whole frames found, ascending. Call again to see new ones.
  std::vector<std::int64_t> frames() const;
  Frame read(std::int64_t index) const;
  /// Time, step and bodies alone, without the liquids: quick for a run of any size.
  Frame read_motion(std::int64_t index) const;
  /// Throws IoError unless the frame is whole; by its checksum where it has one.
  void check(std::int64_t index) const;
  /// Particles of each liquid.
  std::vector<std::size_t> count_particles(std::int64_t index) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  Objects objects_;
};

/// Removes the frames from number `first` on, in these formats: before a new run in an old folder,
/// or when a run goes on from an earlier frame. Other files stay. Throws IoError.
void remove_frames(const std::filesystem::path& folder, std::int64_t first,
                   const FrameFormats& formats);

/// Writes `content` whole or not at all: temporary name, flush to disk, rename. Throws IoError.
void write_file_atomically(const std::filesystem::path& file, std::string_view content);

}  // namespace hydrolith
