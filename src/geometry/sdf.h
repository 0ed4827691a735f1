#pragma once
// Signed distance of shapes, as a small tree: shapes are the leaves, compositions and placements
// the branches. Not for a step's hot loop; meshes and grids are made from it once.
//
// Two promises hold for every tree, and contouring relies on them:
//   sign      negative inside, positive outside, zero on the surface;
//   Lipschitz |d(x) - d(y)| <= |x - y|, so |d| never exceeds the distance to the surface.
// Leaves are exact distances unless they say "bound". Union of exact distances is exact outside,
// all other compositions and non-uniform scales are bounds.

#include "core/shape.h"
#include "geometry/mesh.h"

#include <limits>
#include <memory>
#include <vector>

namespace hydrolith {

class Sdf {
 public:
  virtual ~Sdf() = default;
  virtual double operator()(const Vec3& x) const = 0;  // [m] negative inside

  /// sup of direction . x over all x with d(x) < offset; an upper bound where compositions do not
  /// know better. Infinite where the solid is unbounded, minus infinity where it is empty.
  virtual double support(const Vec3& direction, double offset) const = 0;
  /// The same over all x with d(x) > offset: finite for a solid turned inside out.
  virtual double hollow_support(const Vec3&, double) const {
    return std::numeric_limits<double>::infinity();
  }
  /// [m] cell size that contouring needs to see the finest detail; infinite if nothing is fine.
  virtual double detail() const { return std::numeric_limits<double>::infinity(); }
};

using SdfPtr = std::shared_ptr<const Sdf>;

/// The shape with its placement. `resolution` [m] sets how finely height fields given by an
/// expression are tabulated. Throws MeshError.
SdfPtr make_sdf(const Shape& shape, double resolution);

/// Gradient by central differences over `step` [m] to either side.
Vec3 gradient(const Sdf& sdf, const Vec3& x, double step);

Box3 solid_bounds(const Sdf& sdf);    ///< of the points inside
Box3 surface_bounds(const Sdf& sdf);  ///< of the surface: finite for a container too

}  // namespace hydrolith
