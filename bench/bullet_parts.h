#pragma once
// Convex parts of shapes, for engines that need a decomposition. Exact where the shape is a union
// of convex primitives; a thread becomes one tooth for each segment of each turn, on the same
// profile as the mesh of the product.

#include "core/shape.h"

#include <optional>
#include <vector>

namespace hydrolith::bench {

/// A convex part: the hull of `points`. `primitive` is the shape itself where it is a box, ball or
/// capsule of uniform scale.
struct ConvexPart {
  std::vector<Vec3> points;        // [m] frame of the whole shape
  std::optional<Shape> primitive;  // placed in the same frame
};

/// `segments`: of a turn of a thread. Throws Error for shapes without a known decomposition.
std::vector<ConvexPart> convex_parts(const Shape& shape, int segments);

/// The points that are extreme in one of 26 directions (faces, edges and corners of a cube): what
/// is left of a smooth part is a hull of at most 26 vertices; boxes keep their corners.
std::vector<Vec3> coarse_hull(const std::vector<Vec3>& points);

}  // namespace hydrolith::bench
