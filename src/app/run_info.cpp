#include "app/run_info.h"

#include "hydrolith/error.h"

#include "app/resume.h"
#include "output/checkpoint_file.h"
#include "output/files.h"
#include "output/metrics.h"
#include "output/run_folder.h"
#include "output/run_lock.h"
#include "output/run_names.h"
#include "scene/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

/// Does it, or notes why it could not.
template <class Do>
bool attempt(std::vector<std::string>& faults, Do&& act) {
  try {
    act();
    return true;
  } catch (const Error& e) {
    faults.emplace_back(e.what());
    return false;
  }
}

std::string state_of(const RunRecord& record, bool has_record, bool is_live) {
  if (is_live) return "running";
  if (!has_record) return "unknown";
  return record.state == "running" ? "ended" : record.state;
}

std::vector<std::int64_t> gaps(const std::vector<std::int64_t>& found) {
  std::vector<std::int64_t> missing;
  std::int64_t expected = 0;
  for (const std::int64_t i : found) {
    for (; expected < i; ++expected) missing.push_back(expected);
    ++expected;
  }
  return missing;
}

std::uintmax_t bytes_below(const fs::path& folder) {
  std::uintmax_t sum = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    const std::uintmax_t size = entry->file_size(gone);
    if (!gone) sum += size;
  }
  return sum;
}

void inspect_frames(const RunReader& reader, bool quick,
                    const std::function<void(std::size_t, std::size_t)>& progress, RunInfo& info) {
  const std::vector<std::int64_t> frames = reader.frames();
  info.missing = gaps(frames);
  info.checked = !quick;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool is_last = i + 1 == frames.size();
    const bool is_whole = (quick && !is_last) || attempt(info.faults, [&] {
                            if (!quick) reader.check(frames[i]);
                            if (is_last)
                              info.time = std::max(info.time, reader.read_motion(frames[i]).time);
                          });
    info.frames += is_whole ? 1 : 0;
    if (progress) progress(i + 1, frames.size());
  }
}

void inspect_checkpoints(const fs::path& run, RunInfo& info) {
  for (const std::int64_t step : list_checkpoints(run)) {
    const bool is_whole = attempt(info.faults, [&] {
      const Checkpoint c = read_checkpoint(run, step);
      info.checkpoints.push_back({step, c.time, fingerprint(c.state)});
      info.time = std::max(info.time, c.time);
    });
    if (!is_whole && !fs::exists(checkpoint_file(run, step)))
      info.faults.pop_back();  // a run in progress has removed it: two newer ones are there
  }
}

}  // namespace

RunInfo inspect_run(const fs::path& run, bool quick,
                    const std::function<void(std::size_t, std::size_t)>& progress) {
  existing_run(run);
  RunInfo info;
  const bool is_live = is_being_written(run);
  const bool has_record = attempt(info.faults, [&] { info.record = read_run_record(run); });
  info.state = state_of(info.record, has_record, is_live);
  info.time = info.record.time;
  attempt(info.faults, [&] { read_file(run / "scene.yaml"); });
  std::optional<RunReader> reader;
  if (attempt(info.faults, [&] { reader.emplace(run); })) {
    const Objects& o = reader->objects();
    info.liquids = static_cast<std::int64_t>(o.liquids.size());
    info.bodies = static_cast<std::int64_t>(o.bodies.size());
    info.spacing = o.spacing;
    info.dimensions = o.dimensions;
    inspect_frames(*reader, quick, progress, info);
  }
  inspect_checkpoints(run, info);
  attempt(info.faults, [&] {
    const MetricsTable metrics = read_metrics(run / "metrics.csv");
    info.metric_rows = static_cast<std::int64_t>(metrics.rows.size());
    info.metric_columns = static_cast<std::int64_t>(metrics.columns.size());
  });
  info.bytes = bytes_below(run);
  info.can_go_on = !is_live && info.state != "finished";
  return info;
}

std::string to_json(const RunInfo& i, const fs::path& run) {
  using schema::json_text;
  std::string out;
  const auto raw = [&](const char* key, const std::string& value) {
    out += fmt::format("{}\n  \"{}\": {}", out.empty() ? "" : ",", key, value);
  };
  const auto text = [&](const char* key, const std::string& value) { raw(key, json_text(value)); };
  const auto number = [&](const char* key, const auto& value) {
    raw(key, fmt::format("{}", value));
  };
  const auto texts = [&](const char* key, const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& v : values)
      list += (list.empty() ? "\n    " : ",\n    ") + json_text(v);
    raw(key, list.empty() ? "[]" : "[" + list + "\n  ]");
  };
  text("run", run.string());
  text("scene", i.record.scene);
  text("scene_file", i.record.scene_file);
  text("hydrolith", i.record.version);
  text("instruction_set", i.record.instruction_set);
  number("threads", i.record.threads);
  text("state", i.state);
  text("message", i.record.message);
  number("can_go_on", i.can_go_on);
  number("whole", i.faults.empty());
  texts("faults", i.faults);
  number("time", i.time);
  number("duration", i.record.duration);
  number("steps", i.record.steps);
  number("wall", i.record.wall);
  number("frames", i.frames);
  number("frames_checked", i.checked);
  raw("frames_missing", fmt::format("[{}]", fmt::join(i.missing, ", ")));
  std::string checkpoints;
  for (const CheckpointInfo& c : i.checkpoints)
    checkpoints +=
        fmt::format("{}\n    {{\"step\": {}, \"time\": {}, \"fingerprint\": \"{:016x}\"}}",
                    checkpoints.empty() ? "" : ",", c.step, c.time, c.fingerprint);
  raw("checkpoints", checkpoints.empty() ? "[]" : "[" + checkpoints + "\n  ]");
  number("metric_rows", i.metric_rows);
  number("metric_columns", i.metric_columns);
  number("liquids", i.liquids);
  number("bodies", i.bodies);
  number("spacing", i.spacing);
  number("dimensions", i.dimensions);
  number("bytes", i.bytes);
  texts("warnings", i.record.warnings);
  texts("history", i.record.history);
  return "{" + out + "\n}\n";
}

}  // namespace hydrolith
