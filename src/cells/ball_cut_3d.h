#pragma once
// What of a cell in space lies within a ball around its particle: volume, and the parts of its
// faces and facets. Their boundaries are lines; a line adds, with r the foot of the particle on the
// plane at distance d, n out of the cell, s^2 = R^2 - d^2 the radius of the circle that the ball
// leaves on the plane:
//   where it lies in the circle, the triangle of r and its ends,
//   elsewhere the sector of the circle below it, of angle phi, signed:
//     area s^2 phi / 2,   moment area r + s^3 / 3 (e_1 - e_0) x n with unit vectors e to its
//     ends,   spread d^2 area + s^4 phi / 4.
// The volume is that of the pyramids on these areas, and of the cones of the sphere below what was
// cut off: their solid angle is that of the whole triangle less that of what is within.

#include "cells/solid_cut_3d.h"

#include <vector>

namespace hydrolith {

class BallCut {
 public:
  /// `cell` cut by `wet`, which kept its lines; R [m].
  void cut(const Polyhedron& cell, const SolidCut& wet, double R);

  double volume = 0;            // [m^3]
  std::vector<PlaneSum> faces;  // of the cell's planes, then of the facets

 private:
  void add(const SolidCut::Line& line, const Vec3& n, double d, double R);
};

}  // namespace hydrolith
