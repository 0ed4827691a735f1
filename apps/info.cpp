// `hydrolith info`: what a run is, how far it came, whether it is whole.

#include "app/run_info.h"
#include "commands.h"
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

namespace hydrolith::command {

namespace {

std::string state_text(const RunInfo& i) {
  if (i.state == "ended") return "ended without a word: killed, or its disk was full";
  if (i.state == "unknown") return "unknown: run.json cannot be read";
  return i.state + (i.state != "failed" || i.record.message.empty() ? "" : ": " + i.record.message);
}

/// "3, 7-9".
std::string ranges(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last;
  }
  return text;
}

std::string plural(std::int64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string size_text(double bytes) {
  for (const char* unit : {"bytes", "kB", "MB", "GB"}) {
    if (bytes < 1000) return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= 1000;
  }
  return fmt::format("{:.3g} TB", bytes);
}

std::string checkpoints_text(const RunInfo& i) {
  std::string text;
  for (const CheckpointInfo& c : i.checkpoints)
    text += fmt::format("{}step {} (t = {:g} s)", text.empty() ? "" : ", ", c.step, c.time);
  return text.empty() ? "none" : text;
}

void print(const RunInfo& i, const std::string& run) {
  const RunRecord& r = i.record;
  fmt::print("{}: scene {} ({})\n", run, r.scene, r.scene_file);
  fmt::print("  made by     Hydrolith {}, {} threads, {}\n", r.version, r.threads,
             r.instruction_set);
  fmt::print("  state       {}\n", state_text(i));
  for (const std::string& line : r.history) fmt::print("              {}\n", line);
  fmt::print("  time        {:g} of {:g} s", i.time, r.duration);
  if (r.steps > 0) fmt::print(", {} steps in {}", r.steps, duration_text(r.wall));
  fmt::print("\n  frames      {}{}\n", i.frames, i.checked ? " whole" : ", not read");
  if (!i.missing.empty()) fmt::print("              missing: {}\n", ranges(i.missing));
  fmt::print("  checkpoints {}\n", checkpoints_text(i));
  if (!i.checkpoints.empty())
    fmt::print("              the newest has the fingerprint {:016x}\n",
               i.checkpoints.back().fingerprint);
  fmt::print("  metrics     {}, {}\n", plural(i.metric_rows, "row", "rows"),
             plural(i.metric_columns, "column", "columns"));
  fmt::print("  objects     {}, {}, spacing {:g} m, {}D\n", plural(i.liquids, "liquid", "liquids"),
             plural(i.bodies, "body", "bodies"), i.spacing, i.dimensions);
  fmt::print("  on disk     {}\n", size_text(static_cast<double>(i.bytes)));
  for (const std::string& warning : r.warnings) fmt::print("  warning     {}\n", warning);
  for (const std::string& fault : i.faults) fmt::print("  damaged     {}\n", fault);
  if (i.can_go_on) fmt::print("  go on       hydrolith resume {}\n", run);
}

}  // namespace

int info(const InfoChoices& c) {
  ProgressLine line(c.json || isatty(STDOUT_FILENO) == 0);
  const RunInfo i = inspect_run(c.run, c.quick, [&](std::size_t done, std::size_t all) {
    line.show(fmt::format("reading frame {} of {}", done, all),
              static_cast<double>(done) / static_cast<double>(all + 1));
  });
  line.clear();
  if (c.json)
    fmt::print("{}", to_json(i, c.run));
  else
    print(i, c.run);
  return i.faults.empty() ? ok : io_failed;
}

}  // namespace hydrolith::command
