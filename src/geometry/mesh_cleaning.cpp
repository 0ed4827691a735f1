// Repair, first part: vertices and triangles that should not be there.

#include "hydrolith/error.h"

#include "geometry/mesh_edges.h"
#include "geometry/mesh_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hydrolith {

namespace {

/// Points hashed by grid cell. Keys may collide: whoever looks in compares positions anyway.
class PointGrid {
 public:
  PointGrid(const Vec3& origin, double cell) : origin_(origin), cell_(cell) {}

  void insert(const Vec3& x, std::uint32_t index) {
    std::uint32_t& head = first_.try_emplace(key(cell_of(x)), none).first->second;
    if (next_.size() <= index) next_.resize(index + 1, none);
    next_[index] = head;
    head = index;
  }

  /// Calls f(index) for every point in the cells that touch the cube x +- reach.
  template <class F>
  void for_each_near(const Vec3& x, double reach, F&& f) const {
    const Cell lo = cell_of(x - Vec3::Constant(reach)), hi = cell_of(x + Vec3::Constant(reach));
    for (std::int64_t i = lo[0]; i <= hi[0]; ++i)
      for (std::int64_t j = lo[1]; j <= hi[1]; ++j)
        for (std::int64_t k = lo[2]; k <= hi[2]; ++k) {
          const auto found = first_.find(key({i, j, k}));
          if (found == first_.end()) continue;
          for (std::uint32_t p = found->second; p != none; p = next_[p]) f(p);
        }
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  static constexpr std::uint32_t none = 0xffffffffu;
  Vec3 origin_;
  double cell_;
  std::unordered_map<std::uint64_t, std::uint32_t> first_;
  std::vector<std::uint32_t> next_;

  Cell cell_of(const Vec3& x) const {
    Cell cell;
    for (int axis = 0; axis < 3; ++axis)
      cell[axis] = static_cast<std::int64_t>(std::floor((x[axis] - origin_[axis]) / cell_));
    return cell;
  }
  static std::uint64_t key(const Cell& c) {
    std::uint64_t h = 0;
    for (const std::int64_t i : c) {
      h = (h ^ static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return h;
  }
};

/// Keeps the triangles for which keep[t] is set; returns how many went.
std::size_t keep_only(TriangleMesh& mesh, const std::vector<bool>& keep) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (keep[t]) mesh.triangles[kept++] = mesh.triangles[t];
  const std::size_t dropped = mesh.triangles.size() - kept;
  mesh.triangles.resize(kept);
  return dropped;
}

/// The same vertices in rising order, and whether that took an even number of swaps.
struct Corners {
  Triangle sorted;
  bool even = true;
  std::uint32_t triangle = 0;
};

Corners sorted_corners(const Triangle& t, std::uint32_t index) {
  Corners c{t, true, index};
  const auto order = [&](int i, int j) {
    if (c.sorted[i] > c.sorted[j]) std::swap(c.sorted[i], c.sorted[j]), c.even = !c.even;
  };
  order(0, 1), order(1, 2), order(0, 1);
  return c;
}

}  // namespace

void require_usable(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) throw MeshError("the mesh has no triangles");
  constexpr double largest = 1e12;  // [m]; squares and cubes of it stay far from overflow
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vec3& x = mesh.vertices[v];
    if (!x.allFinite())
      throw MeshError(
          fmt::format("vertex {} of the mesh is not a number: ({}, {}, {})", v, x[0], x[1], x[2]));
    if (x.cwiseAbs().maxCoeff() > largest)
      throw MeshError(
          fmt::format("vertex {} of the mesh is {:g} m away; coordinates are in metres "
                      "and at most {:g}",
                      v, x.cwiseAbs().maxCoeff(), largest));
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t v : mesh.triangles[t])
      if (v >= mesh.vertices.size())
        throw MeshError(fmt::format("triangle {} of the mesh uses vertex {}, but there are only {}",
                                    t, v, mesh.vertices.size()));
}

