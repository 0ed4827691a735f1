#include "cells/sharp_edges.h"

#include "geometry/test_meshes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

constexpr double h = 0.02;

Polygons square(double edge) {
  const double a = 0.5 * edge;
  return {{{Vec2(-a, -a), Vec2(0, -a), Vec2(a, -a), Vec2(a, a), Vec2(-a, a)}}};
}

Polygons regular(int corners, double radius) {
  Polygons p{{{}}};
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * k / corners;
    p.loops[0].emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return p;
}

}  // namespace

TEST_CASE("the flow round an edge has no divergence, does not turn and passes no face") {
  for (const int corners : {3, 4, 6}) {
    CAPTURE(corners);
    const std::vector<SharpEdge> edges = sharp_edges(regular(corners, 10 * h), h);
    REQUIRE(edges.size() == static_cast<std::size_t>(corners));
    for (const SharpEdge& e : edges) {
      CHECK(e.angle == doctest::Approx((1 + 2.0 / corners) * std::numbers::pi));
      const Vec3 other = std::cos(e.angle) * e.face + std::sin(e.angle) * e.normal;
      const Vec3 other_normal = std::sin(e.angle) * e.face - std::cos(e.angle) * e.normal;
      for (const double r : {0.3 * h, h, 2.5 * h}) {
        CHECK(std::abs(e.flow(r * e.face, h).dot(e.normal)) < 1e-12);
        CHECK(std::abs(e.flow(r * other, h).dot(other_normal)) < 1e-12);
        const Vec3 x = r * (std::cos(0.4 * e.angle) * e.face + std::sin(0.4 * e.angle) * e.normal);
        const double d = 1e-5 * h;
        const auto slope = [&](const Vec3& along) {
          return Vec3((e.flow(x + d * along, h) - e.flow(x - d * along, h)) / (2 * d / h));
        };
        const Vec3 dx = slope(Vec3::UnitX()), dy = slope(Vec3::UnitY());
        CHECK(std::abs(dx.x() + dy.y()) < 1e-6);
        CHECK(std::abs(dx.y() - dy.x()) < 1e-6);
        CHECK(std::abs(dx.x()) + std::abs(dx.y()) > 0.01);
      }
    }
  }
}

TEST_CASE("corners are edges: not those of the liquid, of round outlines or of small things") {
  CHECK(sharp_edges(square(6 * h), h).size() == 4);
  CHECK(sharp_edges(square(1.5 * h), h).empty());
  CHECK(sharp_edges(regular(24, 10 * h), h).empty());
  Polygons tank = square(20 * h);
  std::reverse(tank.loops[0].begin(), tank.loops[0].end());
  CHECK(sharp_edges(tank, h).empty());
  for (const SharpEdge& e : sharp_edges(square(2.5 * h), h))
    CHECK(e.reach == doctest::Approx(2.5 * h));
}

TEST_CASE("edges of a mesh come in pieces of a spacing that share what lies along them") {
  const TriangleMesh cube = box_mesh(Vec3::Constant(8 * h));
  const std::vector<SharpEdge> edges = sharp_edges(cube, h);
  REQUIRE(edges.size() == 12 * 8);
  for (const SharpEdge& e : edges) {
    CHECK(e.angle == doctest::Approx(1.5 * std::numbers::pi));
    CHECK(e.length == doctest::Approx(h));
    CHECK(e.reach == doctest::Approx(edge_reach * h));
    CHECK(std::abs(e.along.dot(e.face)) < 1e-12);
    CHECK(e.at.dot(e.normal) == doctest::Approx(4 * h));
  }
  const SharpEdge& one = edges.front();
  const Vec3 middle = one.at - one.at.dot(one.along) * one.along;
  for (const double along : {-3.9, -1.3, 0.0, 0.77, 3.6, 4.25, 4.6}) {
    const Vec3 x = middle + along * h * one.along + 0.7 * h * (one.normal - one.face);
    double sum = 0;
    for (const SharpEdge& e : edges)
      if ((e.at - e.at.dot(one.along) * one.along - middle).norm() < 1e-9 &&
          std::abs(std::abs(e.along.dot(one.along)) - 1) < 1e-9)
        sum += e.share(x - e.at);
    CHECK(sum == doctest::Approx(along > 4.5 ? 0 : along > 4 ? 0.5 : 1));
  }
  TriangleMesh tank = cube;
  turn_inside_out(tank);
  CHECK(sharp_edges(tank, h).empty());
}
