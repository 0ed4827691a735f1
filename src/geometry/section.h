#pragma once
// For 2D: the cut of a closed mesh with the plane z = 0.

#include <vector>

#include "geometry/mesh.h"

namespace hydrolith {

/// Closed polygons, solid on the left of each edge (outer loops counter-clockwise, holes clockwise).
struct Polygons {
  std::vector<std::vector<Vec2>> loops;  // [m]
};

Polygons cut_at_z0(const TriangleMesh& mesh);

/// Area [m^2], centroid and polar moment [m^4] about it: a solid of unit depth and density 1.
struct SectionProperties {
  double area = 0;
  Vec2 centre = Vec2::Zero();
  double polar_moment = 0;
};
SectionProperties section_properties(const Polygons& polygons);

double signed_distance(const Polygons& polygons, const Vec2& x);  ///< [m] negative inside

}  // namespace hydrolith
