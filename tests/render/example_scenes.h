#pragma once
// Small worlds to look at, made by hand: used by the tests and the benchmark of the renderer.

#include "hydrolith/frame.h"

#include <cmath>
#include <numbers>
#include <random>

namespace hydrolith::examples {

struct World {
  Objects objects;
  Frame frame;
};

inline SurfaceMesh box_mesh(const Vec3& size) {
  SurfaceMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(Vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5)
                                .cwiseProduct(size)
                                .cast<float>());
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

inline SurfaceMesh turned_inside_out(SurfaceMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

/// An ellipsoid of `rings` x 2 `rings` quads; appended to what is there.
inline void add_ellipsoid(SurfaceMesh& mesh, const Vec3& centre, const Vec3& radii,
                          int rings = 24) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  const int columns = 2 * rings;
  for (int i = 0; i <= rings; ++i)
    for (int j = 0; j < columns; ++j) {
      const double theta = std::numbers::pi * i / rings, phi = 2 * std::numbers::pi * j / columns;
      const Vec3 n(std::sin(theta) * std::cos(phi), std::cos(theta),
                   std::sin(theta) * std::sin(phi));
      mesh.vertices.push_back((centre + n.cwiseProduct(radii)).cast<float>());
    }
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < columns; ++j) {
      const auto at = [&](int r, int c) {
        return first + static_cast<std::uint32_t>(r * columns + c % columns);
      };
      mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      mesh.triangles.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
    }
}

inline SurfaceMesh duck_mesh(double length) {
  SurfaceMesh mesh;
  add_ellipsoid(mesh, Vec3::Zero(), length * Vec3(0.45, 0.26, 0.3));
  add_ellipsoid(mesh, length * Vec3(0.28, 0.36, 0), length * Vec3(0.2, 0.2, 0.19));
  add_ellipsoid(mesh, length * Vec3(0.5, 0.33, 0), length * Vec3(0.09, 0.03, 0.08));
  add_ellipsoid(mesh, length * Vec3(-0.45, 0.14, 0), length * Vec3(0.14, 0.07, 0.12));
  return mesh;
}

inline void add_body(World& world, SurfaceMesh mesh, BodyInfo info, const Pose& pose) {
  info.mesh = static_cast<std::uint32_t>(world.objects.meshes.size());
  info.object = static_cast<std::uint32_t>(world.objects.body_objects.size());
  world.objects.meshes.push_back(std::move(mesh));
  world.objects.body_objects.push_back(info.name);
  world.objects.bodies.push_back(std::move(info));
  world.frame.bodies.emplace_back().pose = pose;
}

/// Another body like the last one.
inline void add_copy(World& world, const Pose& pose) {
  world.objects.bodies.push_back(world.objects.bodies.back());
  world.frame.bodies.emplace_back().pose = pose;
}

inline void add_liquid(World& world, std::vector<Vec3f> positions, std::vector<Vec3f> velocities) {
  LiquidFrame liquid;
  Field velocity{"velocity", "m/s", 3, {}}, pressure{"pressure", "Pa", 1, {}};
  float top = -1e30f;
  for (const Vec3f& p : positions) top = std::max(top, p.y());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    liquid.id.push_back(static_cast<std::uint32_t>(i));
    velocity.values.insert(velocity.values.end(), velocities[i].data(), velocities[i].data() + 3);
    pressure.values.push_back(9810 * (top - positions[i].y()));
  }
  liquid.position = std::move(positions);
  liquid.fields = {std::move(velocity), std::move(pressure)};
  world.objects.liquids.push_back({.name = "water"});
  world.frame.liquids.push_back(std::move(liquid));
}

