#pragma once
// Fewer triangles for the same solid.

#include "geometry/mesh.h"

namespace hydrolith {

/// A mesh with as few triangles as lie within about `tolerance` [m] of the given one, and with its
/// volume. Vertices go outwards or inwards where facets cut off or fill what is
/// curved; flat faces stay where they are. The mesh itself, if it is not closed or cannot be made
/// simpler.
TriangleMesh simplified(const TriangleMesh& mesh, double tolerance);

}  // namespace hydrolith
