#pragma once
// The edges of a triangle mesh with the triangles that meet at them.

#include "geometry/mesh.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

/// One side of one triangle: side k runs from corner k to corner k + 1.
struct HalfEdge {
  std::uint32_t lo = 0, hi = 0;  // the two vertices of the edge, lo <= hi
  std::uint32_t triangle = 0;
  std::uint8_t side = 0;
  bool forward = false;  // the triangle runs from lo to hi
};

/// All sides of all triangles, sorted by edge (lo, hi), then by triangle and side.
std::vector<HalfEdge> sorted_half_edges(const TriangleMesh& mesh);

/// Calls f(span of half edges) once for every edge, in order.
template <class F>
void for_each_edge(std::span<const HalfEdge> sorted, F&& f) {
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && sorted[end].lo == sorted[begin].lo &&
           sorted[end].hi == sorted[begin].hi)
      ++end;
    f(sorted.subspan(begin, end - begin));
  }
}

/// Two triangles that run along the edge in opposite directions: the surface goes on across it.
inline bool is_clean(std::span<const HalfEdge> edge) {
  return edge.size() == 2 && edge[0].forward != edge[1].forward && edge[0].lo != edge[0].hi;
}

/// How many edges keep a mesh from being closed, by kind.
struct EdgeCount {
  std::size_t boundary = 0;      // one triangle
  std::size_t non_manifold = 0;  // three or more triangles, or a side without length
  std::size_t flipped = 0;       // two triangles that disagree about the outside

  bool closed() const { return boundary + non_manifold + flipped == 0; }
};
EdgeCount count_edges(std::span<const HalfEdge> sorted);

}  // namespace hydrolith
