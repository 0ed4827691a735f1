#pragma once
// The point of one triangle nearest to x, and on which of its features it lies.

#include "hydrolith/vec.h"

#include <algorithm>

namespace hydrolith {

/// Corner k, side k (from corner k to corner k + 1), or the face.
enum class TriangleFeature : unsigned char { corner0, corner1, corner2, side0, side1, side2, face };

struct TriangleClosest {
  Vec3 point = Vec3::Zero();  // [m]
  double distance_sq = 0;     // [m^2]
  TriangleFeature feature = TriangleFeature::face;
};

/// Triangles thinner than this (height / longest side) have no trustworthy normal.
inline constexpr double needle_ratio = 1e-10;

/// Twice the area against the longest side squared.
inline bool is_needle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double longest_sq =
      std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return !((b - a).cross(c - a).norm() > needle_ratio * longest_sq);
}

/// Nearest point of side k, from p to q, if it is nearer than `best` so far.
inline void closest_on_side(const Vec3& x, const Vec3& p, const Vec3& q, int k,
                            TriangleClosest& best) {
  const Vec3 d = q - p;
  const double along = d.dot(x - p), length_sq = d.squaredNorm();
  const int corner = along <= 0 ? k : along >= length_sq ? (k + 1) % 3 : -1;
  const Vec3 y = corner < 0 ? Vec3(p + (along / length_sq) * d) : corner == k ? p : q;
  const double distance_sq = (x - y).squaredNorm();
  if (!(distance_sq < best.distance_sq)) return;
  best = {y, distance_sq, static_cast<TriangleFeature>(corner < 0 ? 3 + k : corner)};
}

/// The face where x projects inside, otherwise the nearest of the sides that x lies beyond (the
/// triangle is convex). The projection uses the normal, not barycentric coordinates, and so stays
/// accurate for slivers; a needle without a normal is its three sides.
inline TriangleClosest closest_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b,
                                           const Vec3& c) {
  const Vec3 ab = b - a, bc = c - b, ca = a - c;
  const Vec3 n = ca.cross(ab);  // length: twice the area
  const double n_sq = n.squaredNorm();
  const double longest_sq = std::max({ab.squaredNorm(), bc.squaredNorm(), ca.squaredNorm()});
  const bool needle = !(n_sq > needle_ratio * needle_ratio * longest_sq * longest_sq);

  const Vec3 ax = x - a, bx = x - b, cx = x - c;
  const bool beyond_ab = needle || n.dot(ab.cross(ax)) < 0;
  const bool beyond_bc = needle || n.dot(bc.cross(bx)) < 0;
  const bool beyond_ca = needle || n.dot(ca.cross(cx)) < 0;
  if (!beyond_ab && !beyond_bc && !beyond_ca) {
    const double height = n.dot(ax) / n_sq;
    return {x - height * n, height * height * n_sq, TriangleFeature::face};
  }
  TriangleClosest best;
  best.distance_sq = std::numeric_limits<double>::infinity();
  if (beyond_ab) closest_on_side(x, a, b, 0, best);
  if (beyond_bc) closest_on_side(x, b, c, 1, best);
  if (beyond_ca) closest_on_side(x, c, a, 2, best);
  return best;
}

}  // namespace hydrolith
