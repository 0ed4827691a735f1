// The liquid surface of a dam of n^3 particles: time, triangles, memory; one and two threads.

#include "core/parallel.h"
#include "core/stopwatch.h"
#include "surface/liquid_surface.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>

using namespace hydrolith;

namespace {

constexpr double spacing = 0.01;  // [m]

/// A dam of n^3 particles, a little off the lattice, as liquid in motion is.
LiquidFrame dam(int n) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-0.1f, 0.1f);
  LiquidFrame liquid;
  Field velocity{"velocity", "m/s", 3, {}};
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        liquid.id.push_back(static_cast<std::uint32_t>(liquid.id.size()));
        const Vec3f shift(uniform(random), uniform(random), uniform(random));
        liquid.position.push_back(
            static_cast<float>(spacing) *
            (Vec3f(static_cast<float>(i), static_cast<float>(j), static_cast<float>(k)) + shift));
        velocity.values.insert(velocity.values.end(), {1.0f, 0.0f, uniform(random)});
      }
  liquid.fields.push_back(std::move(velocity));
  return liquid;
}

double peak_memory() {  // [MB]
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  const LiquidFrame liquid = dam(n);
  fmt::print("{} particles, {:.0f} MB before\n", liquid.position.size(), peak_memory());
  fmt::print("cell  threads  seconds  triangles  volume  peak MB\n");
  for (const double cell : {1.0, 0.75, 0.5})
    for (const int count : {1, 2}) {
      set_threads(count);
      Stopwatch watch;
      const LiquidSurface s = liquid_surface(liquid, spacing, 3, {.cell = cell});
      const double seconds = watch.lap();
      fmt::print("{:4}  {:7}  {:7.2f}  {:9}  {:6.4f}  {:7.0f}\n", cell, count, seconds,
                 s.mesh.triangles.size(),
                 enclosed_volume(s.mesh) /
                     (static_cast<double>(liquid.position.size()) * spacing * spacing * spacing),
                 peak_memory());
    }
  return 0;
}
