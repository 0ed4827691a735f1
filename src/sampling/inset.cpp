#include "sampling/inset.h"

#include "core/parallel.h"
#include "geometry/mesh_edges.h"
#include "sampling/topology.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double same_plane = 0.9;   // cosine: planes closer than 25 degrees count as one
constexpr double opposite = -0.5;    // cosine: wedges sharper than 60 degrees count as thin
constexpr double longest_mitre = 2;  // a tip moves at most this many depths

/// One condition on the displacement u of a point p: normal . u = -depth - above, where `above`
/// is the height of p over the plane.
struct Condition {
  Vec3 normal;
  double weight;
  double depth;      // [m] below the plane
  double above = 0;  // [m]
};

/// Least squares with the least |u|: the planes' common point where they are independent, along
/// the mean normal where they are nearly parallel.
Vec3 solve(std::span<const Condition> conditions) {
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  for (const Condition& c : conditions) {
    A += c.weight * c.normal * c.normal.transpose();
    b -= c.weight * (c.depth + c.above) * c.normal;
  }
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  eigen.computeDirect(A);
  Vec3 u = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    const double lambda = eigen.eigenvalues()[k];
    const Vec3 e = eigen.eigenvectors().col(k);
    if (lambda > 0.02 * eigen.eigenvalues()[2]) u += e.dot(b) / lambda * e;
  }
  return u;
}

Vec3 limited(const Vec3& u, double longest) {
  const double length = u.norm();
  return length > longest ? Vec3(u * (longest / length)) : u;
}

/// Merges planes that are nearly parallel.
std::vector<Condition> cluster(std::span<const FacePlane> planes, double depth) {
  std::vector<Condition> clusters;
  std::vector<Vec3> sum;
  for (const FacePlane& plane : planes) {
    std::size_t k = 0;
    while (k < clusters.size() && clusters[k].normal.dot(plane.normal) < same_plane) ++k;
    if (k == clusters.size()) {
      clusters.push_back({plane.normal, 0, depth});
      sum.push_back(Vec3::Zero());
    }
    clusters[k].weight += plane.weight;
    sum[k] += plane.weight * plane.normal;
  }
  for (std::size_t k = 0; k < clusters.size(); ++k) clusters[k].normal = sum[k].normalized();
  return clusters;
}

/// How deep to go where the body is `thickness` thick [m]: to the middle where two layers would be
/// too close, otherwise not so deep that they are.
double depth_in(double thickness, const InsetOptions& o) {
  const double middle = 0.5 * thickness, half_gap = 0.505 * least_gap * o.spacing;
  if (middle < std::max(o.depth + 0.5 * half_gap, half_gap)) return middle;
  return std::min(o.depth, middle - half_gap);
}

/// Lessens the depth below plane k if an opposite face is near. The ray starts just below the
/// plane and a little away from the other planes.
void limit_by_thickness(const Vec3& p, std::vector<Condition>& conditions, std::size_t k,
                        const MeshDistance& surface, const InsetOptions& o) {
  const double just_below = 1e-3 * o.spacing;
  const double away = 0.02 * o.spacing;
  std::vector<Condition> start = conditions;
  for (std::size_t j = 0; j < start.size(); ++j) start[j].depth = j == k ? just_below : away;
  const Vec3 n = conditions[k].normal;
  const Vec3 x = p + limited(solve(start), longest_mitre * away);
  const double reach = 2 * o.depth + least_gap * o.spacing;
  const auto hit = surface.raycast(x, -n, 0, reach);
  if (!hit) return;
  const auto face = surface.closest(x - hit->s * n, 0.1 * o.spacing);
  if (!face || face->normal.dot(n) > opposite) return;
  conditions[k].depth = depth_in(hit->s + just_below, o);
}

/// Down to the full depth below all planes, or as far as the body's thickness allows.
Displacement displacement_by_planes(const Vec3& p, std::span<const FacePlane> planes,
                                    const MeshDistance& surface, const InsetOptions& o) {
  std::vector<Condition> conditions = cluster(planes, o.depth);
  if (conditions.empty()) return {};
  const std::size_t own = conditions.size();
  for (std::size_t k = 0; k < own; ++k) limit_by_thickness(p, conditions, k, surface, o);

  // Other faces may come nearer than the depth: next to a sharp edge, inside a small fillet.
  for (int round = 0;; ++round) {
    double least = o.depth, most = 0;
    for (const Condition& c : conditions) {
      least = std::min(least, c.depth);
      most = std::max(most, c.depth);
    }
    const Vec3 full = solve(conditions), u = limited(full, longest_mitre * most);
    const Displacement result{
        u, conditions.size() == own && least == o.depth && most <= o.depth && u == full};
    if (round == 6 || o.depth <= 0) return result;
    const auto near = surface.closest(p + u, 0.97 * least);
    if (!near || near->normal.isZero()) return result;
    double most_alike = -1, least_alike = 1;
    for (const Condition& c : conditions) {
      most_alike = std::max(most_alike, c.normal.dot(near->normal));
      least_alike = std::min(least_alike, c.normal.dot(near->normal));
    }
    if (most_alike > same_plane || least_alike < opposite) return result;
    const double above = (p - near->point).dot(near->normal);
    conditions.push_back({near->normal, conditions[0].weight, o.depth, above});
  }
}

bool is_outside(const Vec3& x, const MeshDistance& surface, double tolerance) {
  const auto near = surface.closest(x);
  return near && (x - near->point).dot(near->normal) > tolerance;
}

}  // namespace

