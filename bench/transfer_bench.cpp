// How long the stages between particles and grid take: a quarter dam of 0.5 x 1 x 0.5 m on a grid
// of 64 cells a metre, 8 particles a cell (524 288). Best and median of some steps in which the
// liquid turns about the z axis by up to half a cell a step.
//
//   bench_transfer [threads [steps]]

#include "core/parallel.h"
#include "core/stopwatch.h"
#include "hybrid/advect.h"
#include "hybrid/reseed.h"
#include "hybrid/sort_particles.h"
#include "hybrid/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace {

using namespace hydrolith;
using namespace hydrolith::hybrid;

LiquidParticles dam(double dx) {
  LiquidParticles p;
  std::uint32_t bits = 1;
  const auto jitter = [&] {  // [dx]
    bits = bits * 1664525u + 1013904223u;
    return 0.2 * (0x1p-32 * bits - 0.5);
  };
  for (int k = 0; k < 64; ++k)
    for (int j = 0; j < 128; ++j)
      for (int i = 0; i < 64; ++i) {
        const Vec3 s(0.5 * i + 0.25 + jitter(), 0.5 * j + 0.25 + jitter(),
                     0.5 * k + 0.25 + jitter());
        const Vec3 x = s * dx;
        p.add(0, x, Vec3(-(x.y() - 0.5), x.x() - 0.25, 0), dx * dx * dx / 8);
        p.c.back() << 0, -1, 0, 1, 0, 0, 0, 0, 0;
      }
  return p;
}

struct Stage {
  const char* name;
  std::vector<double> ms;
};

}  // namespace

int main(int argc, char** argv) {
  set_threads(argc > 1 ? std::atoi(argv[1]) : 1);
  const int steps = argc > 2 ? std::atoi(argv[2]) : 11;
  const double dx = 1.0 / 64;
  LiquidParticles p = dam(dx);
  const auto n = static_cast<double>(p.size());
  TileGrid grid(dx, 3);
  ParticleSorter sorter;
  GridLiquid liquid;
  ReseedScratch scratch;
  std::vector<char> inside;
  const std::vector<double> density{1000}, viscosity{1e-3};
  std::vector<Stage> stages{{"cover", {}},        {"sort", {}},   {"to grid", {}},
                            {"to particles", {}}, {"advect", {}}, {"reseed", {}}};
  ReseedReport changes;
  for (int step = 0; step < steps; ++step) {
    Stopwatch watch;
    std::vector<double> ms;
    const auto lap = [&] { ms.push_back(1e3 * watch.lap()); };
    grid.cover(p.x);
    lap();
    sorter.sort(grid, p);
    lap();
    particles_to_grid(grid, p, sorter.first(), density, viscosity, liquid);
    lap();
    inside.resize(grid.cells());
    for (std::size_t c = 0; c < grid.cells(); ++c)
      inside[c] = liquid.volume[c] > 0.9 * dx * dx * dx;
    watch.lap();
    grid_to_particles(grid, liquid.u, sorter.first(), p);
    lap();
    advect(grid, liquid.u, 0.5 * dx / largest(liquid.u), p.x, sorter.first());
    lap();
    ReseedOptions options = ReseedOptions::defaults(3);
    options.inside = inside;
    const ReseedReport report = reseed(grid, sorter.first(), options, p, scratch);
    lap();
    changes.split += report.split, changes.merged += report.merged;
    for (std::size_t s = 0; s < stages.size(); ++s) stages[s].ms.push_back(ms[s]);
  }
  fmt::print("{} particles, {} tiles, {} threads, {} steps; best (median) [ms]\n", p.size(),
             grid.tiles(), threads(), steps);
  double best = 0, median = 0;
  for (Stage& stage : stages) {
    std::sort(stage.ms.begin(), stage.ms.end());
    const double low = stage.ms.front(), mid = stage.ms[stage.ms.size() / 2];
    fmt::print("  {:13} {:7.2f} ({:.2f})   {:6.1f} ns a particle\n", stage.name, low, mid,
               1e6 * low / n);
    if (stage.name != std::string("cover")) best += low, median += mid;
  }
  fmt::print("  all but cover {:7.2f} ({:.2f}), {} split, {} merged\n", best, median, changes.split,
             changes.merged);
  fmt::print("  scratch of the sort {:.1f} bytes a particle, fields {:.1f}\n",
             static_cast<double>(sorter.bytes()) / n,
             9.0 * 8 * static_cast<double>(grid.cells()) / n);
}
