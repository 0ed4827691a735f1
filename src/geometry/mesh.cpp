#include "geometry/mesh.h"

#include "core/parallel.h"
#include "geometry/mesh_edges.h"

namespace hydrolith {

Box3 bounds(const TriangleMesh& mesh) {
  Box3 box;
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t v : t) box.include(mesh.vertices[v]);
  return box;
}

double area(const TriangleMesh& mesh) {
  return ordered_sum(mesh.triangles.size(), 0.0, [&](std::size_t t) {
    const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
    return 0.5 * (b - a).cross(c - a).norm();
  });
}

// A mirroring scale turns the triangles around; they are swapped back so that the outside stays
// outside.
void transform(TriangleMesh& mesh, const Pose& pose, const Vec3& scale) {
  const Mat3 m = pose.orientation.toRotationMatrix() * scale.asDiagonal();
  for (Vec3& x : mesh.vertices) x = m * x + pose.position;
  if (scale.prod() < 0) turn_inside_out(mesh);
}

void turn_inside_out(TriangleMesh& mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  mesh.triangles.reserve(mesh.triangles.size() + other.triangles.size());
  for (const Triangle& t : other.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

bool is_closed(const TriangleMesh& mesh) {
  return !mesh.empty() && count_edges(sorted_half_edges(mesh)).closed();
}

}  // namespace hydrolith
