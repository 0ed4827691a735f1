#include "sampling/fill.h"

#include "about.h"
#include "core/parallel.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_distance.h"
#include "geometry/section.h"
#include "sampling/surface.h"
#include "shapes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

constexpr double pi = std::numbers::pi;

Obstacles solid(const TriangleMesh& mesh) {
  auto distance = std::make_shared<MeshDistance>(mesh);
  return [distance](const Vec3& x) { return distance->signed_distance(x); };
}

TriangleMesh moved(TriangleMesh mesh, const Vec3& to, double angle = 0) {
  transform(mesh, {to, Quat(Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized()))});
  return mesh;
}

/// Everything a fill must hold, whatever its shape.
void check_fill(const Fill& fill, const Obstacles& region, const Obstacles& obstacles,
                const FillOptions& o, double volume, double particle_tolerance) {
  CHECK(fill.volume == about(volume, 0.01));
  CHECK(fill.particle_volume * double(fill.position.size()) == doctest::Approx(fill.volume));
  CHECK(fill.particle_volume == about(std::pow(o.spacing, o.dimensions), particle_tolerance));
  for (const Vec3& x : fill.position) {
    REQUIRE(region(x) <= 1e-9);
    if (obstacles) REQUIRE(obstacles(x) >= o.clearance * (1 - 1e-6));
  }
  CHECK(evenness(fill.position, o.spacing, o.dimensions).nearest_min > 0.75);
}

}  // namespace

TEST_CASE(
    "a box of whole spacings is filled with one particle a cell, half a spacing from its faces") {
  const Fill fill = fill_region(box({1, 0.5, 0.4}), {}, {.spacing = 0.1, .clearance = 0.05});
  CHECK(fill.position.size() == 10 * 5 * 4);
  CHECK(fill.volume == about(0.2, 1e-9));
  CHECK(fill.particle_volume == about(1e-3, 1e-9));
  Box3 b;
  for (const Vec3& x : fill.position) b.include(x);
  CHECK((b.hi - Vec3(0.45, 0.2, 0.15)).norm() < 1e-12);
  CHECK((b.lo + b.hi).norm() < 1e-12);
}

TEST_CASE("boxes of any size hold the right volume in a regular lattice") {
  const FillOptions o{.spacing = 0.1, .clearance = 0.05};
  struct Case {
    Vec3 size;
    double tolerance;  // of a particle's volume: sides are rounded to whole numbers of particles
  };
  for (const auto& [size, tolerance] :
       {Case{Vec3(1.05, 1.05, 1.05), 0.08},
        {Vec3(0.97, 0.43, 2.22), 0.08},
        {Vec3(1.33, 0.15, 0.77), 0.4}}) {  // 1.5 spacings: one layer
    CAPTURE(size.x());
    const TriangleMesh mesh = box(size);
    const Fill fill = fill_region(mesh, {}, o);
    check_fill(fill, solid(mesh), {}, o, size.prod(), tolerance);
    CHECK(fill.volume == about(size.prod(), 1e-6));
  }
}

TEST_CASE("round and tilted regions hold the right number of particles") {
  const FillOptions o{.spacing = 0.1, .clearance = 0.05};
  for (const TriangleMesh& mesh :
       {icosphere(0.73, 4), torus(1, 0.31, 64, 32), cylinder(0.5, 1.07, 64),
        moved(box({1.1, 0.7, 0.9}), {0.3, 0, 0}, 0.6), l_prism(1.2, 0.5)}) {
    const Fill fill = fill_region(mesh, {}, o);
    check_fill(fill, solid(mesh), {}, o, mass_properties(mesh).volume, 0.015);
  }
}

