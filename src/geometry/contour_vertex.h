#pragma once
// Where the vertex of one piece of surface in one cell goes.

#include "geometry/sdf.h"

#include <span>

namespace hydrolith {

/// Points of the surface and its unit normals there.
struct HermiteSamples {
  std::array<Vec3, 12> points, normals;
  int count = 0;
  void add(const Vec3& point, const Vec3& normal) {
    points[count] = point;
    normals[count++] = normal;
  }
};

/// The point nearest to all tangent planes,
///   min_x sum_i (n_i . (x - p_i))^2,
/// and, in the directions these do not determine (eigenvalues of sum n n^T below 1/20 of the
/// largest, and all but the `rank` largest), nearest to the centre of the p_i.
Vec3 solve_qef(const HermiteSamples& samples, int rank = 3);

/// Pulls x onto the surface along the gradient.
Vec3 project(const Sdf& sdf, const Vec3& x, double cell);

/// A smooth piece gets a vertex on the surface near the middle of its crossings. Where normals
/// differ by more than about 25 degrees, the vertex goes to the sharp edge or corner: the minimum
/// above, with samples drawn ten times closer around it and the minimum taken again until it stays,
/// which makes edges between curved faces as exact as those between flat ones. Inside the cell
/// [low, low + cell], but for features that pass it by less than 0.4 of its size.
Vec3 place_vertex(const Sdf& sdf, HermiteSamples samples, const Vec3& low, double cell);

}  // namespace hydrolith
