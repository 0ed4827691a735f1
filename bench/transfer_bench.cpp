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
#include <ctime>
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
  std::vector<double> wall, processor;  // [ms], the latter of all threads
};

double best(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

std::string figure(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return fmt::format("{:7.2f} ({:7.2f})", values.front(), values[values.size() / 2]);
}

double processor_time() {  // [s]
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

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
  std::vector<Stage> stages{{"cover", {}, {}},        {"sort", {}, {}},   {"to grid", {}, {}},
                            {"to particles", {}, {}}, {"advect", {}, {}}, {"reseed", {}, {}}};
  ReseedReport changes;
  Stopwatch watch;
  double processor = 0;  // [s] when the stage began
  const auto begin = [&] { watch.lap(), processor = processor_time(); };
  const auto end = [&](std::size_t stage) {
    stages[stage].processor.push_back(1e3 * (processor_time() - processor));
    stages[stage].wall.push_back(1e3 * watch.lap());
    begin();
  };
  for (int step = 0; step < steps; ++step) {
    begin();
    grid.cover(p.x);
    end(0);
    sorter.sort(grid, p);
    end(1);
    particles_to_grid(grid, p, sorter.first(), density, viscosity, liquid);
    end(2);
    grid_to_particles(grid, liquid.u, sorter.first(), p);
    end(3);
    advect(grid, liquid.u, 0.5 * dx / largest(liquid.u), p.x, sorter.first());
    end(4);
    inside.resize(grid.cells());
    for (std::size_t c = 0; c < grid.cells(); ++c)
      inside[c] = liquid.volume[c] > 0.9 * dx * dx * dx;
    ReseedOptions options = ReseedOptions::defaults(3);
    options.inside = inside;
    begin();
    const ReseedReport report = reseed(grid, sorter.first(), options, p, scratch);
    end(5);
    changes.split += report.split, changes.merged += report.merged;
  }
  fmt::print(
      "{} particles, {} tiles, {} threads, {} steps; wall clock, processor: best (median) "
      "[ms]\n",
      p.size(), grid.tiles(), threads(), steps);
  double wall = 0, busy = 0;
  for (Stage& stage : stages) {
    fmt::print("  {:13} {}   {}\n", stage.name, figure(stage.wall), figure(stage.processor));
    if (stage.name != std::string("cover")) wall += best(stage.wall), busy += best(stage.processor);
  }
  fmt::print(
      "  all but cover: best {:.1f}, processor {:.1f}, {:.0f} ns a particle; {} split, {} "
      "merged\n",
      wall, busy, 1e6 * busy / n, changes.split, changes.merged);
  const std::size_t columns = p.x.capacity() * 2 * sizeof(Vec3) + p.c.capacity() * sizeof(Mat3f) +
                              p.volume.capacity() * 8 + p.pressure.capacity() * 12;
  fmt::print("  particles {:.1f} bytes a particle,", static_cast<double>(columns) / n);
  fmt::print(" scratch of the sort {:.1f}, fields {:.1f}\n",
             static_cast<double>(sorter.bytes()) / n,
             9.0 * 8 * static_cast<double>(grid.cells()) / n);
}
