#include "geometry/mesh_edges.h"

#include <algorithm>
#include <tuple>

namespace hydrolith {

// Counting sort by the lower vertex, then each small bucket by the rest.
std::vector<HalfEdge> sorted_half_edges(const TriangleMesh& mesh) {
  const auto side_of = [&](std::size_t t, int k) {
    const std::uint32_t from = mesh.triangles[t][k], to = mesh.triangles[t][(k + 1) % 3];
    return HalfEdge{std::min(from, to), std::max(from, to), static_cast<std::uint32_t>(t),
                    static_cast<std::uint8_t>(k), from <= to};
  };

  // Where the bucket of each vertex starts.
  std::vector<std::uint32_t> start(mesh.vertices.size() + 1, 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) ++start[side_of(t, k).lo + 1];
  for (std::size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];

  // Fill the buckets and sort inside each.
  std::vector<HalfEdge> sorted(3 * mesh.triangles.size());
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const HalfEdge side = side_of(t, k);
      sorted[next[side.lo]++] = side;
    }
  for (std::size_t v = 0; v + 1 < start.size(); ++v)
    std::sort(sorted.begin() + start[v], sorted.begin() + start[v + 1],
              [](const HalfEdge& a, const HalfEdge& b) {
                return std::tie(a.hi, a.triangle, a.side) < std::tie(b.hi, b.triangle, b.side);
              });
  return sorted;
}

EdgeCount count_edges(std::span<const HalfEdge> sorted) {
  EdgeCount count;
  for_each_edge(sorted, [&](std::span<const HalfEdge> edge) {
    if (is_clean(edge)) return;
    if (edge.size() > 2 || edge[0].lo == edge[0].hi)
      ++count.non_manifold;
    else if (edge.size() == 1)
      ++count.boundary;
    else
      ++count.flipped;
  });
  return count;
}

}  // namespace hydrolith
