#include "core/cubic_spline.h"
#include "sampling/surface.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace hydrolith;

TEST_CASE("a ring of equal distances is perfectly even") {
  std::vector<Vec3> ring;
  const int n = 40;
  for (int i = 0; i < n; ++i) {
    const double a = 2 * std::numbers::pi * i / n;
    ring.emplace_back(std::cos(a), std::sin(a), 0);
  }
  const double chord = 2 * std::sin(std::numbers::pi / n);
  for (const int dimensions : {2, 3}) {
    const Evenness e = evenness(ring, chord, dimensions);
    CHECK(e.volume_spread < 1e-12);
    CHECK(e.nearest_min == doctest::Approx(1));
    CHECK(e.nearest_max == doctest::Approx(1));
    CHECK(e.volume_min == doctest::Approx(1));
  }
}

TEST_CASE("rest volumes follow eq. 3.2: two neighbours at distance h") {
  // Three points in a row: the middle one sees W(0) + 2 W(h), the outer ones W(0) + W(h).
  const double h = 0.1, W0 = CubicSpline{h, 3}.value(0), W1 = CubicSpline{h, 3}.value(h);
  const Evenness e = evenness({{0, 0, 0}, {h, 0, 0}, {2 * h, 0, 0}}, h);
  const double middle = 1 / (W0 + 2 * W1), outer = 1 / (W0 + W1), mean = (middle + 2 * outer) / 3;
  CHECK(e.volume_min == doctest::Approx(middle / mean));
  CHECK(e.volume_max == doctest::Approx(outer / mean));
}

TEST_CASE("nothing and one point have no neighbours to report") {
  CHECK(evenness({}, 0.1).nearest_max == 0);
  CHECK(evenness({Vec3::Zero()}, 0.1).volume_spread == 0);
  CHECK(evenness({Vec3::Zero()}, 0.1).nearest_max == 0);
}
