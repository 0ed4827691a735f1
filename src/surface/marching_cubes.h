#pragma once
// Marching cubes with a table that is derived, not typed: on each face of a cell, every run of
// corners inside the liquid is cut off by one arc (so corners that meet only across a diagonal stay
// apart); arcs join to closed polygons, and polygons are cut into triangles by diagonals that lie
// in no face. Neighbouring cells see the same face and hence the same arcs: the mesh is closed, and
// every edge has exactly two triangles.
//
// Corner c of a cell has bits x + 2 y + 4 z. Edge 4 axis + u + 2 v runs along `axis` from the
// corner with bits u and v set along the axes (axis + 1) % 3 and (axis + 2) % 3.

#include <array>
#include <cstdint>
#include <vector>

namespace hydrolith {

using CellTriangle = std::array<std::uint8_t, 3>;  // edges, counter-clockwise seen from outside

/// The corner where an edge starts.
int start_corner(int edge);

/// Triangles for each of the 256 sets of corners inside the liquid.
const std::array<std::vector<CellTriangle>, 256>& marching_cubes_table();

}  // namespace hydrolith
