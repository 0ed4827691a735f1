#include "geometry/full_volume.h"

#include "about.h"
#include "geometry/mass_properties.h"
#include "geometry/section.h"
#include "shape_cases.h"

#include <doctest/doctest.h>

#include <numbers>

using namespace hydrolith;
using namespace hydrolith::test;
using std::numbers::pi;

namespace {

double full_area(const Shape& shape, double resolution) {
  const std::optional<TriangleMesh> mesh = build_full_mesh(shape, {.resolution = resolution}, 2);
  REQUIRE(mesh);
  return section_properties(cut_at_z0(*mesh)).area;
}

const Quat axis_along_z(Eigen::AngleAxisd(pi / 2, Vec3::UnitX()));

}  // namespace

TEST_CASE("round shapes hold the volume of their formula, whatever the resolution") {
  int seen = 0;
  for (const ShapeCase& c : all_shapes()) {
    if (c.volume == 0) continue;
    CAPTURE(c.name);
    for (const double resolution : {c.resolution, 4 * c.resolution}) {
      const MeshingOptions options{.resolution = resolution};
      const auto full = build_full_mesh(shape_of(c.kind), options, 3);
      if (!full) {  // flat: right as it is
        CHECK(volume_of(build_mesh(shape_of(c.kind), options)) == about(c.volume, 1e-12));
        continue;
      }
      ++seen;
      REQUIRE(is_closed(*full));
      CHECK(volume_of(*full) == about(c.volume, 1e-11));
      CHECK(volume_of(build_mesh(shape_of(c.kind), options)) < c.volume);  // chords
      CHECK(smallest_triangle(*full) > 1e-9 * c.resolution * c.resolution);
      // Nothing stands out by more than a few thousandths of its size.
      const Box3 box = bounds(*full), plain = bounds(build_mesh(shape_of(c.kind), options));
      CHECK((box.size() - plain.size()).maxCoeff() < 6e-3 * plain.size().maxCoeff());
    }
  }
  CHECK(seen >= 20);
}

TEST_CASE("what is flat in a round shape stays where it is") {
  const auto height = [](const Shape::Variant& kind) {
    const Box3 box = bounds(*build_full_mesh(shape_of(kind), {.resolution = 0.05}, 3));
    return Vec2(box.lo.y(), box.hi.y());
  };
  CHECK(height(CylinderShape{0.5, 1}) == Vec2(-0.5, 0.5));
  CHECK(height(ConeShape{0.5, 1, 0.2}) == Vec2(-0.5, 0.5));
  CHECK(height(RoundedBoxShape{{1, 0.8, 0.6}, 0.1}).isApprox(Vec2(-0.4, 0.4), 1e-12));
}

TEST_CASE("scaled, turned and inside out they hold what they should") {
  Shape shape = shape_of(SphereShape{0.5}, {1, -2, 3}, Quat(0.5, 0.5, -0.5, 0.5));
  shape.scale = {1.5, -0.8, 1.2};
  shape.inside_out = true;
  const auto full = build_full_mesh(shape, {.resolution = 0.05}, 3);
  REQUIRE(full);
  CHECK(volume_of(*full) == about(-1.44 * pi / 6, 1e-11));
}

TEST_CASE("sections of round shapes have the area of their formula") {
  const double h = 0.05;
  CHECK(full_area(shape_of(SphereShape{0.5}), h) == about(pi / 4, 1e-11));
  CHECK(full_area(shape_of(SphereShape{0.5}, {0, 0, 0.3}), h) == about(0.16 * pi, 1e-11));
  CHECK(full_area(shape_of(EllipsoidShape{}), h) == about(pi * 0.15, 1e-11));
  CHECK(full_area(shape_of(CylinderShape{0.5, 1}, Vec3::Zero(), axis_along_z), h) ==
        about(pi / 4, 1e-7));
  CHECK(full_area(shape_of(CapsuleShape{0.25, 1}), h) == about(pi / 16 + 0.25, 1e-7));
  CHECK(full_area(shape_of(TorusShape{}), h) == about(2 * pi * 0.0225, 1e-7));
  CHECK(full_area(shape_of(RoundedBoxShape{{1, 0.8, 0.6}, 0.1}), h) ==
        about(0.8 - (4 - pi) * 0.01, 1e-7));
  // Along its axis a cylinder is a rectangle, exact as it is.
  CHECK(!build_full_mesh(shape_of(CylinderShape{0.5, 1}), {.resolution = h}, 2));
}

TEST_CASE("shapes without a formula are left as they are") {
  CHECK(!build_full_mesh(shape_of(BoxShape{}), {.resolution = 0.05}, 3));
  CHECK(!build_full_mesh(shape_of(GearShape{}), {.resolution = 0.05}, 3));
  CHECK(!build_full_mesh(shape_of(TorusShape{0.5, 0.499}), {.resolution = 0.05}, 3));
}
