// The table of a comparison: built once as text, written as CSV and Markdown.

#include "app/compare.h"
#include "core/check.h"
#include "output/metrics.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

std::string number(double v) { return std::isfinite(v) ? fmt::format("{:.4g}", v) : ""; }
std::string number(const std::optional<double>& v) { return v ? number(*v) : ""; }

/// "12", or the range where variants differ; empty if none has this limit.
std::string range_text(const Comparison& c, std::optional<double> (*limit)(const Limits&)) {
  double lo = 0, hi = 0;
  bool any = false;
  for (const VariantRun& run : c.runs) {
    const std::optional<double> v = run.limits ? limit(*run.limits) : std::nullopt;
    if (!v) continue;
    lo = any ? std::min(lo, *v) : *v;
    hi = any ? std::max(hi, *v) : *v;
    any = true;
  }
  if (!any) return "";
  return lo == hi ? fmt::format("{:.3g}", lo) : fmt::format("{:.3g} to {:.3g}", lo, hi);
}

std::vector<std::string> header_of(const Comparison& c) {
  const std::string speed =
      range_text(c, [](const Limits& l) { return std::optional(l.max_speed); });
  const std::string gain = range_text(c, [](const Limits& l) { return l.max_energy_gain; });
  std::vector<std::string> lines = {
      fmt::format("Variants of {}, Hydrolith {}", c.scene, version()),
      "Stable: every number finite, and nothing beyond",
      fmt::format("  void fraction {:g} (--max-void)", c.criteria.max_void),
      fmt::format("  speed {} m/s (--max-speed{})", speed,
                  c.criteria.max_speed ? "" : "; default 3 (v0 + sqrt(2 g H))"),
      gain.empty() ? "  (energy is not judged: it comes from outside, or there is no gravity; "
                     "--max-energy-gain)"
                   : fmt::format("  energy gain {} of M g H (--max-energy-gain)", gain),
      fmt::format("  overlap of bodies {:g} spacings (--max-overlap)", c.criteria.max_overlap),
      c.criteria.allow_retries ? "  steps taken back and halved are allowed (--allow-retries)"
                               : "  no step taken back and halved (--allow-retries allows it)"};
  if (c.searched) lines.push_back("Each at the largest fixed time step at which it was stable");
  if (c.interrupted) lines.push_back("Interrupted: what is missing was not run");
  return lines;
}

/// Column and cell of a verdict, which reads "METRIC WHEN: VALUE, expected ...".
std::pair<std::string, std::string> verdict_cell(const Verdict& v) {
  const std::size_t colon = std::min(v.text.find(": "), v.text.size());
  const std::string rest = colon < v.text.size() ? v.text.substr(colon + 2) : "";
  return {"expect " + v.text.substr(0, colon), (v.passed ? "pass: " : "FAIL: ") + rest};
}

/// Names of verdicts over all runs; a name that a scene expects twice gets two columns.
std::vector<std::string> expected_columns(const Comparison& c) {
  std::vector<std::string> columns;
  for (const VariantRun& run : c.runs) {
    std::vector<std::string> left = columns;
    for (const Verdict& v : run.verdicts) {
      const std::string name = verdict_cell(v).first;
      const auto found = std::find(left.begin(), left.end(), name);
      if (found == left.end())
        columns.push_back(name);
      else
        left.erase(found);
    }
  }
  return columns;
}

std::vector<std::string> numbers_of(const VariantRun& r) {
  if (r.outcome == Outcome::refused || r.steps == 0) {
    std::vector<std::string> none(13);
    none[0] = number(r.time);
    return none;
  }
  const auto n = static_cast<double>(r.steps);
  return {number(r.time),
          number(r.processor_per_second()),
          fmt::format("{}", r.steps),
          number(static_cast<double>(r.iterations) / n),
          fmt::format("{}", r.most_iterations),
          fmt::format("{}", r.unconverged),
          fmt::format("{}", r.retries),
          number(r.volume_error_sum / n),
          number(r.volume_error_max),
          number(r.void_max),
          number(r.overlap_max),
          number(r.speed_max),
          number(r.energy_gain)};
}

