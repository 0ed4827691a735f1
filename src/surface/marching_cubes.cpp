#include "surface/marching_cubes.h"

#include <bit>

namespace hydrolith {

namespace {

/// Two axes span a face; seen from outside, its corners run counter-clockwise.
std::array<int, 4> face_corners(int face) {
  const int axis = face / 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
  const int base = face % 2 ? 1 << axis : 0;
  if (face % 2) return {base, base + u, base + u + v, base + v};
  return {base, base + v, base + u + v, base + u};
}

int edge_between(int a, int b) {
  const int axis = std::countr_zero(static_cast<unsigned>(a ^ b)), from = a & b;
  return 4 * axis + (from >> (axis + 1) % 3 & 1) + 2 * (from >> (axis + 2) % 3 & 1);
}

constexpr int none = -1;
using Arcs = std::array<int, 12>;  // the edge that follows each crossed edge around its polygon

Arcs find_arcs(unsigned inside) {
  Arcs next;
  next.fill(none);
  for (int face = 0; face < 6; ++face) {
    const std::array<int, 4> corner = face_corners(face);
    const auto in = [&](int k) { return inside >> corner[k % 4] & 1u; };
    for (int k = 0; k < 4; ++k) {
      if (in(k + 3) || !in(k)) continue;  // a run of inside corners starts at k
      int last = k;
      while (in(last + 1)) ++last;
      const int enter = edge_between(corner[(k + 3) % 4], corner[k]);
      const int leave = edge_between(corner[last % 4], corner[(last + 1) % 4]);
      next[enter] = leave;
    }
  }
  return next;
}

/// Bits of the faces that an edge lies on.
unsigned faces_of(int edge) {
  const int a = start_corner(edge), b = a | 1 << edge / 4;
  unsigned faces = 0;
  for (int axis = 0; axis < 3; ++axis)
    if ((a >> axis & 1) == (b >> axis & 1)) faces |= 1u << (2 * axis + (a >> axis & 1));
  return faces;
}

/// Cuts the polygon's part first .. last into triangles; false if some diagonal must lie in a face.
bool cut(const std::vector<int>& polygon, std::size_t first, std::size_t last,
         std::vector<CellTriangle>& out) {
  if (last - first < 2) return true;
  const std::size_t kept = out.size();
  const auto allowed = [&](std::size_t a, std::size_t b) {
    return b - a == 1 || (faces_of(polygon[a]) & faces_of(polygon[b])) == 0;
  };
  for (std::size_t k = first + 1; k < last; ++k) {
    if (!allowed(first, k) || !allowed(k, last)) continue;
    out.push_back({static_cast<std::uint8_t>(polygon[first]), static_cast<std::uint8_t>(polygon[k]),
                   static_cast<std::uint8_t>(polygon[last])});
    if (cut(polygon, first, k, out) && cut(polygon, k, last, out)) return true;
    out.resize(kept);
  }
  return false;
}

std::vector<CellTriangle> triangles_of(unsigned inside) {
  Arcs next = find_arcs(inside);
  std::vector<CellTriangle> triangles;
  for (int start = 0; start < 12; ++start) {
    std::vector<int> polygon;
    for (int edge = start; next[edge] != none;) {
      polygon.push_back(edge);
      const int following = next[edge];
      next[edge] = none;
      edge = following;
    }
    if (!polygon.empty()) cut(polygon, 0, polygon.size() - 1, triangles);
  }
  return triangles;
}

}  // namespace

int start_corner(int edge) {
  const int axis = edge / 4;
  return (edge & 1) << (axis + 1) % 3 | (edge >> 1 & 1) << (axis + 2) % 3;
}

const std::array<std::vector<CellTriangle>, 256>& marching_cubes_table() {
  static const auto table = [] {
    std::array<std::vector<CellTriangle>, 256> all;
    for (unsigned inside = 0; inside < 256; ++inside) all[inside] = triangles_of(inside);
    return all;
  }();
  return table;
}

}  // namespace hydrolith
