#pragma once
// The surface moved inwards by a given depth, plane by plane: faces stay flat, edges and corners
// stay sharp. Where the body is too thin for two layers they meet in the middle as one.

#include "geometry/mesh.h"
#include "geometry/mesh_distance.h"

#include <span>
#include <vector>

namespace hydrolith {

/// Two layers of samples nearer than this [h] would count as too close: they become one.
inline constexpr double least_gap = 0.8;

struct InsetOptions {
  double spacing = 0.01;  ///< [m] h
  double depth = 0;       ///< [m] wanted depth below the surface
};

struct InsetSurface {
  TriangleMesh outer;  // the given mesh, refined where the inset is not linear over a triangle
  TriangleMesh inner;  // the same triangles, moved; may hold needles and folds
};
InsetSurface inset_surface(const TriangleMesh& mesh, const InsetOptions& options);

/// A plane of the surface at a point: unit outward normal and a weight for least squares.
struct FacePlane {
  Vec3 normal = Vec3::Zero();
  double weight = 0;
};

struct Displacement {
  Vec3 u = Vec3::Zero();  // [m]
  bool plain = true;      // down to the full depth, with no other face in the way
};

/// Of point p of the surface, at which the planes meet.
Displacement inset_displacement(const Vec3& p, std::span<const FacePlane> planes,
                                const MeshDistance& surface, const InsetOptions& options);

}  // namespace hydrolith
