#pragma once
// Sharp edges of solids, and how an ideal liquid flows round them.
//
// Round an edge that leaves the liquid an angle w > pi the potential is, near the edge,
//   phi = K r^l cos(l theta),   l = pi / w,
// with r the distance from the edge and theta the angle from one face to the other through the
// liquid. Its velocity grows like r^(l - 1): no linear field comes near it within some spacings of
// the edge.

#include "geometry/mesh.h"
#include "geometry/section.h"

#include <vector>

namespace hydrolith {

/// A piece of a sharp edge, about a spacing long; in the plane a corner of the outline. Body frame
/// or world.
struct SharpEdge {
  Vec3 at = Vec3::Zero();          // [m] its middle
  Vec3 along = Vec3::UnitZ();      // unit vector along the edge
  Vec3 face = Vec3::UnitX();       // unit vector in one of the faces, away from the edge
  Vec3 normal = Vec3::UnitY();     // of that face, out of the solid
  double angle = 0;                // [rad] w
  double length = 0;               // [m] of the piece; 0 in the plane
  double reach = 0;                // [m] how far the faces go on, at most edge_reach spacings
  bool first = true, last = true;  // no piece of the edge before, behind it

  SharpEdge placed(const Pose& pose) const;
  /// [1/m^(1 - l)] Velocity at a distance x [m] from `at`, for K = 1 and lengths in units of h [m].
  Vec3 flow(const Vec3& x, double h) const;
  /// [-] The share of this piece in what lies at x [m] from `at`: those of all pieces of an edge
  /// sum to one along it, and fade beyond its ends.
  double share(const Vec3& x) const;
};

constexpr double edge_reach = 3;  // [h] from an edge its flow is looked at

/// Convex edges sharper than 30 degrees between faces that go on for two spacings at least; finer
/// detail is beyond what particles resolve.
std::vector<SharpEdge> sharp_edges(const Polygons& outline, double h);
std::vector<SharpEdge> sharp_edges(const TriangleMesh& mesh, double h);

}  // namespace hydrolith
