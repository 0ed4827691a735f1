// Repair, second part: which side is out, and which sheets belong together.

#include "geometry/mesh_edges.h"
#include "geometry/mesh_repair.h"
#include "geometry/union_find.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

namespace {

void flip(Triangle& t) { std::swap(t[1], t[2]); }

/// A triangle across an edge of two, and whether both agree about the outside.
struct Neighbour {
  std::uint32_t triangle = 0xffffffffu;
  bool agrees = true;
};

std::vector<std::array<Neighbour, 3>> neighbours_across_edges(const TriangleMesh& mesh) {
  std::vector<std::array<Neighbour, 3>> across(mesh.triangles.size());
  for_each_edge(sorted_half_edges(mesh), [&](std::span<const HalfEdge> edge) {
    if (edge.size() != 2) return;
    const bool agree = edge[0].forward != edge[1].forward;
    across[edge[0].triangle][edge[0].side] = {edge[1].triangle, agree};
    across[edge[1].triangle][edge[1].side] = {edge[0].triangle, agree};
  });
  return across;
}

/// Pairs the triangles around an edge of many into sheets. Seen along lo -> hi, the solid begins at
/// a triangle that runs backward and ends, turning on, at one that runs forward: they match like
/// brackets around the circle. Calls join(a, b) for each pair; what is left over stays alone.
template <class F>
void pair_around_edge(const TriangleMesh& mesh, std::span<const HalfEdge> edge, F&& join) {
  const Vec3 lo = mesh.vertices[edge[0].lo], axis = mesh.vertices[edge[0].hi] - lo;
  const Vec3 u = axis.unitOrthogonal(), w = axis.cross(u).normalized();
  std::vector<std::pair<double, HalfEdge>> around;
  for (const HalfEdge& h : edge) {
    const Vec3 opposite = mesh.corner(h.triangle, (h.side + 2) % 3) - lo;
    around.emplace_back(std::atan2(opposite.dot(w), opposite.dot(u)), h);
  }
  std::stable_sort(around.begin(), around.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });

  // Twice around the circle: pairs may straddle the start.
  std::vector<std::size_t> begun;
  std::vector<bool> done(around.size(), false);
  for (std::size_t i = 0; i < 2 * around.size(); ++i) {
    const std::size_t k = i % around.size();
    if (done[k]) continue;
    if (!around[k].second.forward) {
      if (std::find(begun.begin(), begun.end(), k) == begun.end()) begun.push_back(k);
    } else if (!begun.empty()) {
      join(around[begun.back()].second, around[k].second);
      done[k] = done[begun.back()] = true;
      begun.pop_back();
    }
  }
}

/// Number of the corner of a triangle at a vertex, counted over the whole mesh.
std::uint32_t corner_at(const TriangleMesh& mesh, std::uint32_t triangle, std::uint32_t vertex) {
  const Triangle& t = mesh.triangles[triangle];
  return 3 * triangle + (t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2);
}

/// One connected closed piece of a mesh.
struct Piece {
  std::vector<std::uint32_t> triangles;
  Box3 box;
  double volume = 0;  // [m^3] signed
  bool closed = true;
};

std::vector<Piece> find_pieces(const TriangleMesh& mesh) {
  const std::vector<std::uint32_t> label = components(mesh);
  std::vector<Piece> pieces;
  const Vec3 o = bounds(mesh).centre();
  for (std::uint32_t t = 0; t < label.size(); ++t) {
    if (label[t] >= pieces.size()) pieces.resize(label[t] + 1);
    Piece& piece = pieces[label[t]];
    piece.triangles.push_back(t);
    const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
    piece.box.include(a).include(b).include(c);
    piece.volume += (a - o).dot((b - o).cross(c - o)) / 6;
  }
  for_each_edge(sorted_half_edges(mesh), [&](std::span<const HalfEdge> edge) {
    if (!is_clean(edge)) pieces[label[edge[0].triangle]].closed = false;
  });
  return pieces;
}

