#pragma once
// Which crossings of a cell belong to the same piece of surface.
//
// On each face of a cell the surface leaves arcs that pair up its crossed edges; every crossed edge
// lies on two faces, so the arcs form closed curves, and each curve bounds one piece of surface. A
// face whose corners alternate in sign can be paired in two ways; both cells at it must agree. We
// ask the distance at the centre of the face. If then both arcs belong to one piece in either cell,
// the two vertices would be joined by two mesh edges, which is no manifold; pairing the face the
// other way cuts each of the two curves in two, which mends it and can spoil no other face.

#include "geometry/contour_grid.h"

#include <array>
#include <cstdint>
#include <vector>

namespace hydrolith {

/// Edge 4 axis + u + 2 v of a cell runs along `axis` from the corner with bits u and v set along
/// the axes (axis + 1) % 3 and (axis + 2) % 3.
struct CellPieces {
  std::uint32_t first = 0;                  // piece 0 of the cell is this vertex of the mesh
  std::uint8_t count = 0;                   // pieces
  std::array<std::uint8_t, 12> piece = {};  // of each edge; `none` if it is not crossed
  static constexpr std::uint8_t none = 255;
};

/// The corner where the edge starts, as bits.
int edge_corner(int edge);

/// For each cell of the band.
std::vector<CellPieces> find_pieces(const Sdf& sdf, const NarrowBand& band);

}  // namespace hydrolith
