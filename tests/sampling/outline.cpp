#include "about.h"
#include "sampling/surface.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace hydrolith;

namespace {

std::vector<Vec2> rectangle(double width, double height) {
  const double x = width / 2, y = height / 2;
  return {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
}

std::vector<Vec2> circle(double radius, int corners) {
  std::vector<Vec2> loop;
  for (int i = 0; i < corners; ++i) {
    const double a = 2 * std::numbers::pi * i / corners;
    loop.emplace_back(radius * std::cos(a), radius * std::sin(a));
  }
  return loop;
}

Box3 bounds_of(const std::vector<Vec3>& points) {
  Box3 box;
  for (const Vec3& x : points) box.include(x);
  return box;
}

void check_bounds(const std::vector<Vec3>& points, double h) {
  const Evenness e = evenness(points, h, 2);
  CHECK(e.nearest_min >= 0.8 * (1 - 1e-6));
  CHECK(e.nearest_max <= 1.2 * (1 + 1e-6));
}

}  // namespace

TEST_CASE("outlines are sampled evenly at corners and between them") {
  const double h = 0.1;
  const Polygons square{{rectangle(1, 0.8)}};
  const SurfaceSamples on = sample_outline(square, {.spacing = h});
  CHECK(on.position.size() == 36);
  CHECK(bounds_of(on.position).size().isApprox(Vec3(1, 0.8, 0)));
  check_bounds(on.position, h);
  const SurfaceSamples in = sample_outline(square, {.spacing = h, .inset = h / 2});
  CHECK(in.position.size() == 32);
  CHECK(bounds_of(in.position).size().isApprox(Vec3(0.9, 0.7, 0)));
  check_bounds(in.position, h);
}

TEST_CASE("round outlines and outlines of odd lengths keep the bounds") {
  for (const double h : {0.1, 0.043, 0.021})
    for (const double inset : {0.0, 0.5}) {
      CAPTURE(h);
      CAPTURE(inset);
      const SurfaceSamples round =
          sample_outline({{circle(0.5, 200)}}, {.spacing = h, .inset = inset * h});
      check_bounds(round.position, h);
      CHECK(evenness(round.position, h, 2).volume_spread < 0.02);
      for (const Vec3& x : round.position) CHECK(x.norm() == about(0.5 - inset * h, 0.002));
      check_bounds(
          sample_outline({{rectangle(1.037, 0.713)}}, {.spacing = h, .inset = inset * h}).position,
          h);
    }
}

TEST_CASE("normals of an outline point away from the solid, also in holes") {
  std::vector<Vec2> hole = circle(0.3, 60);
  std::reverse(hole.begin(), hole.end());
  const SurfaceSamples s =
      sample_outline({{rectangle(2, 2), hole}}, {.spacing = 0.1, .inset = 0.05});
  for (std::size_t i = 0; i < s.position.size(); ++i) {
    const bool in_hole = s.position[i].norm() < 0.5;
    CHECK(s.normal[i].dot(s.position[i]) * (in_hole ? -1 : 1) > 0);
    if (in_hole) CHECK(s.position[i].norm() == about(0.35, 0.01));
  }
  check_bounds(s.position, 0.1);
}

TEST_CASE("a thin strip becomes one row of samples in its middle") {
  const SurfaceSamples s =
      sample_outline({{rectangle(1.5, 0.04)}}, {.spacing = 0.1, .inset = 0.05});
  CHECK(bounds_of(s.position).size().y() < 1e-9);
  CHECK(s.position.size() >= 14);
  CHECK(s.position.size() <= 16);
  check_bounds(s.position, 0.1);
}

TEST_CASE("the smallest outline still has a sample") {
  CHECK(sample_outline({{rectangle(0.01, 0.02)}}, {.spacing = 0.1}).position.size() == 1);
  CHECK(sample_outline({}, {.spacing = 0.1}).position.empty());
}
