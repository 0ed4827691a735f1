#include "geometry/section.h"

#include "hydrolith/error.h"

#include "about.h"
#include "test_meshes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

// Sums of some hundred terms: only rounding is left.
constexpr double round_off = 1e-12;

}  // namespace

TEST_CASE("the cut of a box is a rectangle with four corners, counter-clockwise") {
  const Polygons cut = cut_at_z0(box_mesh(Vec3(2, 1, 4)));
  REQUIRE(cut.loops.size() == 1);
  CHECK(cut.loops[0].size() == 4);
  const SectionProperties s = section_properties(cut);
  CHECK(s.area == about(2, round_off));
  CHECK(s.centre.norm() < round_off);
  CHECK(s.polar_moment == about(2.0 * (4 + 1) / 12, round_off));
}

TEST_CASE("a section far from the origin keeps its polar moment") {
  TriangleMesh mesh = box_mesh(Vec3(2, 1, 4));
  transform(mesh, {Vec3(1e3, -2e3, 0.3), Quat::Identity()});
  const SectionProperties s = section_properties(cut_at_z0(mesh));
  CHECK((s.centre - Vec2(1e3, -2e3)).norm() < 1e-9);
  // A coordinate of 1e3 m is rounded to 1e-13 m.
  CHECK(s.polar_moment == about(10.0 / 12, 1e-11));
}

TEST_CASE("the cut of a torus through its axis is two circles, across it a ring with a hole") {
  const TriangleMesh ring = torus_mesh(1, 0.3, 90, 40);
  const Polygons across = cut_at_z0(ring);
  REQUIRE(across.loops.size() == 2);
  const auto signed_area = [](const std::vector<Vec2>& loop) {
    return section_properties({{loop}}).area;
  };
  CHECK(signed_area(across.loops[0]) * signed_area(across.loops[1]) < 0);
  const double pi = std::numbers::pi;
  // Facets of 4 degrees shorten areas by about (4 deg)^2 / 6 = 0.08 %.
  CHECK(section_properties(across).area == about(pi * (1.69 - 0.49), 2e-3));

  TriangleMesh upright = ring;
  transform(upright, {Vec3::Zero(), Quat(Eigen::AngleAxisd(pi / 2, Vec3::UnitX()))});
  const Polygons through = cut_at_z0(upright);
  REQUIRE(through.loops.size() == 2);
  for (const auto& loop : through.loops) CHECK(signed_area(loop) == about(pi * 0.09, 1e-2));
}

TEST_CASE("vertices, edges and faces that lie in the plane give clean loops") {
  // Vertices exactly at z = 0 on a double pyramid, in every rotation about z.
  for (int n = 3; n < 12; ++n) {
    TriangleMesh mesh;
    const auto count = static_cast<std::uint32_t>(n);
    for (std::uint32_t i = 0; i < count; ++i) {
      const double a = 2 * std::numbers::pi * i / count;
      mesh.vertices.push_back({std::cos(a), std::sin(a), 0});
    }
    mesh.vertices.push_back({0, 0, 1});
    mesh.vertices.push_back({0, 0, -1});
    for (std::uint32_t i = 0; i < count; ++i) {
      mesh.triangles.push_back({i, (i + 1) % count, count});
      mesh.triangles.push_back({(i + 1) % count, i, count + 1});
    }
    const Polygons cut = cut_at_z0(mesh);
    REQUIRE(cut.loops.size() == 1);
    CHECK(cut.loops[0].size() == count);
    CHECK(section_properties(cut).area ==
          about(0.5 * n * std::sin(2 * std::numbers::pi / n), round_off));
  }
  // A face in the plane belongs to the side below: the box under it is cut, the box on it is not.
  TriangleMesh below = box_mesh(), on = box_mesh();
  transform(below, {Vec3(0, 0, -0.5), Quat::Identity()});
  transform(on, {Vec3(0, 0, 0.5), Quat::Identity()});
  CHECK(section_properties(cut_at_z0(below)).area == doctest::Approx(1));
  CHECK(cut_at_z0(on).loops.empty());
}

TEST_CASE("the section of a randomly turned box is the projection that Cavalieri asks for") {
  // The sections at all heights sum up to the volume: Simpson's rule is exact between vertices, the
  // midpoint rule with 400 slices good to 1e-3.
  std::mt19937 random(2);
  for (int i = 0; i < 5; ++i) {
    TriangleMesh mesh = box_mesh(Vec3(1, 0.5, 0.8));
    transform(mesh, {Vec3::Zero(), random_rotation(random)});
    const Box3 box = bounds(mesh);
    const double dz = box.size()[2] / 400;
    double volume = 0;
    for (int s = 0; s < 400; ++s) {
      TriangleMesh slice = mesh;
      transform(slice, {Vec3(0, 0, -(box.lo[2] + (s + 0.5) * dz)), Quat::Identity()});
      volume += section_properties(cut_at_z0(slice)).area * dz;
    }
    CHECK(volume == about(0.4, 1e-3));
  }
}

TEST_CASE("distance to a section is exact, with the sign of the side") {
  const Polygons ring = {
      {{{-2, -2}, {2, -2}, {2, 2}, {-2, 2}}, {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}}}};
  CHECK(signed_distance(ring, Vec2(3, 0)) == doctest::Approx(1));
  CHECK(signed_distance(ring, Vec2(1.75, 0)) == doctest::Approx(-0.25));
  CHECK(signed_distance(ring, Vec2(0.25, 0)) == doctest::Approx(0.75));
  CHECK(signed_distance(ring, Vec2(5, 6)) == doctest::Approx(5));
  CHECK(signed_distance(ring, Vec2(-1.25, -1.25)) == doctest::Approx(-0.25 * std::sqrt(2.0)));
  // Inside out: solid all around, as for a container.
  const Polygons tank = {{{{-1, -1}, {-1, 1}, {1, 1}, {1, -1}}}};
  CHECK(signed_distance(tank, Vec2::Zero()) == doctest::Approx(1));
  CHECK(signed_distance(tank, Vec2(4, 5)) == doctest::Approx(-5));
}

TEST_CASE("an open mesh has no section") {
  TriangleMesh open = box_mesh();
  open.triangles.pop_back();
  CHECK_THROWS_WITH_AS(cut_at_z0(open), doctest::Contains("closed mesh"), MeshError);
}
