#pragma once
// Normals for smooth shading: curved parts look round, edges stay sharp.

#include "hydrolith/frame.h"

#include <array>
#include <cstdint>
#include <vector>

namespace hydrolith {

/// One unit normal for each corner of each triangle: the mean, weighted by angle, of the normals of
/// the triangles around that vertex that lean less than `crease_angle` [rad] away from this one.
/// Vertices at the same place count as one. Degenerate triangles get a zero normal.
std::vector<std::array<Vec3f, 3>> corner_normals(const SurfaceMesh& mesh, double crease_angle);

/// Pairs of points: the edges whose triangles meet at more than `crease_angle` [rad], and rims.
std::vector<std::array<Vec3f, 2>> sharp_edges(const SurfaceMesh& mesh, double crease_angle);

}  // namespace hydrolith