const std::vector<std::string> number_columns = {"time [s]",
                                                 "processor s per simulated s",
                                                 "steps",
                                                 "mean iterations",
                                                 "most iterations",
                                                 "unconverged steps",
                                                 "retries",
                                                 "mean volume_error",
                                                 "largest volume_error",
                                                 "largest void_fraction",
                                                 "largest overlap [spacings]",
                                                 "largest speed [m/s]",
                                                 "energy gain"};

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// "unstable", why, and when.
std::vector<std::string> judgement(const VariantRun& r) {
  const bool unstable = r.outcome == Outcome::unstable;
  return {std::string(name_of(r.outcome)), r.reason, unstable ? number(r.time) : ""};
}

/// The slowest of the variants that have a stable step, in processor time per simulated second.
double slowest(const Comparison& c) {
  double most = 0;
  for (std::size_t k = 0; k < c.runs.size(); ++k)
    if (c.runs[k].outcome == Outcome::stable)
      most = std::max(most, c.runs[k].processor_per_second());
  return most;
}

std::vector<std::string> verdict_cells(const VariantRun& run,
                                       const std::vector<std::string>& expected) {
  std::vector<std::string> cells(expected.size());
  for (const Verdict& v : run.verdicts) {
    const auto [name, cell] = verdict_cell(v);
    for (std::size_t k = 0; k < cells.size(); ++k)
      if (expected[k] == name && cells[k].empty()) {
        cells[k] = cell;
        break;
      }
  }
  return cells;
}

}  // namespace

CompareTable compare_table(const Comparison& c) {
  CompareTable table{header_of(c), {"variant"}, {}};
  for (const Variation& v : c.variations) table.columns.push_back(v.path);
  append(table.columns, {"outcome", "reason", "unstable at [s]"});
  if (c.searched) append(table.columns, {"largest stable step [s]", "gain"});
  append(table.columns, number_columns);
  const std::vector<std::string> expected = expected_columns(c);
  append(table.columns, expected);
  table.columns.push_back("notes");
  const double most = slowest(c);
  for (std::size_t k = 0; k < c.runs.size(); ++k) {
    const VariantRun& run = c.runs[k];
    std::vector<std::string> row = {fmt::format("{}", k + 1)};
    append(row, c.variants[k]);
    append(row, judgement(run));
    if (c.searched) {
      const double cost = run.outcome == Outcome::stable ? run.processor_per_second() : 0;
      append(row, {number(c.steps[k]), cost > 0 ? fmt::format("{:.3g}", most / cost) : ""});
    }
    append(row, numbers_of(run));
    append(row, verdict_cells(run, expected));
    row.push_back(fmt::format("{}", fmt::join(run.notes, "; ")));
    table.rows.push_back(std::move(row));
  }
  return table;
}

CompareTable tries_table(const Comparison& c) {
  CompareTable table{header_of(c), {"variant"}, {}};
  for (const Variation& v : c.variations) table.columns.push_back(v.path);
  append(table.columns, {"step [s]", "outcome", "reason", "unstable at [s]"});
  append(table.columns, number_columns);
  for (const StepTry& t : c.tries) {
    std::vector<std::string> row = {fmt::format("{}", t.variant + 1)};
    append(row, c.variants[t.variant]);
    row.push_back(number(t.step));
    append(row, judgement(t.run));
    append(row, numbers_of(t.run));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string to_csv(const CompareTable& table) {
  std::string out;
  for (const std::string& line : table.header) out += "# " + line + "\n";
  const auto add = [&](const std::vector<std::string>& cells) {
    for (std::size_t k = 0; k < cells.size(); ++k) out += (k == 0 ? "" : ",") + csv_cell(cells[k]);
    out += "\n";
  };
  add(table.columns);
  for (const auto& row : table.rows) add(row);
  return out;
}

std::string to_markdown(const CompareTable& table) {
  const auto escaped = [](const std::string& cell) {
    std::string out;
    for (const char c : cell) {
      if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '`' || c == '[' || c == ']')
        out += '\\';
      if (c == '<')
        out += "&lt;";
      else
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
  };
  std::string out;
  for (const std::string& line : table.header)
    out += (line.starts_with("  ") ? "- " + escaped(line.substr(2)) : escaped(line) + "\n") + "\n";
  out += "\n";
  const auto add = [&](const std::vector<std::string>& cells) {
    out += "|";
    for (const std::string& cell : cells) out += " " + escaped(cell) + " |";
    out += "\n";
  };
  add(table.columns);
  out += "|";
  for (std::size_t k = 0; k < table.columns.size(); ++k) out += "---|";
  out += "\n";
  for (const auto& row : table.rows) add(row);
  return out;
}

}  // namespace hydrolith
