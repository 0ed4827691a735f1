#pragma once
#include "geometry/mesh_edges.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

/// The rims of all holes: simple loops of vertices in the order in which a patch runs along them.
/// `sorted` comes from sorted_half_edges().
std::vector<std::vector<std::uint32_t>> boundary_loops(std::span<const HalfEdge> sorted);

/// Triangles over a polygon that need not be flat or convex, with the least area; cost grows with
/// the cube of the number of corners.
std::vector<Triangle> triangulate(const TriangleMesh& mesh, std::span<const std::uint32_t> loop);

/// Adds the face of a file as triangles; points and lines are no surface. Throws MeshError if it
/// uses vertices that are not there or has too many corners.
void append_polygon(TriangleMesh& mesh, std::span<const std::uint32_t> corners);

}  // namespace hydrolith
