#pragma once
// Small closed meshes with known properties, for the tests of this folder.

#include "geometry/mesh.h"

#include <cmath>
#include <numbers>
#include <random>

namespace hydrolith::test {

/// Box with the given edges [m], centred.
inline TriangleMesh box_mesh(const Vec3& size = Vec3::Ones()) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        0.5 * size.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// Corner tetrahedron with legs a, b, c [m] along the axes.
inline TriangleMesh tetrahedron_mesh(double a = 1, double b = 1, double c = 1) {
  return {{Vec3::Zero(), Vec3(a, 0, 0), Vec3(0, b, 0), Vec3(0, 0, c)},
          {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
}

/// Prism over a regular polygon with circumradius r in the xy plane, from z = -h/2 to h/2.
inline TriangleMesh prism_mesh(int sides, double r, double h) {
  TriangleMesh mesh;
  const auto n = static_cast<std::uint32_t>(sides);
  for (std::uint32_t i = 0; i < n; ++i) {
    const double phi = 2 * std::numbers::pi * i / n;
    mesh.vertices.push_back({r * std::cos(phi), r * std::sin(phi), -h / 2});
    mesh.vertices.push_back({r * std::cos(phi), r * std::sin(phi), h / 2});
  }
  mesh.vertices.push_back({0, 0, -h / 2});
  mesh.vertices.push_back({0, 0, h / 2});
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t j = (i + 1) % n;
    mesh.triangles.push_back({2 * i, 2 * j, 2 * i + 1});
    mesh.triangles.push_back({2 * j, 2 * j + 1, 2 * i + 1});
    mesh.triangles.push_back({2 * n, 2 * j, 2 * i});
    mesh.triangles.push_back({2 * n + 1, 2 * i + 1, 2 * j + 1});
  }
  return mesh;
}

/// Ring around z with the given radii [m]; u x v quads. With `bumps` the tube radius varies.
inline TriangleMesh torus_mesh(double radius, double tube, int u_count, int v_count,
                               double bumps = 0) {
  TriangleMesh mesh;
  const auto index = [&](int u, int v) {
    return static_cast<std::uint32_t>((u % u_count) * v_count + v % v_count);
  };
  for (int u = 0; u < u_count; ++u)
    for (int v = 0; v < v_count; ++v) {
      const double a = 2 * std::numbers::pi * u / u_count, b = 2 * std::numbers::pi * v / v_count;
      const double r = tube * (1 + bumps * std::sin(5 * a) * std::cos(3 * b));
      const double out = radius + r * std::cos(b);
      mesh.vertices.push_back({out * std::cos(a), out * std::sin(a), r * std::sin(b)});
    }
  for (int u = 0; u < u_count; ++u)
    for (int v = 0; v < v_count; ++v) {
      mesh.triangles.push_back({index(u, v), index(u + 1, v), index(u + 1, v + 1)});
      mesh.triangles.push_back({index(u, v), index(u + 1, v + 1), index(u, v + 1)});
    }
  return mesh;
}

/// Sphere from a cube with n x n squares a side, pushed out to the radius [m].
inline TriangleMesh sphere_mesh(int n, double radius) {
  TriangleMesh mesh;
  std::vector<std::uint32_t> index(static_cast<std::size_t>((n + 1) * (n + 1) * (n + 1)), 0);
  const auto vertex = [&](const Eigen::Vector3i& i) {
    std::uint32_t& slot = index[static_cast<std::size_t>((i[0] * (n + 1) + i[1]) * (n + 1) + i[2])];
    if (slot == 0) {
      const Vec3 t = (std::numbers::pi / 4) * (2 * i.cast<double>() / n - Vec3::Ones());
      mesh.vertices.push_back(radius * t.array().tan().matrix().normalized());
      slot = static_cast<std::uint32_t>(mesh.vertices.size());
    }
    return slot - 1;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {0, n})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int di, int dj) {
            Eigen::Vector3i p;
            p[axis] = side, p[(axis + 1) % 3] = i + di, p[(axis + 2) % 3] = j + dj;
            return vertex(p);
          };
          const std::uint32_t a = at(0, 0), b = at(1, 0), c = at(1, 1), d = at(0, 1);
          if (side == 0) {
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({a, d, c});
          } else {
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({a, c, d});
          }
        }
  return mesh;
}

inline Vec3 random_point(std::mt19937& random, const Box3& box) {
  std::uniform_real_distribution<double> uniform(0, 1);
  Vec3 t;
  for (int axis = 0; axis < 3; ++axis) t[axis] = uniform(random);
  return box.lo + t.cwiseProduct(box.size());
}

inline Quat random_rotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double w = normal(random), x = normal(random), y = normal(random), z = normal(random);
  return Quat(w, x, y, z).normalized();
}

/// Generalised winding number by brute force (Jacobson 2013): 1 inside, 0 outside.
inline double winding_number(const TriangleMesh& mesh, const Vec3& x) {
  double solid_angle = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vec3 a = mesh.corner(t, 0) - x, b = mesh.corner(t, 1) - x, c = mesh.corner(t, 2) - x;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    solid_angle += 2 * std::atan2(a.dot(b.cross(c)),
                                  la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return solid_angle / (4 * std::numbers::pi);
}

}  // namespace hydrolith::test
