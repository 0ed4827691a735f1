#pragma once
// Who meets whom on a triangle mesh, and a walk over it.

#include "geometry/mesh.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hydrolith {

inline constexpr std::uint32_t no_triangle = std::numeric_limits<std::uint32_t>::max();

struct Topology {
  std::vector<Triangle> across;       // triangle across side k (corner k to k + 1), or none
  std::vector<std::uint32_t> start;   // around vertex v: around[start[v] .. start[v + 1])
  std::vector<std::uint32_t> around;  // triangles around each vertex

  explicit Topology(const TriangleMesh& mesh);
  std::span<const std::uint32_t> ring(std::uint32_t vertex) const {
    return {around.data() + start[vertex], around.data() + start[vertex + 1]};
  }
};

/// Unit normal; zero for a needle.
Vec3 face_normal(const TriangleMesh& mesh, std::size_t triangle);
double face_area(const TriangleMesh& mesh, std::size_t triangle);  // [m^2]
/// Angle of the triangle at its corner k [rad].
double corner_angle(const TriangleMesh& mesh, std::size_t triangle, int k);

/// The point of the surface nearest to `target` that is reached from `triangle` by going from
/// triangle to triangle as long as that comes nearer. `triangle` becomes where it lies.
Vec3 walk(const TriangleMesh& mesh, const Topology& topology, const Vec3& target,
          std::uint32_t& triangle);

}  // namespace hydrolith
