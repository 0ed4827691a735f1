#include "sampling/fill.h"

#include "about.h"
#include "core/parallel.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_distance.h"
#include "geometry/section.h"
#include "sampling/surface.h"
#include "shapes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>

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

namespace {

/// Still liquid in a tank 1.2 m wide, up to `height(x)` [m]; uppermost particles by column.
struct Poured {
  Fill fill;
  std::vector<Vec3> top;
  double volume = 0;

  template <class Height>
  Poured(int dimensions, const Vec3& up, Height&& height) {
    // Walls 1.2 m apart, the floor at y = 0; a region of slices, each with a straight top.
    TriangleMesh container = moved(box({1.2, 2, dimensions == 2 ? 1 : 0.4}), {0, 1, 0});
    turn_inside_out(container);
    TriangleMesh region;
    const int slices = 48;
    const double z = dimensions == 2 ? 0.5 : 0.2;
    const auto x_at = [&](int k) { return -0.6 + 1.2 * k / slices; };
    for (int k = 0; k <= slices; ++k) {
      const double x = x_at(k), y = height(x);
      for (const Vec3& corner : {Vec3(x, 0, -z), Vec3(x, y, -z), Vec3(x, y, z), Vec3(x, 0, z)})
        region.vertices.push_back(corner);
      if (k > 0) volume += 0.5 * (height(x_at(k - 1)) + y) * 1.2 / slices * 2 * z;
    }
    const auto quad = [&](unsigned a, unsigned b, unsigned c, unsigned d) {
      region.triangles.push_back({a, b, c});
      region.triangles.push_back({a, c, d});
    };
    quad(0, 3, 2, 1);
    for (unsigned k = 0; k < slices; ++k)
      for (unsigned e = 0; e < 4; ++e)
        quad(4 * k + e, 4 * k + (e + 1) % 4, 4 * k + 4 + (e + 1) % 4, 4 * k + 4 + e);
    quad(4 * slices, 4 * slices + 1, 4 * slices + 2, 4 * slices + 3);
    fill = fill_region(region, solid(container),
                       {.spacing = 0.05, .clearance = 0.015, .dimensions = dimensions, .up = up});
    for (const Vec3& x : fill.position) {
      const bool highest =
          std::none_of(fill.position.begin(), fill.position.end(), [&](const Vec3& o) {
            return std::abs(o.x() - x.x()) < 0.01 && std::abs(o.z() - x.z()) < 0.01 &&
                   o.y() > x.y();
          });
      if (highest) top.push_back(x);
    }
  }
};

}  // namespace

TEST_CASE("rows follow a surface that waves or slopes, half a row below it") {
  const auto wave = [](double x) { return 0.6 + 0.08 * std::cos(pi * (x + 0.6) / 1.2); };
  const auto slope = [](double x) { return 0.5 + 0.25 * x; };
  for (const int dimensions : {2, 3}) {
    CAPTURE(dimensions);
    const auto check = [&](auto&& height) {
      const Poured poured(dimensions, Vec3::UnitY(), height);
      const Fill& fill = poured.fill;
      REQUIRE(fill.share.size() == fill.position.size());
      CHECK(fill.volume == about(poured.volume, 0.01));
      const double sum = std::accumulate(fill.share.begin(), fill.share.end(), 0.0);
      CHECK(sum == about(double(fill.position.size()), 1e-12));
      const auto [least, most] = std::minmax_element(fill.share.begin(), fill.share.end());
      CHECK(*least > 0.9);
      CHECK(*most < 1.1);
      CHECK(poured.top.size() == (dimensions == 2 ? 24 : 24 * 8));
      double off = 0;
      for (const Vec3& x : poured.top) off = std::max(off, std::abs(height(x.x()) - x.y() - 0.025));
      CHECK(off < 0.002);  // rows are up to a tenth farther apart
      for (const Vec3& x : fill.position) REQUIRE(x.y() > 0.02);
    };
    check(wave);
    check(slope);
    // Without a side that is above, and where it is too steep, the lattice's steps are left.
    CHECK(Poured(dimensions, Vec3::Zero(), wave).fill.share.empty());
    const Poured steep(dimensions, Vec3::UnitY(), [](double x) { return 0.9 + 1.4 * x; });
    CHECK(steep.fill.share.empty());
  }
}

TEST_CASE("a level surface and a floating region stay on their lattice") {
  const Poured level(2, Vec3::UnitY(), [](double) { return 0.6; });
  CHECK(level.fill.share.empty());
  CHECK(level.fill.position.size() == 24 * 12);
  TriangleMesh container = box({2, 2, 2});
  turn_inside_out(container);
  const Fill drop = fill_region(icosphere(0.3, 3), solid(container),
                                {.spacing = 0.05, .clearance = 0.015, .up = Vec3::UnitY()});
  CHECK(drop.share.empty());
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
