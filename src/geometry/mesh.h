#pragma once
// Triangle meshes: plain arrays, counter-clockwise seen from outside.

#include <array>
#include <cstdint>
#include <vector>

#include "hydrolith/vec.h"

namespace hydrolith {

using Triangle = std::array<std::uint32_t, 3>;

struct TriangleMesh {
  std::vector<Vec3> vertices;       // [m]
  std::vector<Triangle> triangles;  // indices into vertices

  bool empty() const { return triangles.empty(); }
  Vec3 corner(std::size_t triangle, int k) const { return vertices[triangles[triangle][k]]; }
};

Box3 bounds(const TriangleMesh& mesh);
double area(const TriangleMesh& mesh);                         // [m^2]
void transform(TriangleMesh& mesh, const Pose& pose, const Vec3& scale = Vec3::Ones());
void turn_inside_out(TriangleMesh& mesh);
void append(TriangleMesh& mesh, const TriangleMesh& other);

/// Every directed edge appears exactly once and its opposite exactly once: closed, oriented.
bool is_closed(const TriangleMesh& mesh);

}  // namespace hydrolith
