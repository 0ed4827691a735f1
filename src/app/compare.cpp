#include "app/compare.h"

#include "core/check.h"
#include "output/files.h"
#include "output/metrics.h"
#include "output/run_folder.h"
#include "scene/scene.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

Variation parse_variation(std::string_view text) {
  const std::size_t equals = text.find('=');
  require(equals != std::string_view::npos && equals > 0 && equals + 1 < text.size(),
          "--vary {}: expected PATH=VALUE,VALUE, such as solver.method=automatic,nncg", text);
  Variation v{std::string(text.substr(0, equals)), {""}};
  int depth = 0;
  char quote = 0;
  for (const char c : text.substr(equals + 1)) {
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '[' || c == '{' || c == '(')
      ++depth;
    else if (c == ']' || c == '}' || c == ')')
      --depth;
    if (c == ',' && depth <= 0 && quote == 0)
      v.values.emplace_back();
    else
      v.values.back() += c;
  }
  for (const std::string& value : v.values)
    require(!value.empty(), "--vary {}: a value is empty; write PATH=A,B without blanks", text);
  return v;
}

std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const Variation& v : variations) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& before : all)
      for (const std::string& value : v.values) {
        longer.push_back(before);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::stable:
      return "stable";
    case Outcome::unstable:
      return "unstable";
    case Outcome::refused:
      return "refused";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "";
}

std::string Comparison::label(std::size_t variant) const {
  std::string text;
  for (std::size_t k = 0; k < variations.size(); ++k)
    text += fmt::format("{}{}={}", k == 0 ? "" : ", ", variations[k].path, variants[variant][k]);
  return text.empty() ? "as it is" : text;
}

std::optional<double> largest_stable_step(const CompareOptions::Search& range, double start,
                                          const std::function<bool(double)>& stable) {
  const auto step = [&](int k) { return start * std::pow(range.factor, k); };
  constexpr double rounding = 1e-9;
  const double log_factor = std::log(range.factor);
  const int lowest =
      static_cast<int>(std::ceil(std::log(range.min / start) / log_factor - rounding));
  const int highest =
      static_cast<int>(std::floor(std::log(range.max / start) / log_factor + rounding));
  if (lowest > highest) return std::nullopt;
  int good = std::clamp(0, lowest, highest);
  if (!stable(step(good))) {
    // Unstable runs end early: one by one costs little, while a step too small costs much.
    for (--good; good >= lowest; --good)
      if (stable(step(good))) return step(good);
    return std::nullopt;
  }
  int bad = highest + 1;
  for (int stride = 1; good < highest && bad > highest; stride *= 2) {
    const int next = std::min(good + stride, highest);
    (stable(step(next)) ? good : bad) = next;
  }
  while (bad - good > 1) {
    const int middle = (good + bad) / 2;
    (stable(step(middle)) ? good : bad) = middle;
  }
  return step(good);
}

namespace {

/// The step of the scene to start a search from; nothing if the scene is refused.
std::optional<double> first_step(const CompareOptions& options,
                                 const std::vector<std::string>& overrides) {
  try {
    return longest_step(SceneFile::load(options.scene, overrides).scene());
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The variant's run at its largest stable step, or the last that was tried if there is none.
VariantRun search_step(const CompareOptions& options, const std::vector<std::string>& overrides,
                       const std::string& label, Comparison& c) {
  const std::size_t variant = c.runs.size();
  VariantRun best, last;
  const auto stable = [&](double dt) {
    if (last.outcome == Outcome::interrupted || last.outcome == Outcome::refused) return false;
    std::vector<std::string> with_step = overrides;
    with_step.push_back(fmt::format("time_step={} s", dt));
    last = run_variant(options, with_step, fmt::format("{}, step {:.4g} ms", label, 1e3 * dt));
    c.tries.push_back({variant, dt, last});
    c.tries.back().run.rows.clear();
    if (last.outcome == Outcome::stable) best = last;
    return last.outcome == Outcome::stable;
  };
  const std::optional<double> start = first_step(options, overrides);
  if (!start) {
    c.steps.push_back(std::nullopt);
    return run_variant(options, overrides, label);  // says why
  }
  const std::optional<double> found = largest_stable_step(*options.search, *start, stable);
  c.steps.push_back(found);
  if (c.tries.empty() || c.tries.back().variant != variant) {
    last.outcome = Outcome::refused;
    last.reason = "no step of the grid lies in the range of the search";
  }
  const bool whole = found && last.outcome != Outcome::interrupted;
  return whole ? best : last;
}

}  // namespace

Comparison compare(const CompareOptions& options) {
  for (const Variation& v : options.variations)
    require(!options.search || v.path.rfind("time_step", 0) != 0,
            "--vary {}: the search for the largest stable step sets the time step itself", v.path);
  if (options.search)
    require(options.search->min > 0 && options.search->min <= options.search->max &&
                options.search->factor > 1.001,
            "the search needs 0 < MIN <= MAX and a resolution above 1.001");
  Comparison c{.scene = options.scene.stem().string(),
               .variations = options.variations,
               .variants = combinations(options.variations),
               .runs = {},
               .steps = {},
               .tries = {},
               .criteria = options.criteria,
               .searched = options.search.has_value()};
  for (std::size_t k = 0; k < c.variants.size() && !c.interrupted; ++k) {
    std::vector<std::string> overrides = options.overrides;
    for (std::size_t i = 0; i < c.variations.size(); ++i)
      overrides.push_back(c.variations[i].path + "=" + c.variants[k][i]);
    const std::string label = fmt::format("[{}/{}] {}", k + 1, c.variants.size(), c.label(k));
    VariantRun run = options.search ? search_step(options, overrides, label, c)
                                    : run_variant(options, overrides, label);
    c.interrupted = run.outcome == Outcome::interrupted;
    c.runs.push_back(std::move(run));
  }
  return c;
}

void write_comparison(const Comparison& c, const std::filesystem::path& folder) {
  make_folder(folder / "metrics");
  for (std::size_t k = 0; k < c.runs.size(); ++k) {
    if (c.runs[k].columns.empty()) continue;
    MetricsWriter writer(folder / "metrics" / fmt::format("{:02}.csv", k + 1), c.runs[k].columns);
    for (const auto& row : c.runs[k].rows) writer.write(row);
    writer.flush();
  }
  const CompareTable table = compare_table(c);
  write_file_atomically(folder / "table.csv", to_csv(table));
  write_file_atomically(folder / "table.md", to_markdown(table));
  if (c.searched) write_file_atomically(folder / "tries.csv", to_csv(tries_table(c)));
  write_file_atomically(folder / "compare.html", compare_page(c));
}

}  // namespace hydrolith
