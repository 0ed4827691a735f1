#include "geometry/mesh_normals.h"

#include "core/parallel.h"
#include "geometry/mesh_edges.h"

#include <cmath>

namespace hydrolith {

namespace {

Vec3 unit_or_zero(const Vec3& n) {
  const double length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3(Vec3::Zero());
}

Vec3 face_normal(const TriangleMesh& mesh, std::size_t t) {
  const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
  return is_needle(a, b, c) ? Vec3(Vec3::Zero()) : unit_or_zero((b - a).cross(c - a));
}

/// Angle at corner k [rad].
double angle_at(const TriangleMesh& mesh, std::size_t t, int k) {
  const Vec3 u = mesh.corner(t, (k + 1) % 3) - mesh.corner(t, k);
  const Vec3 v = mesh.corner(t, (k + 2) % 3) - mesh.corner(t, k);
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

int longest_side(const TriangleMesh& mesh, std::size_t t, int except = -1) {
  int longest = except == 0 ? 1 : 0;
  const auto length_sq = [&](int k) {
    return (mesh.corner(t, (k + 1) % 3) - mesh.corner(t, k)).squaredNorm();
  };
  for (int k = 0; k < 3; ++k)
    if (k != except && length_sq(k) > length_sq(longest)) longest = k;
  return longest;
}

std::vector<Triangle> find_neighbours(const TriangleMesh& mesh) {
  std::vector<Triangle> across(mesh.triangles.size());
  for (std::uint32_t t = 0; t < across.size(); ++t) across[t] = {t, t, t};
  for_each_edge(sorted_half_edges(mesh), [&](std::span<const HalfEdge> edge) {
    for (const HalfEdge& mine : edge)
      for (const HalfEdge& other : edge)
        if (other.forward != mine.forward) across[mine.triangle][mine.side] = other.triangle;
  });
  return across;
}

/// A needle lies flat between its long side and the other two: the surface next to side k of t is
/// what comes after all needles on the way.
std::uint32_t beyond_needles(const TriangleMesh& mesh, std::span<const Triangle> across,
                             std::span<const Vec3> face, std::uint32_t t, int side) {
  constexpr int most_in_a_row = 16;
  std::uint32_t from = t, next = across[t][side];
  for (int i = 0; i < most_in_a_row && next != t && face[next].isZero(0); ++i) {
    int entered = -1;
    for (int k = 0; k < 3; ++k)
      if (across[next][k] == from) entered = k;
    from = next;
    next = across[next][longest_side(mesh, next, entered)];
  }
  return next;
}

}  // namespace

MeshNormals::MeshNormals(const TriangleMesh& mesh)
    : triangles_(mesh.triangles),
      neighbours_(find_neighbours(mesh)),
      face_(mesh.triangles.size()),
      vertex_(mesh.vertices.size(), Vec3::Zero()) {
  const std::size_t n = triangles_.size();
  parallel_for(n, [&](std::size_t t) { face_[t] = face_normal(mesh, t); });

  // Angles are computed side by side, sums one after the other: the order is fixed.
  std::vector<Vec3> angle(n);
  parallel_for(n, [&](std::size_t t) {
    for (int k = 0; k < 3; ++k) angle[t][k] = angle_at(mesh, t, k);
  });
  for (std::uint32_t t = 0; t < n; ++t) {
    const bool needle = face_[t].isZero(0);
    const Vec3& normal =
        needle ? face_[beyond_needles(mesh, neighbours_, face_, t, longest_side(mesh, t))]
               : face_[t];
    for (int k = 0; k < 3; ++k) vertex_[triangles_[t][k]] += angle[t][k] * normal;
  }
  for (Vec3& normal : vertex_) normal = unit_or_zero(normal);

  const std::vector<Triangle> direct = neighbours_;
  parallel_for(n, [&](std::size_t t) {
    for (int k = 0; k < 3; ++k)
      neighbours_[t][k] = beyond_needles(mesh, direct, face_, static_cast<std::uint32_t>(t), k);
  });
}

Vec3 MeshNormals::at(std::uint32_t triangle, TriangleFeature feature) const {
  const Vec3& face = face_[triangle];
  const int f = static_cast<int>(feature);
  if (feature == TriangleFeature::face) return face;
  const Vec3 normal = f < 3 ? vertex_[triangles_[triangle][f]]
                            : unit_or_zero(face + face_[neighbours_[triangle][f - 3]]);
  return normal.isZero(0) ? face : normal;
}

}  // namespace hydrolith
