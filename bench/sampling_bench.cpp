// How long sampling takes. The figure to hold: a million surface samples on a mesh of 500,000
// triangles in under 10 s on one core; a million liquid particles in about a second.

#include "core/parallel.h"
#include "geometry/mesh.h"
#include "sampling/fill.h"
#include "sampling/surface.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>

namespace {

using namespace hydrolith;

/// A torus with bumps, of 2 * around * across triangles.
TriangleMesh bumpy_torus(int around, int across) {
  TriangleMesh mesh;
  const auto vertex = [&](int i, int j) {
    return static_cast<std::uint32_t>(i % around * across + j % across);
  };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double a = 2 * std::numbers::pi * i / around, b = 2 * std::numbers::pi * j / across;
      const double r = 0.4 + 0.05 * std::sin(8 * a) * std::cos(5 * b);
      mesh.vertices.emplace_back((1 + r * std::cos(b)) * std::cos(a), r * std::sin(b),
                                 (1 + r * std::cos(b)) * std::sin(a));
      mesh.triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j)});
      mesh.triangles.push_back({vertex(i + 1, j), vertex(i, j + 1), vertex(i + 1, j + 1)});
    }
  return mesh;
}

/// Arguments: wanted samples, inset in hundredths of h, threads.
void sample_bumpy_torus(benchmark::State& state) {
  set_threads(static_cast<int>(state.range(2)));
  const TriangleMesh mesh = bumpy_torus(1000, 250);
  const double h = std::sqrt(area(mesh) / double(state.range(0)));
  const double inset = 0.01 * h * double(state.range(1));
  SurfaceSamples samples;
  for (auto _ : state) samples = sample_surface(mesh, {.spacing = h, .inset = inset});
  const Evenness e = evenness(samples.position, h);
  state.counters["samples"] = double(samples.position.size());
  state.counters["volume_spread"] = e.volume_spread;
  state.counters["nearest_min"] = e.nearest_min;
  state.counters["nearest_max"] = e.nearest_max;
  set_threads(0);
}
BENCHMARK(sample_bumpy_torus)
    ->Args({10000, 50, 1})
    ->Args({100000, 50, 1})
    ->Args({1000000, 0, 1})
    ->Args({1000000, 50, 1})
    ->Args({1000000, 50, 0})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

/// Arguments: wanted particles, threads. A torus of liquid around a submerged ball.
void fill_torus(benchmark::State& state) {
  set_threads(static_cast<int>(state.range(1)));
  const TriangleMesh mesh = bumpy_torus(200, 50);
  const double volume = 2 * std::numbers::pi * std::numbers::pi * 0.16;
  const double h = std::cbrt(volume / double(state.range(0)));
  const Obstacles ball = [](const Vec3& x) { return (x - Vec3(1, 0, 0)).norm() - 0.2; };
  Fill fill;
  for (auto _ : state) fill = fill_region(mesh, ball, {.spacing = h, .clearance = h / 2});
  state.counters["particles"] = double(fill.position.size());
  set_threads(0);
}
BENCHMARK(fill_torus)
    ->Args({100000, 1})
    ->Args({1000000, 1})
    ->Args({1000000, 0})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
