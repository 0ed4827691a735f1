#include "sampling/features.h"

#include "geometry/mesh_edges.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double corner_turn = 40;        // [deg] a sharp curve that turns more has a corner there
constexpr double spike_angle = 1.5 * pi;  // [rad] angles around the tip of a cone sum to less

struct SharpEdge {
  std::uint32_t a, b, triangle;
};

/// The sharp edges and, for every vertex, those that end there.
struct SharpGraph {
  std::vector<SharpEdge> edges;
  std::vector<std::vector<std::uint32_t>> at;  // per vertex: indices into edges
  std::vector<Triangle> sharp;                 // per triangle and side: 1 = sharp

  std::uint32_t other_end(std::uint32_t edge, std::uint32_t v) const {
    return edges[edge].a == v ? edges[edge].b : edges[edge].a;
  }
};

SharpGraph find_sharp_edges(const TriangleMesh& mesh, double feature_angle) {
  SharpGraph graph;
  graph.at.resize(mesh.vertices.size());
  graph.sharp.assign(mesh.triangles.size(), {0, 0, 0});
  const double least_cos = std::cos(feature_angle * pi / 180);
  for_each_edge(sorted_half_edges(mesh), [&](std::span<const HalfEdge> edge) {
    if (is_clean(edge)) {
      const Vec3 n = face_normal(mesh, edge[0].triangle), m = face_normal(mesh, edge[1].triangle);
      if (n.isZero() || m.isZero() || n.dot(m) >= least_cos) return;
    }
    for (const HalfEdge& side : edge) graph.sharp[side.triangle][side.side] = 1;
    const auto index = static_cast<std::uint32_t>(graph.edges.size());
    graph.edges.push_back({edge[0].lo, edge[0].hi, edge[0].triangle});
    graph.at[edge[0].lo].push_back(index);
    graph.at[edge[0].hi].push_back(index);
  });
  return graph;
}

/// Where sharp curves end, meet or bend, and the tips of cones.
std::vector<char> find_corners(const TriangleMesh& mesh, const Topology& topology,
                               const SharpGraph& graph) {
  std::vector<char> corner(mesh.vertices.size(), 0);
  for (std::uint32_t v = 0; v < corner.size(); ++v) {
    const auto& edges = graph.at[v];
    if (edges.size() == 2) {
      const Vec3 in = mesh.vertices[v] - mesh.vertices[graph.other_end(edges[0], v)];
      const Vec3 out = mesh.vertices[graph.other_end(edges[1], v)] - mesh.vertices[v];
      corner[v] = std::atan2(in.cross(out).norm(), in.dot(out)) > corner_turn * pi / 180;
    } else if (!edges.empty()) {
      corner[v] = 1;
    } else if (!topology.ring(v).empty()) {
      double sum = 0;
      for (const std::uint32_t t : topology.ring(v)) {
        const auto& c = mesh.triangles[t];
        sum +=
            corner_angle(mesh, t, static_cast<int>(std::find(c.begin(), c.end(), v) - c.begin()));
      }
      corner[v] = sum < spike_angle;
    }
  }
  return corner;
}

/// Follows sharp edges from `edge` at v until a corner or the start is reached.
FeatureCurve follow(const SharpGraph& graph, const std::vector<char>& corner, std::uint32_t v,
                    std::uint32_t edge, std::vector<char>& used) {
  FeatureCurve curve{{v}, graph.edges[edge].triangle, false};
  for (;;) {
    used[edge] = 1;
    const std::uint32_t next = graph.other_end(edge, curve.vertices.back());
    curve.vertices.push_back(next);
    if (corner[next] || next == v) break;
    edge = graph.at[next][0] == edge ? graph.at[next][1] : graph.at[next][0];
  }
  curve.closed = !corner[v] && curve.vertices.back() == v;
  return curve;
}

std::vector<FeatureCurve> chain(const SharpGraph& graph, const std::vector<char>& corner) {
  std::vector<FeatureCurve> curves;
  std::vector<char> used(graph.edges.size(), 0);
  for (const bool from_corners : {true, false})
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e)
      for (const std::uint32_t v : {graph.edges[e].a, graph.edges[e].b})
        if (!used[e] && (!from_corners || corner[v]))
          curves.push_back(follow(graph, corner, v, e, used));
  return curves;
}

