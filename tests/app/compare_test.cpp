#include "app/compare.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace hydrolith;

namespace {

using Values = std::vector<std::string>;

/// Limits that a report of zeros keeps.
Limits limits() {
  return {.max_void = 0.2,
          .max_speed = 10,
          .max_energy_gain = 0.05,
          .max_overlap = 0.5,
          .energy_scale = 100,
          .spacing = 0.1};
}

/// The steps that a search tries, and what it finds, if all up to `largest` are stable.
struct Searched {
  std::vector<double> tried;
  std::optional<double> found;
};
Searched search(double start, double largest, CompareOptions::Search range) {
  Searched s;
  s.found = largest_stable_step(range, start, [&](double dt) {
    s.tried.push_back(dt);
    return dt <= largest;
  });
  return s;
}

Comparison example() {
  VariantRun good, bad, refused;
  good.time = 2;
  good.processor = 3;
  good.steps = 4;
  good.iterations = 10;
  good.columns = {"time", "total_energy"};
  good.rows = {{0, 1}, {1, 0.5}, {2, std::numeric_limits<double>::quiet_NaN()}};
  good.verdicts = {{"ball.position.y at the end: 1, expected 1 +- 0.1", true},
                   {"ball.position.y at the end: 1, expected at most 0", false}};
  bad.outcome = Outcome::unstable;
  bad.reason = "a \"speed\" | of <b>9</b> m/s, more than 3\nby far";
  bad.time = 0.5;
  bad.steps = 1;
  refused.outcome = Outcome::refused;
  refused.reason = "unknown key";
  return {.scene = "dam & weir",
          .variations = {{"solver.method", {"nncg", "[1, 2]", "<i>"}}},
          .variants = {{"nncg"}, {"[1, 2]"}, {"<i>"}},
          .runs = {good, bad, refused}};
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("values of a variation are split at commas outside brackets and quotes") {
  const Variation v = parse_variation("gravity=[0, -9.81, 0],{a: 1, b: 2},\"x,y\",max(1,2)");
  CHECK(v.path == "gravity");
  CHECK(v.values == Values{"[0, -9.81, 0]", "{a: 1, b: 2}", "\"x,y\"", "max(1,2)"});
  for (const char* wrong : {"", "spacing", "=1", "spacing=", "spacing=1,,2", "spacing=1,"})
    CHECK_THROWS_AS(parse_variation(wrong), Error);
}

TEST_CASE("combinations are the cartesian product, the last variation fastest") {
  CHECK(combinations({}) == std::vector<Values>{{}});
  CHECK(
      combinations({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}}) ==
      std::vector<Values>{{"1", "x"}, {"1", "y"}, {"1", "z"}, {"2", "x"}, {"2", "y"}, {"2", "z"}});
}

TEST_CASE("every criterion fires by itself, and at its limit none does") {
  const StepReport calm{.volume_error = 0, .overlap = 0.05, .void_fraction = 0.2, .max_speed = 10};
  CHECK(fault_of(limits(), calm, 0.05) == "");
  const auto reason = [&](auto change) {
    StepReport r;
    change(r);
    return fault_of(limits(), r, 0);
  };
  CHECK(reason([](StepReport& r) { r.void_fraction = 0.21; }) ==
        "void fraction 0.21, more than 0.2");
  CHECK(reason([](StepReport& r) { r.max_speed = 10.5; }) == "speed 10.5 m/s, more than 10");
  CHECK(reason([](StepReport& r) { r.overlap = 0.06; }) ==
        "overlap of 0.6 spacings, more than 0.5");
  CHECK(reason([](StepReport& r) { r.retries = 1; }) == "a step was taken back and halved 1 time");
  CHECK(reason([](StepReport& r) { r.kinetic_energy = std::nan(""); }) == "not a finite number");
  CHECK(reason([](StepReport& r) { r.max_speed = 1.0 / 0.0; }) == "not a finite number");
  CHECK(fault_of(limits(), {}, 0.06) == "energy gain 0.06, more than 0.05");
}

TEST_CASE("retries can be allowed, and energy is not judged without a limit") {
  Limits l = limits();
  l.allow_retries = true;
  l.max_energy_gain.reset();
  CHECK(fault_of(l, {.retries = 3}, 9) == "");
}

TEST_CASE("the search finds the largest stable step of its grid, from below and from above") {
  const CompareOptions::Search range{.min = 1e-5, .max = 2e-2, .factor = 2};
  for (double largest : {1e-3, 2.5e-3, 4e-3, 1.7e-2, 9e-4, 1e-4}) {
    CAPTURE(largest);
    const Searched s = search(1e-3, largest, range);
    REQUIRE(s.found);
    CHECK(*s.found <= largest);
    CHECK(*s.found * 2 > std::min(largest, 1e-2));  // the next of the grid is unstable or too large
    CHECK(s.tried.front() == 1e-3);
    CHECK(std::count(s.tried.begin(), s.tried.end(), *s.found) == 1);  // it was tried, and once
    for (double dt : s.tried) CHECK((dt >= range.min && dt <= range.max));
  }
}

TEST_CASE("a search ends at the bounds of its range") {
  const CompareOptions::Search range{.min = 2e-4, .max = 4e-3, .factor = 2};
  CHECK(search(1e-3, 1, range).found == 4e-3);                    // all are stable: the largest
  CHECK_FALSE(search(1e-3, 1e-9, range).found);                   // none is
  CHECK(search(1e-3, 1e-9, range).tried.back() == 2.5e-4);        // and no step below MIN was tried
  CHECK(search(0.1, 1, range).found == 0.1 * std::pow(2.0, -5));  // the scene's own is too large
  CHECK_FALSE(search(1e-3, 1, {.min = 1.1e-3, .max = 1.2e-3, .factor = 2}).found);
}

TEST_CASE("a step is called stable only if it was itself: stability need not be monotone") {
  const CompareOptions::Search range{.min = 1e-3, .max = 1, .factor = 2};
  const auto found = largest_stable_step(
      range, 1e-3, [](double dt) { return dt < 3e-3 || (dt > 7e-3 && dt < 9e-3); });
  REQUIRE(found);
  CHECK((*found < 3e-3 || (*found > 7e-3 && *found < 9e-3)));
}

TEST_CASE("CSV keeps commas, quotes and line breaks in their cells") {
  const std::string csv = to_csv(compare_table(example()));
  CHECK(csv.find("# Variants of dam & weir") == 0);
  CHECK(csv.find("\n1,nncg,stable,,,2,1.5,4,2.5,") != std::string::npos);
  CHECK(csv.find("\n2,\"[1, 2]\",unstable,\"a \"\"speed\"\" | of <b>9</b> m/s, more than 3\nby "
                 "far\",0.5,") != std::string::npos);
  // What is expected twice of one metric has two columns.
  CHECK(count(csv, "expect ball.position.y at the end") == 2);
  CHECK(csv.find("FAIL: 1, expected at most 0") != std::string::npos);
}

TEST_CASE("Markdown has one line a row, and as many cells in each") {
  const std::string md = to_markdown(compare_table(example()));
  int rows = 0;
  const std::size_t columns = compare_table(example()).columns.size();
  for (std::size_t at = 0, end; (end = md.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = md.substr(at, end - at);
    if (line.empty() || line[0] != '|') continue;
    ++rows;
    CHECK(count(line, "|") - count(line, "\\|") == static_cast<int>(columns) + 1);
  }
  CHECK(rows == 2 + 3);
  CHECK(md.find("<b>") == std::string::npos);
}

TEST_CASE("the page shows every variant, needs nothing from elsewhere and lets no markup through") {
  Comparison c = example();
  c.searched = true;
  c.steps = {1e-3, std::nullopt, std::nullopt};
  const std::string page = compare_page(c);
  CHECK(page.find("dam &amp; weir") != std::string::npos);
  CHECK(page.find("&lt;b&gt;9&lt;/b&gt;") != std::string::npos);
  for (const char* part : {"<b>", "<i>", "<script", "href=", "src=", "url("}) {
    CAPTURE(part);
    CHECK(page.find(part) == std::string::npos);
  }
  CHECK(page.find("Largest stable time step") != std::string::npos);
  CHECK(page.find("<h2>ball.position.y</h2>") != std::string::npos);
  CHECK(count(page, "<svg") == count(page, "</svg>"));
}

TEST_CASE("the gain is against the slowest variant that is stable") {
  Comparison c = example();
  c.runs[1] = c.runs[0];
  c.runs[1].processor = 12;
  c.searched = true;
  c.steps = {1e-3, 2e-3, std::nullopt};
  const CompareTable table = compare_table(c);
  const auto gain = std::find(table.columns.begin(), table.columns.end(), "gain");
  REQUIRE(gain != table.columns.end());
  const auto k = gain - table.columns.begin();
  CHECK(table.rows[0][k] == "4");
  CHECK(table.rows[1][k] == "1");
  CHECK(table.rows[2][k] == "");
}