Displacement inset_displacement(const Vec3& p, std::span<const FacePlane> planes,
                                const MeshDistance& surface, const InsetOptions& o) {
  const Displacement result = displacement_by_planes(p, planes, surface, o);
  // At the tips of thin parts the planes may contradict each other: better stay on the surface.
  if (!result.plain && is_outside(p + result.u, surface, 0.02 * o.spacing))
    return {Vec3::Zero(), false};
  return result;
}

namespace {

/// The planes around a vertex, weighted with their angles.
std::vector<FacePlane> planes_at(const TriangleMesh& mesh, const Topology& topology,
                                 std::uint32_t vertex) {
  std::vector<FacePlane> planes;
  for (const std::uint32_t t : topology.ring(vertex)) {
    const Vec3 n = face_normal(mesh, t);
    const auto& corners = mesh.triangles[t];
    const int k =
        static_cast<int>(std::find(corners.begin(), corners.end(), vertex) - corners.begin());
    if (!n.isZero()) planes.push_back({n, corner_angle(mesh, t, k)});
  }
  return planes;
}

/// Displacements of the vertices that have none yet.
void displace(const TriangleMesh& mesh, const MeshDistance& surface, const InsetOptions& o,
              std::vector<Displacement>& displacement) {
  const std::size_t first = displacement.size();
  const Topology topology(mesh);
  displacement.resize(mesh.vertices.size());
  parallel_for(mesh.vertices.size() - first, [&](std::size_t i) {
    const auto v = static_cast<std::uint32_t>(first + i);
    displacement[v] =
        inset_displacement(mesh.vertices[v], planes_at(mesh, topology, v), surface, o);
  });
}

/// Long edges over which the displacement is not linear get a vertex in the middle.
/// Returns the new vertex for every side of every triangle (0: none).
std::vector<Triangle> mark_edges(TriangleMesh& mesh, const MeshDistance& surface,
                                 const InsetOptions& o,
                                 const std::vector<Displacement>& displacement) {
  const std::vector<HalfEdge> sides = sorted_half_edges(mesh);
  std::vector<std::span<const HalfEdge>> edges;
  for_each_edge(std::span(sides), [&](std::span<const HalfEdge> edge) {
    const std::uint32_t a = edge[0].lo, b = edge[0].hi;
    const double length = (mesh.vertices[a] - mesh.vertices[b]).norm();
    const bool plain = displacement[a].plain && displacement[b].plain;
    if (length > (plain ? 4 : 1) * o.spacing) edges.push_back(edge);
  });
  std::vector<char> split(edges.size(), 0);
  parallel_for(edges.size(), [&](std::size_t e) {
    const std::uint32_t a = edges[e][0].lo, b = edges[e][0].hi;
    std::vector<FacePlane> planes;
    for (const HalfEdge& side : edges[e])
      if (const Vec3 n = face_normal(mesh, side.triangle); !n.isZero()) planes.push_back({n, 1});
    const Vec3 middle = 0.5 * (mesh.vertices[a] + mesh.vertices[b]);
    const Vec3 linear = 0.5 * (displacement[a].u + displacement[b].u);
    const Vec3 u = inset_displacement(middle, planes, surface, o).u;
    split[e] = (u - linear).norm() > 0.05 * o.spacing;
  });
  std::vector<Triangle> middle(mesh.triangles.size(), {0, 0, 0});
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (!split[e]) continue;
    for (const HalfEdge& side : edges[e])
      middle[side.triangle][side.side] = static_cast<std::uint32_t>(mesh.vertices.size());
    const HalfEdge& side = edges[e][0];
    mesh.vertices.push_back(0.5 * (mesh.vertices[side.lo] + mesh.vertices[side.hi]));
  }
  return middle;
}

/// Cuts every triangle at its new vertices: corner triangles off, the rest as a fan.
void split_triangles(TriangleMesh& mesh, const std::vector<Triangle>& middle) {
  const std::size_t count = mesh.triangles.size();
  for (std::size_t t = 0; t < count; ++t) {
    std::vector<std::uint32_t> rest;  // outline after cutting off corners between two new vertices
    const Triangle corners = mesh.triangles[t], m = middle[t];
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t before = m[(k + 2) % 3], after = m[k];
      if (before != 0 && after != 0)
        mesh.triangles.push_back({before, corners[k], after});
      else
        rest.push_back(corners[k]);
      if (after != 0) rest.push_back(after);
    }
    const auto is_new = [&](std::uint32_t v) {
      return v != 0 && (v == m[0] || v == m[1] || v == m[2]);
    };
    if (const auto apex = std::find_if(rest.begin(), rest.end(), is_new); apex != rest.end())
      std::rotate(rest.begin(), apex, rest.end());
    mesh.triangles[t] = {rest[0], rest[1], rest[2]};
    if (rest.size() == 4) mesh.triangles.push_back({rest[0], rest[2], rest[3]});
  }
}

}  // namespace

InsetSurface inset_surface(const TriangleMesh& mesh, const InsetOptions& o) {
  InsetSurface result{mesh, {}};
  const MeshDistance surface(mesh);
  std::vector<Displacement> displacement;
  displace(result.outer, surface, o, displacement);
  for (int round = 0; round < 16; ++round) {
    const std::size_t before = result.outer.vertices.size();
    const std::vector<Triangle> middle = mark_edges(result.outer, surface, o, displacement);
    if (result.outer.vertices.size() == before) break;
    split_triangles(result.outer, middle);
    displace(result.outer, surface, o, displacement);
  }
  result.inner = result.outer;
  for (std::size_t v = 0; v < displacement.size(); ++v)
    result.inner.vertices[v] += displacement[v].u;
  return result;
}

}  // namespace hydrolith
