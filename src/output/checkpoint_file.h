#pragma once
// RUN/checkpoints/checkpoint_NNNNNN.h5 (NNNNNN: steps taken): all that a run needs to go on as if
// it had never stopped. Written beside its place and renamed; the last two are kept.

#include "core/archive.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

/// Where the output stood.
struct OutputProgress {
  std::int64_t frames = 0;           // written before
  double last_frame_time = -1;       // [s]
  double frame_interval = 0;         // [s] at that time ...
  double next_frame = 0;             // [s] ... and when the next one was due
  double metrics_interval = 0;       // [s]
  double next_metrics = 0;           // [s]
  std::int64_t metrics_bytes = 0;    // length of metrics.csv
  std::int64_t metrics_crc = 0;      // CRC-32 of that much of it
  std::int64_t unconverged = 0;      // steps
  double wall = 0;                   // [s] computed so far
  std::vector<double> expectations;  // what ExpectWatch has seen
};

/// A file that the scene refers to (a mesh, a map of heights).
struct AssetMark {
  std::string file;       // from the scene's folder, or absolute
  std::uint32_t crc = 0;  // CRC-32 of its bytes
  bool operator==(const AssetMark&) const = default;
};

struct Checkpoint {
  std::string scene;       // YAML as run
  std::string scene_file;  // where its relative paths start from; "" in a run: RUN/scene.yaml
  std::string name;        // of the scene
  std::string version;     // of Hydrolith
  std::vector<AssetMark> assets;
  std::int64_t step = 0;
  double time = 0;              // [s]
  std::vector<double> metrics;  // after the last step
  OutputProgress output;
  Archive state;
};

/// `name` of the file is for messages. Both throw IoError.
std::string encode_checkpoint(const Checkpoint& checkpoint, const std::string& name);
Checkpoint decode_checkpoint(std::string_view bytes, const std::string& name);

std::filesystem::path checkpoint_file(const std::filesystem::path& run, std::int64_t step);
/// Steps of the checkpoints there are, ascending.
std::vector<std::int64_t> list_checkpoints(const std::filesystem::path& run);

/// Writes it, then removes all but the newest two and those of later steps.
void write_checkpoint(const std::filesystem::path& run, const Checkpoint& checkpoint);
/// Removes those of later steps, as far as it can.
void remove_checkpoints_after(const std::filesystem::path& run, std::int64_t step);
Checkpoint read_checkpoint(const std::filesystem::path& run, std::int64_t step);

}  // namespace hydrolith
