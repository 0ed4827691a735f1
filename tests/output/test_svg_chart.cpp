#include "output/svg_chart.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace hydrolith;

namespace {

constexpr double hole = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("thinning keeps the peaks and the order") {
  ChartSeries s{"s", {}, {}};
  for (int i = 0; i < 10000; ++i) {
    s.x.push_back(i);
    s.y.push_back(i == 7777 ? 100 : std::sin(0.01 * i));
  }
  const ChartSeries t = thinned(s, 400);
  CHECK(t.x.size() <= 400);
  CHECK(*std::max_element(t.y.begin(), t.y.end()) == 100);
  CHECK(std::is_sorted(t.x.begin(), t.x.end()));
  CHECK(thinned(t, 400).x == t.x);
}

TEST_CASE("a chart has no number that is none, whatever it is given") {
  const std::vector<ChartSeries> series[] = {
      {},
      {{"none", {}, {}}},
      {{"flat", {0, 1}, {0, 0}}, {"one", {0}, {3}}},
      {{"holes", {0, 1, 2, 3}, {1, hole, inf, 2}}, {"all", {0, 1}, {hole, hole}}},
      {{"huge", {0, 1}, {-1e300, 1e300}}, {"tiny", {0, 1e-300}, {1e-300, 2e-300}}}};
  for (const auto& s : series) {
    const std::string svg = line_chart("time", s);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK(svg.rfind("</svg>\n") == svg.size() - 7);
  }
}

TEST_CASE("a hole interrupts a line") {
  const std::string svg = line_chart("t", {{"s", {0, 1, 2, 3, 4}, {1, 2, hole, 3, 4}}});
  CHECK(std::count(svg.begin(), svg.end(), 'M') == 2);
}

TEST_CASE("bars are drawn for what is above zero") {
  for (bool logarithmic : {false, true}) {
    const std::string svg = bar_chart(
        {{"a", "1 ms", 1e-3}, {"b", "none", 0}, {"c", "?", hole}, {"d", "", 2e-3}}, logarithmic);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("width=\"0.0\"") != std::string::npos);
  }
  CHECK(bar_chart({}, true).find("</svg>") != std::string::npos);
}

TEST_CASE("names cannot break out of a chart") {
  const std::string svg = line_chart("<x>", {{"\"><script>&", {0, 1}, {0, 1}}});
  CHECK(svg.find("<script>") == std::string::npos);
  CHECK(svg.find("&quot;&gt;&lt;script&gt;&amp;") != std::string::npos);
  CHECK(xml_escape("a\x01\n'") == "a  &#39;");
}
