// How long cutting cells takes, on one thread: microseconds a cell inside, at walls, at the free
// surface and beside a ball, for particles on a lattice and in disorder.
//
//   bench_cells [particles an edge]

#include "cells/cells.h"
#include "core/parallel.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <random>

namespace {

using namespace hydrolith;

constexpr double h = 0.02;  // [m]

/// A box of 12 triangles, solid outside.
TriangleMesh tank(const Vec3& low, const Vec3& high) {
  TriangleMesh mesh;
  for (int v = 0; v < 8; ++v)
    mesh.vertices.emplace_back(v & 1 ? high.x() : low.x(), v & 2 ? high.y() : low.y(),
                               v & 4 ? high.z() : low.z());
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  turn_inside_out(mesh);
  return mesh;
}

/// Triangles between circles of latitude.
TriangleMesh ball(double radius, std::uint32_t rings) {
  TriangleMesh mesh;
  const std::uint32_t around = 2 * rings;
  mesh.vertices.emplace_back(0, 0, radius);
  for (std::uint32_t k = 1; k < rings; ++k)
    for (std::uint32_t l = 0; l < around; ++l) {
      const double theta = std::numbers::pi * k / rings, phi = 2 * std::numbers::pi * l / around;
      mesh.vertices.emplace_back(radius * Vec3(std::sin(theta) * std::cos(phi),
                                               std::sin(theta) * std::sin(phi), std::cos(theta)));
    }
  mesh.vertices.emplace_back(0, 0, -radius);
  const auto at = [&](std::uint32_t k, std::uint32_t l) {
    return 1 + (k - 1) * around + l % around;
  };
  const auto last = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  for (std::uint32_t l = 0; l < around; ++l) {
    mesh.triangles.push_back({0, at(1, l), at(1, l + 1)});
    for (std::uint32_t k = 1; k + 1 < rings; ++k) {
      mesh.triangles.push_back({at(k, l), at(k + 1, l), at(k + 1, l + 1)});
      mesh.triangles.push_back({at(k, l), at(k + 1, l + 1), at(k, l + 1)});
    }
    mesh.triangles.push_back({last, at(rings - 1, l + 1), at(rings - 1, l)});
  }
  return mesh;
}

double seconds_of(CellBuilder& builder, const CellOptions& options, std::span<const Vec3> x,
                  std::span<const CellSurface> surfaces, Cells& cells) {
  double best = 1e9;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const std::clock_t start = std::clock();  // processor time: others may be at work
    builder.build(options, x, surfaces, cells);
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  set_threads(1);
  const int n = argc > 1 ? std::atoi(argv[1]) : 32;
  const double width = n * h;
  const TriangleMesh walls = tank(Vec3::Zero(), Vec3(width, 1.5 * width, width));
  const TriangleMesh far_walls = tank(Vec3::Constant(-width), Vec3::Constant(3 * width));
  const TriangleMesh sphere = ball(5 * h, 32);
  const SurfaceIndex walls_index(walls), far_index(far_walls), ball_index(sphere);
  const Vec3 centre = 0.5 * Vec3::Constant(width);
  fmt::print("us a cell, {} particles an edge           tank     in air    with a ball\n", n);
  for (const double jitter : {0.0, 0.1, 0.25}) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> off(-jitter, jitter);
    std::vector<Vec3> x, outside;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          x.push_back(
              h * (Vec3(i + 0.5, j + 0.5, k + 0.5) + Vec3(off(random), off(random), off(random))));
          if ((x.back() - centre).norm() > 5.2 * h) outside.push_back(x.back());
        }
    CellBuilder builder;
    Cells cells;
    const CellOptions options{.h = h, .near = 0.88};
    const CellSurface in_tank{&walls_index, {}}, in_air{&far_index, {}};
    CellSurface body{&ball_index, {}};
    body.pose.position = centre;
    const double tank_time = seconds_of(builder, options, x, {&in_tank, 1}, cells);
    double faces = static_cast<double>(cells.faces.size()) / static_cast<double>(cells.size());
    const std::size_t mended = cells.mended;
    const double air_time = seconds_of(builder, options, x, {&in_air, 1}, cells);
    const CellSurface both[] = {in_tank, body};
    const double ball_time = seconds_of(builder, options, outside, both, cells);
    fmt::print("jitter {:.2f} h, {:.1f} faces, {} mended {:>20.2f} {:>10.2f} {:>10.2f}\n", jitter,
               faces, mended + cells.mended, 1e6 * tank_time / double(x.size()),
               1e6 * air_time / double(x.size()), 1e6 * ball_time / double(outside.size()));
  }
}