TEST_CASE("liquid is carved by submerged bodies and keeps its distance from them") {
  const FillOptions o{.spacing = 0.05, .clearance = 0.025};
  const TriangleMesh region = box({1.2, 1, 0.8});
  const TriangleMesh ball = moved(icosphere(0.25, 4), {0.1, 0, 0});
  const Fill fill = fill_region(region, solid(ball), o);
  check_fill(fill, solid(region), solid(ball), o, 0.96 - mass_properties(ball).volume, 0.03);
  const TriangleMesh brick = moved(box({0.4, 0.3, 0.35}), {-0.2, 0.1, 0.05}, 0.8);
  const Fill around = fill_region(region, solid(brick), o);
  check_fill(around, solid(region), solid(brick), o, 0.96 - 0.042, 0.03);
}

TEST_CASE("a region that reaches into walls and floor fills the container") {
  TriangleMesh container = box({1, 1, 1});
  turn_inside_out(container);
  const FillOptions o{.spacing = 0.1, .clearance = 0.05};
  const TriangleMesh region = moved(box({1.37, 0.7, 1.21}), {0, -0.25, 0});  // y from -0.6 to 0.1
  const Fill fill = fill_region(region, solid(container), o);
  CHECK(fill.volume == about(0.6, 1e-6));
  CHECK(fill.position.size() == 10 * 6 * 10);
  Box3 b;
  for (const Vec3& x : fill.position) b.include(x);
  CHECK((b.lo - Vec3(-0.45, -0.45, -0.45)).norm() < 1e-6);
  CHECK((b.hi - Vec3(0.45, 0.05, 0.45)).norm() < 1e-6);
}

TEST_CASE("a round tank is filled with the right amount, clear of its wall") {
  TriangleMesh tank = cylinder(0.5, 2, 96);
  const double bottom_area = mass_properties(tank).volume / 2;
  turn_inside_out(tank);
  const FillOptions o{.spacing = 0.05, .clearance = 0.025};
  const TriangleMesh region = moved(box({2, 1, 2}), {0, -0.5, 0});
  const Fill fill = fill_region(region, solid(tank), o);
  // The wall cuts the lattice all around: 6 % more particles than cells of the volume.
  check_fill(fill, solid(region), solid(tank), o, bottom_area, 0.06);
}

TEST_CASE("where bodies leave no room there is no liquid") {
  const FillOptions o{.spacing = 0.1, .clearance = 0.05};
  const Fill inside = fill_region(box({0.5, 0.5, 0.5}), solid(box({1, 1, 1})), o);
  CHECK(inside.position.empty());
  CHECK(inside.volume == 0);
  CHECK(fill_region({}, {}, o).position.empty());
}

TEST_CASE("in 2D a section is filled with unit depth") {
  const FillOptions o{.spacing = 0.05, .clearance = 0.025, .dimensions = 2};
  const TriangleMesh region = box({1, 0.6, 1});
  const Fill plain = fill_region(region, {}, o);
  CHECK(plain.position.size() == 20 * 12);
  CHECK(plain.volume == about(0.6, 1e-9));
  for (const Vec3& x : plain.position) CHECK(x.z() == 0);
  const Obstacles disc = [](const Vec3& x) { return std::hypot(x.x() - 0.1, x.y()) - 0.15; };
  check_fill(fill_region(region, disc, o), solid(region), disc, o, 0.6 - pi * 0.15 * 0.15, 0.05);
  const TriangleMesh round = icosphere(0.41, 4);
  const double area = section_properties(cut_at_z0(round)).area;
  check_fill(fill_region(round, {}, o), solid(round), {}, o, area, 0.03);
}

TEST_CASE("a fill has the same bits for any number of threads") {
  const Obstacles ball = solid(icosphere(0.2, 3));
  std::vector<Fill> fills;
  for (const int count : {1, 2, 7}) {
    set_threads(count);
    fills.push_back(fill_region(icosphere(0.6, 3), ball, {.spacing = 0.05, .clearance = 0.025}));
  }
  set_threads(0);
  CHECK(fills[0].position == fills[1].position);
  CHECK(fills[0].position == fills[2].position);
  CHECK(fills[0].volume == fills[2].volume);
}
