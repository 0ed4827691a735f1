#pragma once
// A run, finished or in progress, as answers to the viewer's page. Safe to ask from many threads.
// Everything is read from the run's folder through the frame format alone.

#include "output/metrics.h"
#include "output/run_folder.h"
#include "viewer/not_found.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hydrolith {

/// A frame on disk: its number, and its time (NaN if the file is damaged).
struct FrameEntry {
  std::int64_t index = 0;
  double time = 0;  // [s]
};

class RunView {
 public:
  /// Throws IoError if the folder holds no run.
  explicit RunView(const std::filesystem::path& folder);

  const RunReader& reader() const { return reader_; }
  /// All whole frames, ascending.
  std::vector<FrameEntry> frames() const;

  // JSON
  std::string run() const;  ///< what never changes: objects, camera, spacing
  /// The run record (a text: the page reads it), frames from number `known` on, rows of metrics,
  /// seconds since anything was written.
  std::string status(std::size_t known) const;

  // Packets (viewer/packet.h)
  std::string meshes() const;
  std::string frame(std::int64_t index, const std::string& field) const;
  std::string surface(std::int64_t index, const std::string& field) const;
  /// Columns of metrics.csv as float64, one after the other, rows from number `from` on.
  std::string metrics(std::size_t from) const;
  /// One body over all frames from number `from` of the list on: a row of float64 for each.
  std::string body(std::size_t body, std::size_t from) const;

  /// A message without the place of the run on this disk, which concerns nobody who looks from
  /// afar.
  std::string without_folder(std::string message) const;

  /// Changes whenever a frame's file does.
  std::string frame_stamp(std::int64_t index) const;

 private:
  struct Seen {
    std::string stamp;
    double time = 0;                // [s]
    std::vector<BodyFrame> bodies;  // kept while there is room: a click then reads no file
  };
  BodyFrame motion(std::int64_t index, std::size_t body) const;

  RunReader reader_;
  mutable std::mutex mutex_;  // guards all below
  mutable std::map<std::int64_t, Seen> seen_;
  mutable std::size_t kept_ = 0;  // bodies of all frames seen
  mutable MetricsReader metrics_;
};

}  // namespace hydrolith
