// Normals for smooth shading, listed and split.

#include "surface/corner_normals.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

namespace hydrolith::test {

namespace {

SurfaceMesh cube() {
  SurfaceMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(float(i & 1), float(i >> 1 & 1), float(i >> 2));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// A prism of n sides without lids.
SurfaceMesh pipe(std::uint32_t n) {
  SurfaceMesh mesh;
  for (std::uint32_t i = 0; i < n; ++i) {
    const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(i) / float(n);
    for (const float z : {0.0f, 1.0f})
      mesh.vertices.emplace_back(std::cos(angle), std::sin(angle), z);
    const std::uint32_t a = 2 * i, b = 2 * ((i + 1) % n);
    mesh.triangles.push_back({a, b, b + 1});
    mesh.triangles.push_back({a, b + 1, a + 1});
  }
  return mesh;
}

}  // namespace

TEST_CASE("a cube has six normals, and each corner once for each of its three faces") {
  const SurfaceMesh mesh = cube();
  const NormalList list = list_normals(mesh, crease_angle);
  CHECK(list.normal.size() == 6);
  REQUIRE(list.of_corner.size() == 12);
  const SplitMesh split = split_at_edges(mesh, crease_angle);
  CHECK(split.mesh.vertices.size() == 24);
  REQUIRE(split.normal.size() == 24);
  REQUIRE(split.mesh.triangles.size() == 12);
  for (std::size_t t = 0; t < 12; ++t)
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t v = split.mesh.triangles[t][k];
      CHECK(split.mesh.vertices[v] == mesh.vertices[mesh.triangles[t][k]]);
      CHECK(split.normal[v] == list.normal[list.of_corner[t][k]]);
    }
}

TEST_CASE("a round pipe stays one piece, and its normals point away from its axis") {
  const SplitMesh split = split_at_edges(pipe(24), crease_angle);  // sides meet at 15 degrees
  CHECK(split.mesh.vertices.size() == 48);
  for (std::size_t v = 0; v < split.normal.size(); ++v) {
    const Vec3f& x = split.mesh.vertices[v];
    CHECK((split.normal[v] - Vec3f(x.x(), x.y(), 0)).norm() < 1e-5f);  // exact but for round-off
  }
  CHECK(split_at_edges(pipe(6), crease_angle).mesh.vertices.size() == 24);  // 60 degrees: edges
}

TEST_CASE("a triangle without area gets some unit normal") {
  SurfaceMesh mesh = cube();
  mesh.triangles.push_back({0, 0, 1});
  for (const Vec3f& n : list_normals(mesh, crease_angle).normal)
    CHECK(n.norm() == doctest::Approx(1));
}

}  // namespace hydrolith::test
