#include "about.h"
#include "cells/cells.h"
#include "geometry/test_meshes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double round_off = 1e-13;

/// An L of arms 1 wide and 3 long.
Polygons angle_outline() {
  return {{{Vec2(0, 0), Vec2(3, 0), Vec2(3, 1), Vec2(1, 1), Vec2(1, 3), Vec2(0, 3)}}};
}

Polygons random_star(int corners, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> radius(0.5, 1.5);
  Polygons star{{{}}};
  for (int k = 0; k < corners; ++k) {
    const double r = radius(random), angle = 2 * std::acos(-1.0) * k / corners;
    star.loops[0].emplace_back(r * std::cos(angle), r * std::sin(angle));
  }
  return star;
}

}  // namespace

TEST_CASE("the index of an outline agrees with the plain signed distance") {
  const Polygons star = random_star(200, 7);
  const SurfaceIndex index(star);
  CHECK(index.dimensions() == 2);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(-2, 2);
  for (int n = 0; n < 1000; ++n) {
    const Vec3 x(coordinate(random), coordinate(random), 0);
    const double exact = signed_distance(star, x.head<2>());
    SurfaceIndex::Nearest y;
    REQUIRE(index.nearest(x, 4, y));
    CHECK(std::abs(y.distance - exact) < round_off);
    CHECK(std::abs((x - y.point).norm() - std::abs(exact)) < round_off);
    CHECK(y.normal.norm() == about(1, round_off));
    CHECK(index.nearest(x, 0.3, y) == (std::abs(exact) <= 0.3));
  }
}

TEST_CASE("near finds every segment within reach, in ascending order") {
  const Polygons star = random_star(200, 8);
  const SurfaceIndex index(star);
  std::mt19937 random(4);
  std::uniform_real_distribution<double> coordinate(-2, 2);
  std::vector<std::uint32_t> found;
  for (int n = 0; n < 200; ++n) {
    const Vec3 x(coordinate(random), coordinate(random), 0);
    index.near(x, 0.2, found);
    CHECK(std::is_sorted(found.begin(), found.end()));
    for (std::uint32_t e = 0; e < 200; ++e) {
      Vec3 c[2];
      index.corners(e, c);
      const Vec3 lo = c[0].cwiseMin(c[1]), hi = c[0].cwiseMax(c[1]);
      const bool expected = (x - x.cwiseMax(lo).cwiseMin(hi)).norm() <= 0.2;
      const bool listed = std::binary_search(found.begin(), found.end(), e);
      // Boxes are rounded up a little.
      if (expected != listed) CHECK((x - x.cwiseMax(lo).cwiseMin(hi)).norm() == about(0.2, 1e-4));
    }
  }
}

TEST_CASE("segments are counted through the loops and corners have the mean normal") {
  Polygons outline = angle_outline();
  outline.loops.push_back({Vec2(5, 0), Vec2(6, 0), Vec2(5, 1)});
  const SurfaceIndex index(outline);
  Vec3 c[2];
  index.corners(7, c);
  CHECK(c[0] == Vec3(6, 0, 0));
  CHECK(c[1] == Vec3(5, 1, 0));
  SurfaceIndex::Nearest y;
  REQUIRE(index.nearest(Vec3(3.5, -0.2, 0), 2, y));  // at a convex corner
  CHECK(y.point == Vec3(3, 0, 0));
  CHECK((y.normal - Vec3(1, -1, 0).normalized()).norm() < round_off);
  REQUIRE(index.nearest(Vec3(0.9, 0.9, 0), 2, y));  // behind the inner corner
  CHECK(y.point == Vec3(1, 1, 0));
  CHECK(y.distance == about(-0.1 * std::sqrt(2.0), round_off));
}

TEST_CASE("the thickness of an outline ends where the line comes out") {
  const Polygons outline = angle_outline();
  const SurfaceIndex index(outline);
  CHECK(index.thickness(Vec3(2, 0, 0), Vec3(0, 1, 0), 5) == about(1, round_off));
  CHECK(index.thickness(Vec3(0.5, 0, 0), Vec3(0, 1, 0), 5) == about(3, round_off));
  CHECK(index.thickness(Vec3(0.5, 0, 0), Vec3(0, 1, 0), 2.9) == infinity);
  CHECK(index.thickness(Vec3(0.5, 0, 0), Vec3(0, -1, 0), 5) == infinity);
}

TEST_CASE("the index of a mesh has its distance, its triangles and its thickness") {
  const TriangleMesh box = box_mesh(Vec3(2, 1, 4));
  const SurfaceIndex index(box);
  CHECK(index.dimensions() == 3);
  SurfaceIndex::Nearest y;
  REQUIRE(index.nearest(Vec3(1.5, 0.1, 0.2), 1, y));
  CHECK((y.point - Vec3(1, 0.1, 0.2)).norm() < round_off);
  CHECK((y.normal - Vec3(1, 0, 0)).norm() < round_off);
  CHECK(y.distance == about(0.5, round_off));
  CHECK_FALSE(index.nearest(Vec3(1.5, 0.1, 0.2), 0.4, y));
  REQUIRE(index.nearest(Vec3(0.9, 0.1, 0.2), 1, y));
  CHECK(y.distance == about(-0.1, round_off));
  CHECK(index.thickness(y.point, -y.normal, 5) == about(2, round_off));
  CHECK(index.thickness(y.point, -y.normal, 1.9) == infinity);

  std::vector<std::uint32_t> found;
  index.near(Vec3(1.5, 0, 0), 0.6, found);
  CHECK(found.size() == 2);  // the triangles of one side
  for (const std::uint32_t t : found) {
    Vec3 c[3];
    index.corners(t, c);
    CHECK((c[1] - c[0]).cross(c[2] - c[0])[0] > 0);
  }
}

TEST_CASE("an outline without loops is near nothing") {
  const Polygons nothing;
  const SurfaceIndex index(nothing);
  SurfaceIndex::Nearest y;
  std::vector<std::uint32_t> found{1};
  index.near(Vec3(0, 0, 0), 1, found);
  CHECK(found.empty());
  CHECK_FALSE(index.nearest(Vec3(0, 0, 0), 1, y));
  CHECK(index.thickness(Vec3(0, 0, 0), Vec3(1, 0, 0), 1) == infinity);
}
