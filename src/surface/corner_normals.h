#pragma once
// Normals for smooth shading: curved parts look round, edges stay sharp.

#include "hydrolith/frame.h"

#include <array>
#include <cstdint>
#include <numbers>
#include <vector>

namespace hydrolith {

/// Edges sharper than this stay edges in pictures and exports [rad].
constexpr double crease_angle = 35 * std::numbers::pi / 180;

/// One unit normal for each corner of each triangle: the mean, weighted by angle, of the normals of
/// the triangles around that vertex that lean less than `crease` [rad] away from this one.
/// Vertices at the same place count as one. Degenerate triangles get a zero normal.
std::vector<std::array<Vec3f, 3>> corner_normals(const SurfaceMesh& mesh, double crease);

/// Pairs of points: the edges whose triangles meet at more than `crease` [rad], and rims.
std::vector<std::array<Vec3f, 2>> sharp_edges(const SurfaceMesh& mesh, double crease);

/// The normals above, each once: `of_corner` has a number for each corner of each triangle.
struct NormalList {
  std::vector<Vec3f> normal;                            // unit
  std::vector<std::array<std::uint32_t, 3>> of_corner;  // parallel to the triangles
};
NormalList list_normals(const SurfaceMesh& mesh, double crease);

/// The same mesh with one normal a vertex: vertices on edges are there once for each normal.
struct SplitMesh {
  SurfaceMesh mesh;
  std::vector<Vec3f> normal;  // of each vertex
};
SplitMesh split_at_edges(const SurfaceMesh& mesh, double crease);

}  // namespace hydrolith
