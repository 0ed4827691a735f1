#pragma once
// What a run is, how far it came, whether it is whole: for `hydrolith info`.

#include "app/run_record.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hydrolith {

struct CheckpointInfo {
  std::int64_t step = 0;
  double time = 0;  // [s]
  std::uint64_t fingerprint = 0;
};

struct RunInfo {
  RunRecord record;
  /// running, finished, interrupted, failed; ended: it is not being written and has not said how
  /// it ended (killed, a full disk); unknown: there is no record.
  std::string state;
  double time = 0;  // [s] reached, by the record, the frames and the checkpoints
  std::int64_t frames = 0;
  std::vector<std::int64_t> missing;        // frames between the first and the last
  std::vector<CheckpointInfo> checkpoints;  // whole ones, ascending
  std::int64_t metric_rows = 0, metric_columns = 0;
  std::int64_t liquids = 0, bodies = 0;
  double spacing = 0;  // [m]
  int dimensions = 0;
  std::uintmax_t bytes = 0;         // on disk, all files
  std::vector<std::string> faults;  // of files that are damaged or gone
  bool checked = false;             // frames were read, not only counted
  bool can_go_on = false;           // `hydrolith resume` would have something to do
};

/// Reads everything and notes what is wrong with it. `quick`: frames are counted but not read.
/// `progress` hears how many of the frames are done. Throws IoError if the folder holds no run.
RunInfo inspect_run(const std::filesystem::path& run, bool quick,
                    const std::function<void(std::size_t done, std::size_t all)>& progress = {});

/// One JSON object.
std::string to_json(const RunInfo& info, const std::filesystem::path& run);

}  // namespace hydrolith
