#pragma once
// From signed distance to a closed mesh with sharp features: dual contouring.
//
//   1. narrow band: the cells of a uniform grid that the surface may pass through, found by
//      subdivision; a block is dropped when |d(centre)| exceeds its half diagonal
//   2. Hermite data: point and normal where the surface crosses a grid edge
//   3. one vertex for every piece of surface in a cell, placed where the tangent planes of its
//      crossings meet best (Ju, Losasso, Schaefer & Warren 2002, "Dual Contouring of Hermite
//      Data", section 2)
//   4. one quad around every crossed grid edge
//
// Pieces of surface in a cell are kept apart as in the dual of marching cubes (Nielson 2004, "Dual
// Marching Cubes"), with ambiguous faces settled so that the result is a manifold
// (contour_cells.h).

#include "geometry/sdf.h"

#include <optional>

namespace hydrolith {

/// The surface of {d < 0}, which must lie inside `box`, in cubes of edge `cell` [m]. Details
/// smaller than a cell may be lost. No mesh if the narrow band has more than `most_cells` cells; an
/// empty one if there is no surface. Throws MeshError if the distance breaks its Lipschitz promise.
std::optional<TriangleMesh> contour(const Sdf& sdf, const Box3& box, double cell,
                                    std::size_t most_cells = 1'000'000);

/// A smaller box around the surface: that of the narrow band at 1/128 of the box's size. The same
/// box if it is already tight, an empty one if there is no surface.
Box3 tighten(const Sdf& sdf, const Box3& box);

}  // namespace hydrolith