std::size_t weld(TriangleMesh& mesh, double distance) {
  const Box3 box = bounds(mesh);
  const double diagonal = box.size().norm();
  PointGrid grid(box.lo, std::max({4 * distance, 1e-9 * diagonal, 1e-200}));

  // The first vertex of each neighbourhood stays; later ones go to the nearest that stays.
  std::vector<std::uint32_t> target(mesh.vertices.size());
  std::vector<bool> used(mesh.vertices.size(), false);
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t v : t) used[v] = true;
  std::size_t merged = 0;
  for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v) {
    target[v] = v;
    if (!used[v]) continue;
    const Vec3& x = mesh.vertices[v];
    double nearest_sq = distance * distance;
    grid.for_each_near(x, distance, [&](std::uint32_t other) {
      const double d_sq = (x - mesh.vertices[other]).squaredNorm();
      const bool nearer = d_sq < nearest_sq || (d_sq == nearest_sq && other < target[v]);
      if (nearer) nearest_sq = d_sq, target[v] = other;
    });
    if (target[v] == v)
      grid.insert(x, v);
    else
      ++merged;
  }
  for (Triangle& t : mesh.triangles)
    for (std::uint32_t& v : t) v = target[v];

  // Merged vertices leave; the others close ranks.
  std::vector<std::uint32_t> place(mesh.vertices.size());
  std::uint32_t kept = 0;
  for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v)
    if (target[v] == v) mesh.vertices[kept] = mesh.vertices[v], place[v] = kept++;
  mesh.vertices.resize(kept);
  for (Triangle& t : mesh.triangles)
    for (std::uint32_t& v : t) v = place[v];
  return merged;
}

std::size_t drop_collapsed(TriangleMesh& mesh) {
  return std::erase_if(mesh.triangles, [](const Triangle& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
  });
}

std::size_t drop_duplicates(TriangleMesh& mesh) {
  std::vector<Corners> all;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    all.push_back(sorted_corners(mesh.triangles[t], t));
  std::sort(all.begin(), all.end(), [](const Corners& a, const Corners& b) {
    return a.sorted != b.sorted ? a.sorted < b.sorted : a.triangle < b.triangle;
  });

  // Of every group the first of each orientation stays for now.
  std::vector<bool> keep(mesh.triangles.size(), false);
  std::vector<std::array<std::uint32_t, 2>> back_to_back;
  std::vector<bool> paired(mesh.triangles.size(), false);
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    while (end < all.size() && all[end].sorted == all[i].sorted) ++end;
    const auto other = std::find_if(all.begin() + i, all.begin() + end,
                                    [&](const Corners& c) { return c.even != all[i].even; });
    keep[all[i].triangle] = true;
    if (other == all.begin() + end) continue;
    back_to_back.push_back({all[i].triangle, other->triangle});
    for (std::size_t k = i; k < end; ++k) paired[all[k].triangle] = true;
  }

  // An inner wall is one whose edges join an even number of other triangles.
  std::vector<std::array<bool, 3>> odd(mesh.triangles.size(), {false, false, false});
  if (!back_to_back.empty())
    for_each_edge(sorted_half_edges(mesh), [&](std::span<const HalfEdge> edge) {
      std::size_t others = 0;
      for (const HalfEdge& h : edge) others += keep[h.triangle] && !paired[h.triangle];
      for (const HalfEdge& h : edge) odd[h.triangle][h.side] = others % 2 == 1;
    });
  std::vector<bool> without_walls = keep;
  for (const auto& [first, second] : back_to_back)
    if (!odd[first][0] && !odd[first][1] && !odd[first][2]) without_walls[first] = false;
  const bool any_left =
      std::find(without_walls.begin(), without_walls.end(), true) != without_walls.end();
  return keep_only(mesh, any_left ? without_walls : keep);
}

std::size_t drop_unreferenced(TriangleMesh& mesh) {
  constexpr std::uint32_t unused = 0xffffffffu;
  std::vector<std::uint32_t> place(mesh.vertices.size(), unused);
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t v : t) place[v] = 0;
  std::uint32_t kept = 0;
  for (std::uint32_t v = 0; v < place.size(); ++v)
    if (place[v] != unused) mesh.vertices[kept] = mesh.vertices[v], place[v] = kept++;
  for (Triangle& t : mesh.triangles)
    for (std::uint32_t& v : t) v = place[v];
  const std::size_t dropped = mesh.vertices.size() - kept;
  mesh.vertices.resize(kept);
  return dropped;
}

}  // namespace hydrolith
