// Repair, third part: holes, and triangles without area.

#include "geometry/mesh_holes.h"

#include "hydrolith/error.h"

#include "geometry/mesh_repair.h"
#include "geometry/triangle_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace hydrolith {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
using Edge = std::array<std::uint32_t, 2>;

Edge edge_of(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

bool has_edge(std::span<const HalfEdge> sorted, const Edge& e) {
  const auto key = [](const HalfEdge& h) { return Edge{h.lo, h.hi}; };
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), e,
                                      [&](const HalfEdge& h, const Edge& x) { return key(h) < x; });
  return found != sorted.end() && key(*found) == e;
}

double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  return 0.5 * (b - a).cross(c - a).norm();
}

struct Patch {
  std::vector<Triangle> triangles;
  std::vector<Edge> chords;  // new edges inside the hole
  double area = 0;           // [m^2]
};

/// Triangulation of a loop with the least area, by dynamic programming over its chords (Barequet &
/// Sharir 1995, "Filling gaps in the boundary of a polyhedron"): W(i,k) = min_j W(i,j) + W(j,k) +
/// cost(i,j,k). Of equal areas, as in a plane, the one with the shortest sides wins. Chords for
/// which `forbidden` holds are not used. Empty if there is none.
template <class F>
Patch least_area_patch(const TriangleMesh& mesh, std::span<const std::uint32_t> loop,
                       F&& forbidden) {
  const std::size_t n = loop.size();
  std::vector<double> cost(n * n, 0);
  std::vector<std::size_t> middle(n * n, 0);
  const auto x = [&](std::size_t i) -> const Vec3& { return mesh.vertices[loop[i]]; };
  constexpr double shape_weight = 1e-6;
  for (std::size_t span = 2; span < n; ++span)
    for (std::size_t i = 0; i + span < n; ++i) {
      const std::size_t k = i + span;
      cost[i * n + k] = inf;
      if (span + 1 < n && forbidden(edge_of(loop[i], loop[k]))) continue;
      for (std::size_t j = i + 1; j < k; ++j) {
        const double sides_sq = (x(i) - x(j)).squaredNorm() + (x(j) - x(k)).squaredNorm();
        const double c = cost[i * n + j] + cost[j * n + k] + triangle_area(x(i), x(j), x(k)) +
                         shape_weight * sides_sq;
        if (c < cost[i * n + k]) cost[i * n + k] = c, middle[i * n + k] = j;
      }
    }
  Patch patch;
  if (n < 3 || !(cost[n - 1] < inf)) return patch;
  std::vector<std::array<std::size_t, 2>> open{{0, n - 1}};
  while (!open.empty()) {
    const auto [i, k] = open.back();
    open.pop_back();
    if (k - i < 2) continue;
    const std::size_t j = middle[i * n + k];
    patch.triangles.push_back({loop[i], loop[j], loop[k]});
    patch.area += triangle_area(x(i), x(j), x(k));
    if (k - i + 1 < n) patch.chords.push_back(edge_of(loop[i], loop[k]));
    open.push_back({i, j});
    open.push_back({j, k});
  }
  return patch;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> boundary_loops(std::span<const HalfEdge> sorted) {
  // Steps along the boundary, against the direction of the triangles.
  std::vector<Edge> steps;
  for_each_edge(sorted, [&](std::span<const HalfEdge> edge) {
    if (edge.size() == 1 && edge[0].lo != edge[0].hi)
      steps.push_back(edge[0].forward ? Edge{edge[0].hi, edge[0].lo}
                                      : Edge{edge[0].lo, edge[0].hi});
  });
  std::sort(steps.begin(), steps.end());
  std::vector<bool> used(steps.size(), false);
  const auto take_step_from = [&](std::uint32_t v) -> const Edge* {
    auto i = std::lower_bound(steps.begin(), steps.end(), Edge{v, 0}) - steps.begin();
    for (; i < std::ssize(steps) && steps[i][0] == v; ++i)
      if (!used[i]) {
        used[i] = true;
        return &steps[i];
      }
    return nullptr;
  };

  // Walk; where the walk meets itself a loop is complete and is cut off.
  std::vector<std::vector<std::uint32_t>> loops;
  std::vector<std::int64_t> position;  // of a vertex on the walk, -1 elsewhere
  for (const Edge& s : steps)
    position.resize(std::max<std::size_t>(position.size(), std::max(s[0], s[1]) + 1), -1);
  for (const Edge& start : steps) {
    std::vector<std::uint32_t> walk{start[0]};
    position[start[0]] = 0;
    while (const Edge* step = take_step_from(walk.back())) {
      const std::uint32_t next = (*step)[1];
      if (position[next] < 0) {
        position[next] = std::ssize(walk);
        walk.push_back(next);
        continue;
      }
      const auto begin = walk.begin() + position[next];
      loops.emplace_back(begin, walk.end());
      for (auto v = begin + 1; v != walk.end(); ++v) position[*v] = -1;
      walk.erase(begin + 1, walk.end());
    }
    for (const std::uint32_t v : walk) position[v] = -1;
  }
  return loops;
}

std::vector<Triangle> triangulate(const TriangleMesh& mesh, std::span<const std::uint32_t> loop) {
  return least_area_patch(mesh, loop, [](const Edge&) { return false; }).triangles;
}

void append_polygon(TriangleMesh& mesh, std::span<const std::uint32_t> corners) {
  constexpr std::size_t most_corners = 1000;
  if (corners.size() > most_corners)
    throw MeshError(
        fmt::format("it has a face with {} corners; cut faces to at most {} (best to "
                    "triangles) before export",
                    corners.size(), most_corners));
  for (const std::uint32_t v : corners)
    if (v >= mesh.vertices.size())
      throw MeshError(fmt::format("it has a face with vertex {}, but there are only {}", v,
                                  mesh.vertices.size()));
  if (corners.size() == 3) {
    mesh.triangles.push_back({corners[0], corners[1], corners[2]});
  } else if (corners.size() > 3) {
    const std::vector<Triangle> cut = triangulate(mesh, corners);
    mesh.triangles.insert(mesh.triangles.end(), cut.begin(), cut.end());
  }
}

HoleCount fill_holes(TriangleMesh& mesh, int largest_hole, double largest_share) {
  const std::vector<HalfEdge> sorted = sorted_half_edges(mesh);
  const auto loops = boundary_loops(sorted);
  if (loops.empty()) return {};

  // Area of the component around each vertex.
  const std::vector<std::uint32_t> label = components(mesh);
  std::vector<double> area_of(mesh.triangles.size(), 0);
  std::vector<std::uint32_t> label_at(mesh.vertices.size(), 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    area_of[label[t]] += triangle_area(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
    for (const std::uint32_t v : mesh.triangles[t]) label_at[v] = label[t];
  }

  HoleCount count;
  std::set<Edge> new_chords;
  for (const std::vector<std::uint32_t>& loop : loops) {
    if (loop.size() < 3 || std::ssize(loop) > largest_hole) continue;
    const Patch patch = least_area_patch(
        mesh, loop, [&](const Edge& e) { return has_edge(sorted, e) || new_chords.contains(e); });
    if (patch.triangles.empty() || patch.area > largest_share * area_of[label_at[loop[0]]])
      continue;
    mesh.triangles.insert(mesh.triangles.end(), patch.triangles.begin(), patch.triangles.end());
    new_chords.insert(patch.chords.begin(), patch.chords.end());
    ++count.holes;
    count.triangles += patch.triangles.size();
  }
  return count;
}

namespace {

bool is_needle_in(const TriangleMesh& mesh, const Triangle& t) {
  return is_needle(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
}

/// Turns the long side of needle t towards the opposite corner of the triangle behind it:
/// (a,b,c) and (b,a,d) become (a,d,c) and (d,b,c). Marks both as changed.
bool flip_needle(TriangleMesh& mesh, std::span<const HalfEdge> sorted, std::uint32_t t,
                 std::vector<bool>& changed) {
  const Triangle needle = mesh.triangles[t];
  int side = 0;
  double longest_sq = -1;
  for (int k = 0; k < 3; ++k) {
    const double length_sq = (mesh.corner(t, (k + 1) % 3) - mesh.corner(t, k)).squaredNorm();
    if (length_sq > longest_sq) longest_sq = length_sq, side = k;
  }
  const std::uint32_t a = needle[side], b = needle[(side + 1) % 3], c = needle[(side + 2) % 3];
  const Edge e = edge_of(a, b);
  const auto h =
      std::lower_bound(sorted.begin(), sorted.end(), e, [](const HalfEdge& x, const Edge& y) {
        return Edge{x.lo, x.hi} < y;
      });
  const auto edge = std::span(h, std::min<std::size_t>(3, sorted.end() - h));
  if (edge.size() < 2 || !is_clean(edge.first(2)) || edge_of(edge[1].lo, edge[1].hi) != e)
    return false;
  if (edge.size() == 3 && edge_of(edge[2].lo, edge[2].hi) == e) return false;
  const HalfEdge& other = edge[0].triangle == t ? edge[1] : edge[0];
  const std::uint32_t d = mesh.triangles[other.triangle][(other.side + 2) % 3];
  const Triangle first{a, d, c}, second{d, b, c};
  if (changed[t] || changed[other.triangle] || d == c || has_edge(sorted, edge_of(c, d)) ||
      is_needle_in(mesh, first) || is_needle_in(mesh, second))
    return false;
  mesh.triangles[t] = first;
  mesh.triangles[other.triangle] = second;
  changed[t] = changed[other.triangle] = true;
  return true;
}

}  // namespace

std::size_t flip_needles(TriangleMesh& mesh) {
  constexpr int passes = 16;
  std::size_t flipped = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<std::uint32_t> needles;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
      if (is_needle_in(mesh, mesh.triangles[t])) needles.push_back(t);
    if (needles.empty()) break;
    const std::vector<HalfEdge> sorted = sorted_half_edges(mesh);
    std::vector<bool> changed(mesh.triangles.size(), false);
    const std::size_t before = flipped;
    std::set<std::uint32_t> apexes;  // two new edges may not end at the same corner in one pass
    for (const std::uint32_t t : needles) {
      const Triangle& n = mesh.triangles[t];
      if (apexes.contains(n[0]) || apexes.contains(n[1]) || apexes.contains(n[2])) continue;
      const Triangle corners = n;
      if (!flip_needle(mesh, sorted, t, changed)) continue;
      apexes.insert(corners.begin(), corners.end());
      ++flipped;
    }
    if (flipped == before) break;
  }
  return flipped;
}

}  // namespace hydrolith
