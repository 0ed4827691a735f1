#include "app/compare.h"

#include "commands.h"
#include "core/check.h"
#include "core/expression.h"
#include "interrupt.h"
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace hydrolith::command {

namespace fs = std::filesystem;

namespace {

fs::path free_folder(const fs::path& scene) {
  const std::string name = scene.stem().string();
  fs::path folder = fs::path("compare") / name;
  for (int n = 2; fs::exists(folder); ++n)
    folder = fs::path("compare") / fmt::format("{}-{}", name, n);
  return folder;
}

double seconds(const std::string& text) {
  try {
    return Expression::parse(text, "s", {}, {})({});
  } catch (const ExpressionError& e) {
    throw Error(fmt::format("--largest-stable-step: \"{}\" is no time: {}", text, e.what()));
  }
}

/// "0.02ms:20ms"
CompareOptions::Search search_range(const CompareChoices& c) {
  CompareOptions::Search search;
  search.factor = c.resolution;
  if (c.search_range.empty()) return search;
  const std::size_t colon = c.search_range.find(':');
  require(colon != std::string::npos,
          "--largest-stable-step={}: expected MIN:MAX, such as 0.02ms:20ms", c.search_range);
  search.min = seconds(c.search_range.substr(0, colon));
  search.max = seconds(c.search_range.substr(colon + 1));
  return search;
}

void print_summary(const Comparison& c, const fs::path& folder) {
  for (std::size_t k = 0; k < c.runs.size(); ++k) {
    const VariantRun& r = c.runs[k];
    fmt::print("  {}: {}: {}", k + 1, c.label(k), name_of(r.outcome));
    if (!r.reason.empty()) fmt::print(": {}", r.reason);
    if (r.outcome == Outcome::unstable) fmt::print(" (t = {:.4g} s)", r.time);
    if (r.outcome == Outcome::stable) {
      if (c.searched) fmt::print(", largest step {:.4g} ms", 1e3 * c.steps[k].value_or(0));
      fmt::print(", {:.4g} processor s per simulated s", r.processor_per_second());
      const auto failed = std::count_if(r.verdicts.begin(), r.verdicts.end(),
                                        [](const Verdict& v) { return !v.passed; });
      if (!r.verdicts.empty())
        fmt::print(", {} of {} expectations met",
                   r.verdicts.size() - static_cast<std::size_t>(failed), r.verdicts.size());
    }
    fmt::print("\n");
  }
  fmt::print("Table: {}    Page: {}\n", (folder / "table.md").string(),
             (folder / "compare.html").string());
}

}  // namespace

int compare(const CompareChoices& c) {
  set_threads(c.threads);
  CompareOptions options;
  options.scene = find_scene(c.scene.scene);
  options.overrides = c.scene.overrides;
  for (const std::string& text : c.vary) options.variations.push_back(parse_variation(text));
  options.criteria = {.max_void = c.max_void,
                      .max_speed = c.max_speed,
                      .max_energy_gain = c.max_energy_gain,
                      .max_overlap = c.max_overlap,
                      .allow_retries = c.allow_retries};
  if (c.search) options.search = search_range(c);
  const fs::path folder = c.output.empty() ? free_folder(options.scene) : fs::path(c.output);
  if (fs::exists(folder / "table.csv"))
    throw IoError(fmt::format(
        "{} already holds a comparison. Choose another folder with --output, or remove it",
        folder.string()));
  options.stop = &stop_on_interrupt();
  ProgressLine line(c.quiet);
  options.progress = [&](const std::string& label, double share) {
    line.show(fmt::format("{}  {:3.0f} %", label, 100 * std::min(1.0, share)), share);
  };
  const Comparison result = hydrolith::compare(options);
  line.finish();
  write_comparison(result, folder);
  if (!c.quiet) print_summary(result, folder);
  if (result.interrupted) return interrupted;
  const bool all_refused =
      std::all_of(result.runs.begin(), result.runs.end(),
                  [](const VariantRun& r) { return r.outcome == Outcome::refused; });
  return all_refused ? bad_scene : ok;
}

}  // namespace hydrolith::command
