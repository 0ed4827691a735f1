#pragma once
// Small exact meshes for the tests: boxes, icospheres, tori, cones, prisms.

#include "geometry/mesh.h"

#include <vector>

namespace hydrolith::test {

TriangleMesh box(const Vec3& size);
TriangleMesh icosphere(double radius, int subdivisions);
/// Ring in the xz plane; `bumps` [m] adds waves of that height to the tube.
TriangleMesh torus(double radius, double tube, int around, int across, double bumps = 0);
/// Axis y, centred; top_radius 0 makes a cone with one vertex as tip.
TriangleMesh cylinder(double radius, double height, int around, double top_radius);
inline TriangleMesh cylinder(double radius, double height, int around) {
  return cylinder(radius, height, around, radius);
}
/// Right prism over a polygon that is star-shaped seen from its first corner, along z, centred.
TriangleMesh prism(const std::vector<Vec2>& outline, double depth);
/// An L of two arms as long as `size` and half as wide.
TriangleMesh l_prism(double size, double depth);

}  // namespace hydrolith::test