/// About `count` particles of a wave running through a tank of 2 x 1 x 0.8 m, a duck on it and two
/// crates in front.
inline World dam(std::size_t count) {
  World world;
  world.frame.time = 1.25;
  const double length = 2, depth = 0.8;
  const auto surface = [&](double x) {
    return 0.16 + 0.36 * std::exp(-6 * (x - 0.35) * (x - 0.35)) + 0.03 * std::sin(9 * x);
  };
  double volume = 0;
  for (int i = 0; i < 1000; ++i)
    volume += surface(length * (i + 0.5) / 1000) * depth * length / 1000;
  const double h = std::cbrt(volume / static_cast<double>(count));
  world.objects.spacing = h;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(-0.15 * h, 0.15 * h);
  std::vector<Vec3f> positions, velocities;
  for (double x = 0.5 * h; x < length; x += h)
    for (double z = 0.5 * h; z < depth; z += h)
      for (double y = 0.5 * h; y < surface(x) + 0.02 * std::sin(14 * z + 5 * x); y += h) {
        const Vec3 p(x + noise(random), y + noise(random), z + noise(random));
        positions.push_back(p.cast<float>());
        const double speed = 2.2 * y / 0.5 * std::exp(-2 * (x - 0.7) * (x - 0.7)) + 0.1;
        velocities.push_back(Vec3(speed, 10 * noise(random), 0).cast<float>());
      }
  add_liquid(world, std::move(positions), std::move(velocities));
  add_body(world, turned_inside_out(box_mesh({length, 1, depth})),
           {.name = "tank", .kind = BodyKind::fixed, .container = true},
           {.position = {1, 0.5, 0.4}});
  add_body(world, duck_mesh(0.34), {.name = "duck", .colour = {0.9f, 0.55f, 0.05f}},
           {.position = {1.05, 0.33, 0.42},
            .orientation = Quat(Eigen::AngleAxisd(-0.25, Vec3::UnitZ()))});
  add_body(world, box_mesh(Vec3::Constant(0.16)), {.name = "crate"},
           {.position = {1.6, 0.2, 0.5},
            .orientation = Quat(Eigen::AngleAxisd(0.4, Vec3(1, 1, 0.3).normalized()))});
  add_copy(world, {.position = {1.75, 0.19, 0.25},
                   .orientation = Quat(Eigen::AngleAxisd(1.1, Vec3(0.2, 1, 0.1).normalized()))});
  return world;
}

/// A round tower of bricks, 14 a ring.
inline World tower(int blocks) {
  World world;
  const int ring = 14;
  const Vec3 size(0.4, 0.15, 0.2);
  for (int i = 0; i < blocks; ++i) {
    const int layer = i / ring;
    const double angle = 2 * std::numbers::pi * (i % ring + 0.5 * (layer % 2)) / ring,
                 radius = 0.95;
    const Pose pose{
        .position = {radius * std::sin(angle), size.y() * (layer + 0.5), radius * std::cos(angle)},
        .orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()))};
    if (i == 0)
      add_body(world, box_mesh(size), {.name = "brick"}, pose);
    else
      add_copy(world, pose);
  }
  return world;
}

/// A column of water in a box, seen from the front: two dimensions.
inline World flat(int across) {
  World world;
  world.objects.dimensions = 2;
  const double h = world.objects.spacing = 1.0 / across;
  std::vector<Vec3f> positions, velocities;
  for (double x = 0.5 * h; x < 1; x += h)
    for (double y = 0.5 * h; y < 0.3 + 0.25 * (1 - x); y += h) {
      positions.push_back(Vec3(x, y, 0).cast<float>());
      velocities.push_back(Vec3(2 * x * y, 0, 0).cast<float>());
    }
  add_liquid(world, std::move(positions), std::move(velocities));
  add_body(world, turned_inside_out(box_mesh({2, 1, 1})),
           {.name = "tank", .kind = BodyKind::fixed, .container = true}, {.position = {1, 0.5, 0}});
  add_body(world, box_mesh({0.2, 0.2, 1}), {.name = "crate"},
           {.position = {0.4, 0.6, 0}, .orientation = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()))});
  add_copy(world, {.position = {1.4, 0.1, 0}});
  return world;
}

}  // namespace hydrolith::examples
