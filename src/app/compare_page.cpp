// The page of a comparison: one HTML file that needs nothing else.

#include "app/compare.h"
#include "core/check.h"
#include "output/svg_chart.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr std::size_t most_points = 400;  // of a line

constexpr const char* style = R"(
:root { color-scheme: light dark; --page: #fcfcfb; --ink: #1c1c1a; --soft: #64635f; --rule: #deddd8;
  --c0: #2a78d6; --c1: #1b9e6f; --c2: #c98500; --c3: #d94a48; --c4: #4a3aa7; --c5: #d0608f;
  --c6: #cf5a24; --c7: #5d6b75; --good: #14763c; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #1a1a19; --ink: #f2f1ec; --soft: #a9a8a2;
  --rule: #3a3a37; --c0: #5a9ff0; --c1: #35b98a; --c2: #dda02c; --c3: #ee7371; --c4: #9c8cf2;
  --c5: #e58bb1; --c6: #ee8555; --c7: #98a6b0; --good: #58c282; --bad: #f2877f; } }
body { background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif;
  margin: 2rem auto; max-width: 1360px; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 0 0 .4rem; }
pre { color: var(--soft); font: inherit; white-space: pre-wrap; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; }
th, td { border-bottom: 1px solid var(--rule); padding: .3rem .6rem; text-align: left;
  vertical-align: top; min-width: 3rem; max-width: 24rem; }
th { color: var(--soft); font-weight: 600; } td { font-variant-numeric: tabular-nums; }
.good { color: var(--good); } .bad { color: var(--bad); }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: .6rem 0;
  position: sticky; top: 0; background: var(--page); }
.legend svg { width: 26px; height: 8px; vertical-align: middle; margin-right: .4rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
  gap: 1.6rem; }
figure { margin: 0; } svg { width: 100%; height: auto; overflow: visible; }
svg text { fill: var(--soft); font-size: 12px; } .grid { stroke: var(--rule); }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); } .s2 { stroke: var(--c2); }
.s3 { stroke: var(--c3); } .s4 { stroke: var(--c4); } .s5 { stroke: var(--c5); }
.s6 { stroke: var(--c6); } .s7 { stroke: var(--c7); } .bar { stroke: none; }
.bar.s0 { fill: var(--c0); } .bar.s1 { fill: var(--c1); } .bar.s2 { fill: var(--c2); }
.bar.s3 { fill: var(--c3); } .bar.s4 { fill: var(--c4); } .bar.s5 { fill: var(--c5); }
.bar.s6 { fill: var(--c6); } .bar.s7 { fill: var(--c7); }
)";

std::string cell(const std::string& text) {
  const bool good = text == "stable" || text.starts_with("pass: ");
  const bool bad = text == "unstable" || text == "refused" || text.starts_with("FAIL: ");
  return fmt::format("<td{}>{}</td>",
                     good  ? " class=\"good\""
                     : bad ? " class=\"bad\""
                           : "",
                     xml_escape(text));
}

std::string html_table(const CompareTable& table) {
  std::string out = "<div class=\"table\"><table>\n<tr>";
  for (const std::string& name : table.columns) out += "<th>" + xml_escape(name) + "</th>";
  out += "</tr>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const std::string& text : row) out += cell(text);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

int column(const VariantRun& run, const std::string& name) {
  const auto found = std::find(run.columns.begin(), run.columns.end(), name);
  return found == run.columns.end() ? -1 : static_cast<int>(found - run.columns.begin());
}

/// A line for every variant, also for those that have none: colours belong to variants.
std::vector<ChartSeries> lines_of(const Comparison& c, const std::string& metric) {
  std::vector<ChartSeries> lines;
  for (std::size_t k = 0; k < c.runs.size(); ++k) {
    const VariantRun& run = c.runs[k];
    ChartSeries line{c.label(k), {}, {}};
    const int t = column(run, "time"), m = column(run, metric);
    for (const std::vector<double>& row : run.rows) {
      if (t < 0 || m < 0) break;
      line.x.push_back(row[t]);
      line.y.push_back(row[m]);
    }
    lines.push_back(thinned(line, most_points));
  }
  return lines;
}

/// The usual ones, then all that the scene expects something of.
std::vector<std::string> plotted_metrics(const Comparison& c) {
  std::vector<std::string> metrics = {"total_energy", "max_speed", "void_fraction", "iterations",
                                      "volume_error"};
  for (const VariantRun& run : c.runs)
    for (const Verdict& v : run.verdicts) {
      const std::string name = v.text.substr(0, v.text.find(' '));
      if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
    }
  return metrics;
}

std::string figure(const std::string& title, const std::string& svg) {
  return fmt::format("<figure><h2>{}</h2>\n{}</figure>\n", xml_escape(title), svg);
}

std::string legend(const Comparison& c) {
  std::string out = "<ul class=\"legend\">\n";
  for (std::size_t k = 0; k < c.runs.size(); ++k)
    out += fmt::format(
        "<li><svg viewBox=\"0 0 26 8\"><path class=\"line s{}\" d=\"M0 4L26 4\"/></svg>{}</li>\n",
        k % 8, xml_escape(fmt::format("{}: {}", k + 1, c.label(k))));
  return out + "</ul>\n";
}

std::string bars(const Comparison& c) {
  std::vector<ChartBar> steps, costs;
  for (std::size_t k = 0; k < c.runs.size(); ++k) {
    const std::string name = fmt::format("{}: {}", k + 1, c.label(k));
    const double cost = c.runs[k].processor_per_second();
    const bool stable = c.runs[k].outcome == Outcome::stable;
    const std::string none(name_of(c.runs[k].outcome));
    if (c.searched)
      steps.push_back({name, c.steps[k] ? fmt::format("{:.4g} ms", 1e3 * *c.steps[k]) : "none",
                       c.steps[k].value_or(0)});
    costs.push_back({name, stable ? fmt::format("{:.4g}", cost) : none, stable ? cost : 0});
  }
  std::string out;
  if (c.searched) out += figure("Largest stable time step (logarithmic)", bar_chart(steps, true));
  return out + figure("Processor seconds per simulated second", bar_chart(costs, false));
}

}  // namespace

std::string compare_page(const Comparison& c) {
  const CompareTable table = compare_table(c);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}: variants</title>\n<style>{1}</style></head><body>\n<h1>{0}: variants</h1>\n",
      xml_escape(c.scene), style);
  out += "<pre>";
  for (const std::string& line : table.header) out += xml_escape(line) + "\n";
  out += "</pre>\n" + html_table(table) + legend(c) + "<div class=\"charts\">\n" + bars(c);
  for (const std::string& metric : plotted_metrics(c))
    out += figure(metric, line_chart("time [s]", lines_of(c, metric)));
  return out + "</div>\n</body></html>\n";
}

}  // namespace hydrolith