/// The parts of the surface between sharp edges: their triangles.
std::vector<std::vector<std::uint32_t>> find_patches(const Topology& topology,
                                                     const SharpGraph& graph) {
  std::vector<std::vector<std::uint32_t>> patches;
  std::vector<char> seen(topology.across.size(), 0);
  for (std::uint32_t first = 0; first < seen.size(); ++first) {
    if (seen[first]) continue;
    std::vector<std::uint32_t> patch{first};
    seen[first] = 1;
    for (std::size_t i = 0; i < patch.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t t = topology.across[patch[i]][k];
        if (t == no_triangle || graph.sharp[patch[i]][k] || seen[t]) continue;
        seen[t] = 1;
        patch.push_back(t);
      }
    patches.push_back(std::move(patch));
  }
  return patches;
}

bool is_flat(const TriangleMesh& outer, const TriangleMesh& inner,
             const std::vector<std::uint32_t>& patch, double tolerance) {
  const auto largest = std::max_element(patch.begin(), patch.end(), [&](auto s, auto t) {
    return face_area(outer, s) < face_area(outer, t);
  });
  const Vec3 n = face_normal(outer, *largest), p = inner.corner(*largest, 0);
  const auto lies_in_plane = [&](std::uint32_t t) {
    for (int k = 0; k < 3; ++k)
      if (std::abs(n.dot(inner.corner(t, k) - p)) > tolerance) return false;
    const Vec3 m = face_normal(outer, t);
    return m.isZero() || m.dot(n) > 0.9999;
  };
  return !n.isZero() && std::all_of(patch.begin(), patch.end(), lies_in_plane);
}

/// The outline of a patch as one loop of vertices; empty if it has several or touches itself.
std::vector<std::uint32_t> outline(const TriangleMesh& mesh, const SharpGraph& graph,
                                   const std::vector<std::uint32_t>& patch) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sides;
  for (const std::uint32_t t : patch)
    for (int k = 0; k < 3; ++k)
      if (graph.sharp[t][k])
        sides.emplace_back(mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]);
  std::sort(sides.begin(), sides.end());
  std::vector<std::uint32_t> loop;
  if (sides.empty()) return loop;
  std::uint32_t v = sides[0].first;
  do {
    const auto next = std::lower_bound(sides.begin(), sides.end(), std::pair(v, 0u));
    if (next == sides.end() || next->first != v) return {};
    loop.push_back(v);
    v = next->second;
  } while (v != sides[0].first && loop.size() <= sides.size());
  return loop.size() == sides.size() ? loop : std::vector<std::uint32_t>{};
}

/// Four corners, straight sides, right angles.
bool as_rectangle(const TriangleMesh& inner, const std::vector<std::uint32_t>& loop,
                  const std::vector<char>& corner, double tolerance, FlatRectangle& rectangle) {
  std::vector<std::size_t> at;  // positions of the corners in the loop
  for (std::size_t i = 0; i < loop.size(); ++i)
    if (corner[loop[i]]) at.push_back(i);
  if (at.size() != 4) return false;
  std::array<Vec3, 4> c;
  for (std::size_t k = 0; k < 4; ++k) {
    rectangle.corners[k] = loop[at[k]];
    c[k] = inner.vertices[rectangle.corners[k]];
  }
  if ((c[0] - c[1] + c[2] - c[3]).norm() > tolerance) return false;
  const Vec3 u = c[1] - c[0], v = c[3] - c[0];
  if (std::abs(u.dot(v)) > 0.02 * u.norm() * v.norm() + tolerance * tolerance) return false;
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3 d = c[(k + 1) % 4] - c[k];
    for (std::size_t i = at[k]; i != at[(k + 1) % 4]; i = (i + 1) % loop.size()) {
      const Vec3 x = inner.vertices[loop[i]] - c[k];
      const double along = d.squaredNorm() > 0 ? x.dot(d) / d.squaredNorm() : 0;
      if ((x - along * d).norm() > tolerance) return false;
    }
  }
  return true;
}

}  // namespace

Features find_features(const TriangleMesh& outer, const TriangleMesh& inner,
                       const Topology& topology, double feature_angle, double tolerance) {
  const SharpGraph graph = find_sharp_edges(outer, feature_angle);
  const std::vector<char> corner = find_corners(outer, topology, graph);
  Features features;
  for (std::uint32_t v = 0; v < corner.size(); ++v)
    if (corner[v]) features.corners.push_back(v);
  features.curves = chain(graph, corner);
  features.in_rectangle.assign(outer.triangles.size(), 0);
  for (const auto& patch : find_patches(topology, graph)) {
    if (!is_flat(outer, inner, patch, tolerance)) continue;
    FlatRectangle rectangle{{}, patch[0]};
    if (!as_rectangle(inner, outline(outer, graph, patch), corner, tolerance, rectangle)) continue;
    features.rectangles.push_back(rectangle);
    for (const std::uint32_t t : patch) features.in_rectangle[t] = 1;
  }
  return features;
}

}  // namespace hydrolith
