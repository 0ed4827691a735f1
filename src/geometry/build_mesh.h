#pragma once
// From a Shape to a watertight mesh at the resolution the scene needs.

#include "core/shape.h"
#include "geometry/mesh.h"
#include "geometry/mesh_import.h"

namespace hydrolith {

struct MeshingOptions {
  double resolution = 0.01;  ///< [m] wanted size of the smallest feature (the particle spacing)
  /// Unbounded shapes (half space) are cut to this box.
  Box3 clip = {Vec3::Constant(-10), Vec3::Constant(10)};
};

/// The shape's surface with its placement (at, rotate, scale, inside_out) applied. Primitive shapes
/// give their exact or finely faceted surface, composed ones are contoured from signed distance
/// with sharp edges kept. Closed, except for a mesh file that is open and cannot be repaired.
/// Throws MeshError with a reason (empty difference, unreadable file, ...).
TriangleMesh build_mesh(const Shape& shape, const MeshingOptions& options,
                        MeshReport* report = nullptr);

/// False for shapes whose surface may reach to infinity (half spaces and what is composed of them).
/// Turning a shape inside out does not change its surface.
bool is_bounded(const Shape& shape);

/// Bounds of the placed shape; infinite along unbounded directions.
Box3 bounds(const Shape& shape);

}  // namespace hydrolith
