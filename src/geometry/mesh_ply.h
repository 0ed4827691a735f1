#pragma once
#include "geometry/mesh.h"

#include <cstddef>
#include <span>

namespace hydrolith {

/// Reads a PLY file (ascii, or binary of either byte order) in full precision: the x, y, z of its
/// vertices and its faces, cut to triangles. Throws std::runtime_error with what is wrong and
/// where.
TriangleMesh read_ply(std::span<const std::byte> content);

}  // namespace hydrolith
