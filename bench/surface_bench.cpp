// The liquid surface of n^3 particles in a dam, and of an eighth of them as spray, each a drop of
// its own. Time on the clock and of the processor, triangles, memory; one and two threads.

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

/// n^3 particles this many spacings apart, a little off the lattice, as liquid in motion is.
LiquidFrame particles(int n, float apart) {
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
            (apart * Vec3f(static_cast<float>(i), static_cast<float>(j), static_cast<float>(k)) +
             shift));
        velocity.values.insert(velocity.values.end(), {1.0f, 0.0f, uniform(random)});
      }
  liquid.fields.push_back(std::move(velocity));
  return liquid;
}

rusage used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}
double peak_memory() { return static_cast<double>(used().ru_maxrss) / 1024; }  // [MB]
double processor_time() {                                                      // [s]
  const rusage u = used();
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

void measure(const char* what, const LiquidFrame& liquid, double cell, int count) {
  set_threads(count);
  Stopwatch watch;
  const double before = processor_time();
  const LiquidSurface s = liquid_surface(liquid, spacing, 3, {.cell = cell});
  const double seconds = watch.lap();
  const double volume = static_cast<double>(liquid.position.size()) * spacing * spacing * spacing;
  fmt::print("{:5}  {:4}  {:7}  {:7.2f}  {:9.2f}  {:9}  {:6.4f}  {:7.0f}\n", what, cell, count,
             seconds, processor_time() - before, s.mesh.triangles.size(),
             enclosed_volume(s.mesh) / volume, peak_memory());
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  fmt::print("{} particles\n", n * n * n);
  fmt::print("what   cell  threads  seconds  processor  triangles  volume  peak MB\n");
  const LiquidFrame dam = particles(n, 1);
  for (const double cell : {1.0, 0.75, 0.5})
    for (const int count : {1, 2}) measure("dam", dam, cell, count);
  const LiquidFrame spray = particles(n / 2, 3);
  for (const int count : {1, 2}) measure("spray", spray, 0.5, count);
  return 0;
}
