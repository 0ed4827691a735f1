#include "shapes.h"

#include <cmath>
#include <map>
#include <numbers>

namespace hydrolith::test {

namespace {

constexpr double pi = std::numbers::pi;

std::uint32_t index(int i) { return static_cast<std::uint32_t>(i); }

/// Rings of vertices joined by triangles; the ring's direction and order decide the outside.
void join_rings(TriangleMesh& mesh, int first, int second, int around) {
  for (int i = 0; i < around; ++i) {
    const int j = (i + 1) % around;
    mesh.triangles.push_back({index(first + i), index(second + i), index(first + j)});
    mesh.triangles.push_back({index(first + j), index(second + i), index(second + j)});
  }
}

}  // namespace

TriangleMesh box(const Vec3& size) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        Vec3((i & 1) - 0.5, ((i >> 1) & 1) - 0.5, ((i >> 2) & 1) - 0.5).cwiseProduct(size));
  const std::array<std::array<std::uint32_t, 4>, 6> faces = {
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  for (const auto& f : faces) {
    mesh.triangles.push_back({f[0], f[1], f[2]});
    mesh.triangles.push_back({f[0], f[2], f[3]});
  }
  return mesh;
}

TriangleMesh icosphere(double radius, int subdivisions) {
  TriangleMesh mesh;
  const double g = 0.5 * (1 + std::sqrt(5.0));
  mesh.vertices = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (int level = 0; level < subdivisions; ++level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, fresh] = middles.try_emplace(
          {std::min(a, b), std::max(a, b)}, static_cast<std::uint32_t>(mesh.vertices.size()));
      if (fresh) mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
      return at->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
    for (Vec3& x : mesh.vertices) x.normalize();
  }
  for (Vec3& x : mesh.vertices) x = radius * x.normalized();
  return mesh;
}

TriangleMesh torus(double radius, double tube, int around, int across, double bumps) {
  TriangleMesh mesh;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double a = 2 * pi * i / around, b = 2 * pi * j / across;
      const double r = tube + bumps * std::sin(8 * a) * std::cos(5 * b);
      mesh.vertices.emplace_back((radius + r * std::cos(b)) * std::cos(a), r * std::sin(b),
                                 (radius + r * std::cos(b)) * std::sin(a));
    }
  for (int i = 0; i < around; ++i) join_rings(mesh, i * across, (i + 1) % around * across, across);
  turn_inside_out(mesh);
  return mesh;
}

TriangleMesh cylinder(double radius, double height, int around, double top_radius) {
  TriangleMesh mesh;
  const bool pointed = top_radius == 0;
  const auto ring = [&](double r, double y) {
    for (int i = 0; i < around; ++i) {
      const double a = 2 * pi * i / around;
      mesh.vertices.emplace_back(r * std::cos(a), y, r * std::sin(a));
    }
  };
  ring(radius, -height / 2);
  if (!pointed) {
    ring(top_radius, height / 2);
    join_rings(mesh, 0, around, around);
  }
  const std::uint32_t bottom = static_cast<std::uint32_t>(mesh.vertices.size()), top = bottom + 1;
  mesh.vertices.emplace_back(0, -height / 2, 0);
  mesh.vertices.emplace_back(0, height / 2, 0);
  const int last = pointed ? 0 : around;  // the ring below the top
  for (int i = 0; i < around; ++i) {
    const int j = (i + 1) % around;
    mesh.triangles.push_back({bottom, index(i), index(j)});
    mesh.triangles.push_back({top, index(last + j), index(last + i)});
  }
  return mesh;
}

TriangleMesh prism(const std::vector<Vec2>& outline, double depth) {
  TriangleMesh mesh;
  const int n = static_cast<int>(outline.size());
  for (const double z : {-depth / 2, depth / 2})
    for (const Vec2& x : outline) mesh.vertices.emplace_back(x.x(), x.y(), z);
  join_rings(mesh, 0, n, n);
  turn_inside_out(mesh);
  for (int i = 1; i + 1 < n; ++i) {
    mesh.triangles.push_back({0, index(i + 1), index(i)});
    mesh.triangles.push_back({index(n), index(n + i), index(n + i + 1)});
  }
  return mesh;
}

TriangleMesh l_prism(double size, double depth) {
  const double s = size, m = 0.5 * size;
  return prism({{m, m}, {m, s}, {0, s}, {0, 0}, {s, 0}, {s, m}}, depth);
}

}  // namespace hydrolith::test
