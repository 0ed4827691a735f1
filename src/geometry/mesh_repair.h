#pragma once
// The steps of repair(), each a function from mesh to mesh that says what it did. All of them are
// deterministic and keep the order of what they do not touch.

#include "geometry/mesh.h"

#include <cstdint>
#include <vector>

namespace hydrolith {

/// Throws MeshError unless every index and every coordinate can be used.
void require_usable(const TriangleMesh& mesh);

/// Merges each vertex into the first one within `distance` [m] of it; 0: only equal ones.
std::size_t weld(TriangleMesh& mesh, double distance);

/// Drops triangles with a repeated vertex.
std::size_t drop_collapsed(TriangleMesh& mesh);

/// Drops triangles over the same three vertices: of equal ones all but one; of a pair back to back
/// both if the surface around is whole without them (an inner wall), otherwise one.
std::size_t drop_duplicates(TriangleMesh& mesh);

/// Drops vertices that no triangle uses.
std::size_t drop_unreferenced(TriangleMesh& mesh);

/// Gives all triangles that hang together across edges of two the orientation of the majority.
std::size_t orient(TriangleMesh& mesh);

/// Where sheets touch along an edge or at a vertex, gives each its own copy of the vertices.
/// `everywhere` false: only at edges with more than two triangles.
std::size_t separate_sheets(TriangleMesh& mesh, bool everywhere);

struct HoleCount {
  std::size_t holes = 0, triangles = 0;
};
/// Closes holes of up to `largest_hole` edges with the patch of least area, if that is at most
/// `largest_share` of the area of their component.
HoleCount fill_holes(TriangleMesh& mesh, int largest_hole, double largest_share);

/// Triangles without area that three different vertices span: turns the edge they share with a
/// neighbour, so that both get an area.
std::size_t flip_needles(TriangleMesh& mesh);

struct OutwardCount {
  std::size_t flipped = 0;         // triangles of components that were inside out
  bool turned_inside_out = false;  // the whole mesh was
};
/// Turns closed components that lie in no other the right way out, together with what lies in them.
/// Cavities (components inside others, facing in) stay as they are.
OutwardCount face_outwards(TriangleMesh& mesh);

/// Label of the component of each triangle (joined across shared vertices), from 0 in order.
std::vector<std::uint32_t> components(const TriangleMesh& mesh);

}  // namespace hydrolith
