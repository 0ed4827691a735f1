#pragma once
// Branches of the tree of signed distances: placement and the operations on sets.

#include "geometry/sdf.h"

namespace hydrolith {

/// x_world = rotate * (scale .* x) + at. d = min|scale| d_child(x_child): exact for a uniform
/// scale, else a bound, because a length shrinks at most by the smallest factor.
SdfPtr placed(SdfPtr child, const Vec3& at, const Quat& rotate, const Vec3& scale);

SdfPtr complement(SdfPtr child);                       ///< d = -d_child
SdfPtr union_of(std::vector<SdfPtr> children);         ///< d = min
SdfPtr intersection_of(std::vector<SdfPtr> children);  ///< d = max
/// Smooth union, the polynomial smooth minimum taken over the children in their order:
///   smin(a, b) = min(a, b) - k/4 h^2,  h = max(1 - |a - b| / k, 0),  k = radius [m].
/// Its gradient is a convex combination of the two gradients, so the Lipschitz bound stays.
SdfPtr blend_of(std::vector<SdfPtr> children, double radius);

}  // namespace hydrolith
