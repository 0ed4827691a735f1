#pragma once
// Round shapes that hold what they hold in truth. The chords of a mesh cut off part of what is
// round (a circle of 64 segments lacks 0.16 % of its area, a ball of as many 0.3 %), so a body
// would displace too little liquid and a round tank hold too little.

#include "core/shape.h"
#include "geometry/build_mesh.h"
#include "geometry/mesh.h"

#include <optional>

namespace hydrolith {

/// The mesh of build_mesh() with its round parts moved outwards, by some thousandths of their
/// radius at most, until its volume is that of the shape: to round-off in 3D, where it follows from
/// a formula. In 2D it is the area of the section at z = 0 that counts; but for balls and
/// ellipsoids it is extrapolated from two finer meshes, to a part in ten million. Flat faces stay
/// where they are. None for shapes whose mesh needs no correction, and for those without a formula:
/// bolts, nuts, gears, compositions, mesh files.
std::optional<TriangleMesh> build_full_mesh(const Shape& shape, const MeshingOptions& options,
                                            int dimensions);

}  // namespace hydrolith
