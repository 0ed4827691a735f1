// How long a step of the hybrid engine takes, stage by stage: a quarter dam of 0.5 x 1 x 0.5 m in a
// closed cube of 1 m, steps of 1/240 s, tolerance 1e-6, from the eleventh step on. The figures to
// hold: 64^3 0.35 s on one thread, 0.2 s on two; 128^3 4 s on one and 250 bytes a particle; time no
// faster than cells^1.1.
//
//   bench_hybrid [--benchmark_filter=/64/1]        arguments: cells along the cube, threads

#include "core/parallel.h"
#include "hybrid/step.h"
#include "scene/reader.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace hydrolith;
using namespace hydrolith::hybrid;

constexpr int steps_before = 10, steps_measured = 5;

std::string quarter_dam(int cells) {
  return fmt::format(R"(
name: quarter_dam
engine: hybrid
spacing: 1/{}
duration: 1
time_step: 1/240
hybrid: {{tolerance: 1e-6}}
liquids:
  - {{name: water, shape: {{box: [0.5, 1, 0.5], at: [0.25, 0.5, 0.25]}}}}
bodies:
  - {{name: tank, kind: static, shape: {{box: [1, 1, 1], inside_out: true}}, at: [0.5, 0.5, 0.5]}}
)",
                     cells);
}

/// Memory of this process that is in use now [bytes].
double resident() {
  std::ifstream file("/proc/self/statm");
  double all = 0, used = 0;
  file >> all >> used;
  return used * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void quarter_dam_step(benchmark::State& state) {
  set_threads(static_cast<int>(state.range(1)));
  const Model m =
      build_model(read_scene_text(quarter_dam(static_cast<int>(state.range(0))), "dam.yaml").scene);
  const double before = resident();
  State s = initial_state(m);
  Workspace w(m, s);
  for (int k = 0; k < steps_before; ++k) step(m, s, w, choose_time_step(m, s));
  const char* names[] = {"1 sort",         "2 to_grid", "3 solids",   "4 surface",
                         "5 assemble",     "6 solve",   "7 velocity", "8 correct",
                         "9 to_particles", "a move",    "b audit"};
  std::vector<double> times[std::size(names)], iterations;
  for (auto _ : state) {
    iterations.push_back(step(m, s, w, choose_time_step(m, s)).iterations);
    const StageSeconds& t = w.seconds;
    const double seconds[] = {
        t.sort,     t.to_grid, t.solids,       t.surface, t.assemble, t.contacts + t.solve,
        t.velocity, t.correct, t.to_particles, t.move,    t.audit};
    for (std::size_t k = 0; k < std::size(names); ++k) times[k].push_back(1e3 * seconds[k]);
  }
  for (std::size_t k = 0; k < std::size(names); ++k) state.counters[names[k]] = median(times[k]);
  state.counters["c iterations"] = median(iterations);
  const auto particles = static_cast<double>(s.liquid.size());
  state.counters["d particles"] = particles;
  state.counters["e bytes"] = (resident() - before) / particles;
  set_threads(0);
}

BENCHMARK(quarter_dam_step)
    ->ArgsProduct({{32, 64, 128}, {1, 2}})
    ->Iterations(steps_measured)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
