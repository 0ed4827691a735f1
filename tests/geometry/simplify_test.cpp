#include "geometry/simplify.h"

#include "about.h"
#include "geometry/build_mesh.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_distance.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace hydrolith;

namespace {

/// [m] the largest distance of a vertex of `a` from the surface of `b`.
double farthest(const TriangleMesh& a, const TriangleMesh& b) {
  const MeshDistance distance(b);
  double most = 0;
  for (const Vec3& x : a.vertices) most = std::max(most, std::abs(distance.signed_distance(x)));
  return most;
}

}  // namespace

// Vertices of the coarse one are on the ball, so that it is too small until they are moved.
TEST_CASE("a ball with a quarter of its triangles has its volume and lies within the tolerance") {
  const double h = 0.02, tolerance = 0.1 * h;
  const TriangleMesh fine = build_mesh(Shape{SphereShape{0.1}}, {.resolution = h});
  const TriangleMesh coarse = simplified(fine, tolerance);
  CHECK(is_closed(coarse));
  CHECK(coarse.triangles.size() < fine.triangles.size() / 4);
  CHECK(mass_properties(coarse).volume == about(mass_properties(fine).volume, 1e-4));
  // Quadrics are means of squares over planes: single places may be a little farther.
  CHECK(farthest(fine, coarse) < 1.5 * tolerance);
  CHECK(farthest(coarse, fine) < 1.5 * tolerance);
}

TEST_CASE(
    "a drilled block with a fraction of its triangles keeps volume, flat faces and its hole") {
  const double h = 0.02;
  const Shape block{BoxShape{{0.2, 0.2, 0.2}}}, drill{CylinderShape{0.05, 0.5}};
  TriangleMesh fine = build_mesh(Shape{DifferenceShape{{block, drill}}}, {.resolution = h});
  for (const bool inside_out : {false, true}) {
    if (inside_out) turn_inside_out(fine);
    const TriangleMesh coarse = simplified(fine, 0.01 * h);
    CHECK(is_closed(coarse));
    CHECK(coarse.triangles.size() < fine.triangles.size() / 4);
    CHECK(mass_properties(coarse).volume == about(mass_properties(fine).volume, 1e-4));
    CHECK(bounds(coarse).lo.isApprox(bounds(fine).lo, 1e-3 * h));
    CHECK(farthest(fine, coarse) < 0.03 * h);
  }
}

TEST_CASE("a box, and a mesh that is open, are as simple as they can be") {
  TriangleMesh box = build_mesh(Shape{BoxShape{{0.2, 0.2, 0.2}}}, {.resolution = 0.02});
  CHECK(simplified(box, 2e-4).triangles.size() == 12);
  box.triangles.pop_back();
  CHECK(simplified(box, 2e-4).triangles.size() == box.triangles.size());
}