/// Solid angle of the piece seen from x over the full one: about +-1 inside, 0 outside (van
/// Oosterom & Strackee 1983).
double winding_number(const TriangleMesh& mesh, const Piece& piece, const Vec3& x) {
  double angle = 0;
  for (const std::uint32_t t : piece.triangles) {
    const Vec3 a = mesh.corner(t, 0) - x, b = mesh.corner(t, 1) - x, c = mesh.corner(t, 2) - x;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    angle += 2 * std::atan2(a.dot(b.cross(c)),
                            la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return angle / (4 * std::numbers::pi);
}

bool lies_in(const TriangleMesh& mesh, const Piece& inner, const Piece& outer) {
  return outer.box.contains(inner.box.lo) && outer.box.contains(inner.box.hi) &&
         std::abs(winding_number(mesh, outer, mesh.corner(inner.triangles[0], 0))) > 0.5;
}

}  // namespace

std::vector<std::uint32_t> components(const TriangleMesh& mesh) {
  UnionFind sets(mesh.vertices.size());
  for (const Triangle& t : mesh.triangles) sets.join(t[0], t[1]), sets.join(t[1], t[2]);
  constexpr std::uint32_t unnamed = 0xffffffffu;
  std::vector<std::uint32_t> name(mesh.vertices.size(), unnamed), label;
  std::uint32_t count = 0;
  for (const Triangle& t : mesh.triangles) {
    std::uint32_t& n = name[sets.find(t[0])];
    if (n == unnamed) n = count++;
    label.push_back(n);
  }
  return label;
}

std::size_t orient(TriangleMesh& mesh) {
  const auto across = neighbours_across_edges(mesh);
  enum : char { unseen, kept, turned };
  std::vector<char> state(mesh.triangles.size(), unseen);
  std::size_t flipped = 0;
  std::vector<std::uint32_t> patch;
  for (std::uint32_t seed = 0; seed < state.size(); ++seed) {
    if (state[seed] != unseen) continue;
    state[seed] = kept;
    patch.assign(1, seed);
    std::size_t turns = 0;
    for (std::size_t i = 0; i < patch.size(); ++i)
      for (const Neighbour& n : across[patch[i]]) {
        if (n.triangle >= state.size() || state[n.triangle] != unseen) continue;
        const bool turn = (state[patch[i]] == turned) == n.agrees;
        state[n.triangle] = turn ? turned : kept;
        turns += turn;
        patch.push_back(n.triangle);
      }
    // The majority was right.
    const char wrong = 2 * turns > patch.size() ? kept : turned;
    for (const std::uint32_t t : patch)
      if (state[t] == wrong) flip(mesh.triangles[t]), ++flipped;
  }
  return flipped;
}

std::size_t separate_sheets(TriangleMesh& mesh, bool everywhere) {
  // Corners of neighbouring triangles of one sheet share their vertex.
  UnionFind corners(3 * mesh.triangles.size());
  std::vector<bool> touched(mesh.vertices.size(), everywhere);
  const auto join = [&](const HalfEdge& a, const HalfEdge& b) {
    for (const std::uint32_t v : {a.lo, a.hi})
      corners.join(corner_at(mesh, a.triangle, v), corner_at(mesh, b.triangle, v));
  };
  for_each_edge(sorted_half_edges(mesh), [&](std::span<const HalfEdge> edge) {
    if (edge.size() == 2) join(edge[0], edge[1]);
    if (edge.size() <= 2) return;
    touched[edge[0].lo] = touched[edge[0].hi] = true;
    pair_around_edge(mesh, edge, join);
  });

  // The first sheet at a vertex keeps it, every other one gets a copy.
  constexpr std::uint32_t none = 0xffffffffu;
  std::vector<std::uint32_t> copy(3 * mesh.triangles.size(), none);
  std::vector<bool> taken(mesh.vertices.size(), false);
  const std::size_t before = mesh.vertices.size();
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::uint32_t k = 0; k < 3; ++k) {
      std::uint32_t& v = mesh.triangles[t][k];
      if (!touched[v]) continue;
      std::uint32_t& mine = copy[corners.find(3 * t + k)];
      if (mine == none && !taken[v]) {
        mine = v;
        taken[v] = true;
      } else if (mine == none) {
        mine = static_cast<std::uint32_t>(mesh.vertices.size());
        mesh.vertices.push_back(Vec3(mesh.vertices[v]));
      }
      v = mine;
    }
  return mesh.vertices.size() - before;
}

OutwardCount face_outwards(TriangleMesh& mesh) {
  const std::vector<Piece> pieces = find_pieces(mesh);
  const auto inside_out = [](const Piece& p) { return p.closed && p.volume < 0; };
  if (std::none_of(pieces.begin(), pieces.end(), inside_out)) return {};

  // Outermost pieces that face in are wrong, and with them all they hold.
  std::vector<bool> wrong(pieces.size(), false);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!inside_out(pieces[i])) continue;
    bool outermost = true;
    for (std::size_t j = 0; j < pieces.size() && outermost; ++j)
      outermost = j == i || !pieces[j].closed || !lies_in(mesh, pieces[i], pieces[j]);
    if (!outermost) continue;
    for (std::size_t j = 0; j < pieces.size(); ++j)
      if (j == i || (pieces[j].closed && lies_in(mesh, pieces[j], pieces[i]))) wrong[j] = true;
  }
  OutwardCount count;
  bool all = true;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    all = all && wrong[i];
    if (!wrong[i]) continue;
    for (const std::uint32_t t : pieces[i].triangles) flip(mesh.triangles[t]);
    count.flipped += pieces[i].triangles.size();
  }
  if (all) return {0, true};
  return count;
}

}  // namespace hydrolith
