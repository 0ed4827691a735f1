#pragma once
// RUN/run.json: what a run is, how far it came, how it ended.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hydrolith {

struct RunRecord {
  std::string scene;       // name
  std::string scene_file;  // as the user named it
  std::string version;     // of Hydrolith
  std::string instruction_set;
  std::string state = "running";    // running, finished, interrupted, failed
  std::string message;              // of a failure
  std::string colour_by = "speed";  // what the scene wants its pictures coloured by
  double duration = 0;              // [s] asked for
  double time = 0;                  // [s] reached
  std::int64_t steps = 0, frames = 0;
  double wall = 0;  // [s]
  int threads = 0;
  std::vector<std::string> warnings;  // what the log told while it ran
  std::vector<std::string> history;   // where and with what changes it was resumed
};

void write_run_record(const std::filesystem::path& folder, const RunRecord& record);
/// Throws IoError if the folder holds no run or the record is broken.
RunRecord read_run_record(const std::filesystem::path& folder);
/// Whether there is a run, or what is left of one: frames or checkpoints without a record.
bool holds_run(const std::filesystem::path& folder);

}  // namespace hydrolith
