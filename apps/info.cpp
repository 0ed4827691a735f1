// `hydrolith info`: what a run is, how far it came, whether it is whole.

#include "app/resume.h"
#include "app/run_record.h"
#include "commands.h"
#include "output/checkpoint_file.h"
#include "output/files.h"
#include "output/metrics.h"
#include "output/run_folder.h"
#include "output/run_lock.h"
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace hydrolith::command {

namespace fs = std::filesystem;

namespace {

std::string state_text(const RunRecord& r, bool live) {
  if (live) return "running";
  if (r.state == "running") return "killed before it could end";
  return r.state + (r.message.empty() ? "" : ": " + r.message);
}

/// Numbers that are missing between the first and the last: "3, 7-9".
std::string gaps(const std::vector<std::int64_t>& found) {
  std::string text;
  std::int64_t expected = 0;
  for (const std::int64_t i : found) {
    if (i > expected)
      text += fmt::format(
          "{}{}", text.empty() ? "" : ", ",
          i - 1 > expected ? fmt::format("{}-{}", expected, i - 1) : fmt::format("{}", expected));
    expected = i + 1;
  }
  return text;
}

struct Whole {
  std::size_t count = 0;
  std::vector<std::string> faults;  // messages of those that are not
};

/// Reads every one of the numbered things.
template <class Read>
Whole check_all(const std::vector<std::int64_t>& numbers, Read&& read) {
  Whole whole;
  for (const std::int64_t n : numbers) {
    try {
      read(n);
      ++whole.count;
    } catch (const Error& e) {
      whole.faults.emplace_back(e.what());
    }
  }
  return whole;
}

void print_faults(const Whole& whole) {
  for (const std::string& fault : whole.faults) fmt::print("              {}\n", fault);
}

std::string plural(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace

int info(const std::string& run) {
  const RunRecord r = read_run_record(existing_run(run));
  const RunReader reader(run);
  const Objects& o = reader.objects();
  const bool live = is_being_written(run);
  fmt::print("{}: scene {} ({})\n", run, r.scene, r.scene_file);
  fmt::print("  made by     Hydrolith {}, {} threads, {}\n", r.version, r.threads,
             r.instruction_set);
  fmt::print("  state       {}\n", state_text(r, live));
  for (const std::string& line : r.history) fmt::print("              {}\n", line);

  double reached = r.time;
  const std::vector<std::int64_t> frames = reader.frames(), steps = list_checkpoints(run);
  const Whole whole_frames =
      check_all(frames, [&](std::int64_t i) { reached = std::max(reached, reader.read(i).time); });
  std::string at;  // of the checkpoints
  double newest = 0;
  std::uint64_t print = 0;  // of the newest
  const Whole whole_steps = check_all(steps, [&](std::int64_t step) {
    const Checkpoint c = read_checkpoint(run, step);
    newest = c.time;
    print = fingerprint(c.state);
    at += fmt::format("{}step {} (t = {:g} s)", at.empty() ? "" : ", ", step, newest);
  });
  reached = std::max(reached, newest);
  fmt::print("  time        {:g} of {:g} s", reached, r.duration);
  if (r.steps > 0) fmt::print(", {} steps in {}", r.steps, duration_text(r.wall));
  fmt::print(
      "\n  frames      {} whole{}\n", whole_frames.count,
      whole_frames.faults.empty() ? "" : fmt::format(", {} damaged", whole_frames.faults.size()));
  print_faults(whole_frames);
  if (const std::string missing = gaps(frames); !missing.empty())
    fmt::print("              missing: {}\n", missing);
  fmt::print("  checkpoints {}\n", at.empty() ? "none" : at);
  print_faults(whole_steps);
  if (whole_steps.count > 0)
    fmt::print("              the newest has the fingerprint {:016x}\n", print);
  const MetricsTable metrics = read_metrics(fs::path(run) / "metrics.csv");
  fmt::print("  metrics     {}, {}\n", plural(metrics.rows.size(), "row", "rows"),
             plural(metrics.columns.size(), "column", "columns"));
  fmt::print("  objects     {}, {}, spacing {:g} m, {}D\n",
             plural(o.liquids.size(), "liquid", "liquids"),
             plural(o.bodies.size(), "body", "bodies"), o.spacing, o.dimensions);
  if (!live && r.state != "finished") fmt::print("  go on       hydrolith resume {}\n", run);
  return whole_frames.faults.empty() && whole_steps.faults.empty() ? ok : io_failed;
}

}  // namespace hydrolith::command
