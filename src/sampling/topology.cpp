#include "sampling/topology.h"

#include "geometry/mesh_edges.h"
#include "geometry/triangle_distance.h"

#include <cmath>

namespace hydrolith {

Topology::Topology(const TriangleMesh& mesh) {
  // Across each side.
  across.assign(mesh.triangles.size(), {no_triangle, no_triangle, no_triangle});
  for_each_edge(sorted_half_edges(mesh), [&](std::span<const HalfEdge> edge) {
    if (!is_clean(edge)) return;
    across[edge[0].triangle][edge[0].side] = edge[1].triangle;
    across[edge[1].triangle][edge[1].side] = edge[0].triangle;
  });

  // Around each vertex: counting sort.
  start.assign(mesh.vertices.size() + 1, 0);
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t v : t) ++start[v + 1];
  for (std::size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];
  around.resize(3 * mesh.triangles.size());
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t v : mesh.triangles[t])
      around[next[v]++] = static_cast<std::uint32_t>(t);
}

namespace {

Vec3 twice_area_vector(const TriangleMesh& mesh, std::size_t t) {
  const Vec3 a = mesh.corner(t, 0);
  return (mesh.corner(t, 1) - a).cross(mesh.corner(t, 2) - a);
}

TriangleClosest closest_on(const TriangleMesh& mesh, std::uint32_t t, const Vec3& x) {
  return closest_on_triangle(x, mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
}

}  // namespace

Vec3 face_normal(const TriangleMesh& mesh, std::size_t t) {
  if (is_needle(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2))) return Vec3::Zero();
  return twice_area_vector(mesh, t).normalized();
}

double face_area(const TriangleMesh& mesh, std::size_t t) {
  return 0.5 * twice_area_vector(mesh, t).norm();
}

double corner_angle(const TriangleMesh& mesh, std::size_t t, int k) {
  const Vec3 p = mesh.corner(t, k);
  const Vec3 a = mesh.corner(t, (k + 1) % 3) - p, b = mesh.corner(t, (k + 2) % 3) - p;
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

Vec3 walk(const TriangleMesh& mesh, const Topology& topology, const Vec3& target,
          std::uint32_t& triangle) {
  TriangleClosest best = closest_on(mesh, triangle, target);
  const auto try_triangle = [&](std::uint32_t t) {
    if (t == no_triangle) return;
    const TriangleClosest c = closest_on(mesh, t, target);
    if (c.distance_sq >= best.distance_sq * (1 - 1e-9)) return;
    best = c;
    triangle = t;
  };
  for (int step = 0; step < 200 && best.feature != TriangleFeature::face; ++step) {
    const std::uint32_t from = triangle;
    const int feature = static_cast<int>(best.feature);  // corners 0 .. 2, sides 3 .. 5
    if (feature >= 3)
      try_triangle(topology.across[from][feature - 3]);
    else
      for (const std::uint32_t t : topology.ring(mesh.triangles[from][feature])) try_triangle(t);
    if (triangle == from) break;
  }
  return best.point;
}

}  // namespace hydrolith
