// How long a step of the particle engine takes, stage by stage, and how many iterations the
// solvers need on columns of liquid. Two threads on cores 0 and 1.
//
//   bench_step SCENE [skip [measure [path=value ...]]]     medians over `measure` steps
//   bench_step pillar                                      iterations by height, cold start
//   bench_step triad                                       bandwidth of the memory

#include "core/float4.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "particles/build.h"
#include "particles/step.h"
#include "scene/reader.h"

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

using namespace hydrolith;
using namespace hydrolith::particles;

constexpr int cores = 2;

/// Binds the calling thread to one core, or to the first `cores`.
void pin(int first, int count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int k = first; k < first + count; ++k) CPU_SET(static_cast<std::size_t>(k), &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// Every thread that enters gets a core of its own.
struct PinnedThreads : oneapi::tbb::task_scheduler_observer {
  PinnedThreads() { observe(true); }
  ~PinnedThreads() override { observe(false); }
  void on_scheduler_entry(bool) override {
    pin(oneapi::tbb::this_task_arena::current_thread_index() % cores, 1);
  }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double best(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

/// Median, and the best in brackets: on a busy machine the one that tells more.
std::string figure(const std::vector<double>& values) {
  return fmt::format("{:.2f} ({:.2f})", median(values), best(values));
}

double peak_memory() {  // [bytes]
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return 1024.0 * static_cast<double>(use.ru_maxrss);
}

struct Column {
  const char* name;
  std::vector<double> ms;
};

void measure_scene(const std::string& file, int skip, int count,
                   const std::vector<Override>& overrides) {
  const Model m = build_model(read_scene(file, overrides).scene);
  State s = initial_state(m);
  Workspace w(m, s);
  settle(m, s, w);
  for (int k = 0; k < skip; ++k) step(m, s, w, choose_time_step(m, s));
  std::vector<double> whole, processor, iterations, per_iteration, errors;
  std::vector<Column> stages{{"sort", {}},     {"find", {}},  {"forces", {}}, {"assemble", {}},
                             {"contacts", {}}, {"solve", {}}, {"apply", {}},  {"audit", {}}};
  for (int k = 0; k < count; ++k) {
    Stopwatch watch;
    const std::clock_t start = std::clock();
    const StepReport r = step(m, s, w, choose_time_step(m, s));
    whole.push_back(1e3 * watch.lap());
    processor.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    const StageSeconds& t = w.seconds;
    const double seconds[] = {t.sort,     t.find,  t.forces, t.assemble,
                              t.contacts, t.solve, t.apply,  t.audit};
    for (std::size_t c = 0; c < stages.size(); ++c) stages[c].ms.push_back(1e3 * seconds[c]);
    iterations.push_back(r.iterations);
    per_iteration.push_back(1e3 * t.solve / std::max(1, r.iterations));
    errors.push_back(r.volume_error);
  }
  const auto n = static_cast<double>(s.particles());
  fmt::print("{}: {} particles, steps {} to {}, {} threads, medians\n", m.scene.name, s.particles(),
             skip + 1, skip + count, threads());
  fmt::print("  step {} ms, processor {} ms:", figure(whole), figure(processor));
  for (const Column& stage : stages) fmt::print(" {} {}", stage.name, figure(stage.ms));
  const auto faces = static_cast<double>(w.cells.op.pairs());
  const std::string of_cells = faces > 0 ? fmt::format(", {:.1f} faces a cell", faces / n) : "";
  fmt::print(
      "\n  {:.0f} iterations (most {:.0f}) of {} ms, {:.1f} ({:.1f}) M particle-iterations/s, "
      "volume "
      "error {:.4f} % (most {:.4f} %), {:.0f} bytes a particle{}\n",
      median(iterations), *std::max_element(iterations.begin(), iterations.end()),
      figure(per_iteration), 1e-3 * n / median(per_iteration), 1e-3 * n / best(per_iteration),
      100 * median(errors), 100 * *std::max_element(errors.begin(), errors.end()),
      peak_memory() / n, of_cells);
}

/// One application of the operator alone, and of everything an iteration does beside it.
void measure_operator(const std::string& file, int skip) {
  const Model m = build_model(read_scene(file).scene);
  State s = initial_state(m);
  Workspace w(m, s);
  for (int k = 0; k < skip; ++k) step(m, s, w, choose_time_step(m, s));
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < s.particles(); ++i) pairs += w.near.liquid.of(i).size();
  std::vector<double> forth, back;
  for (int k = 0; k < 101; ++k) {
    Stopwatch watch;
    accelerate(w.system.liquid, w.solution.x, w.solver.a);
    forth.push_back(1e9 * watch.lap());
    diverge(w.system.liquid, w.solver.a, w.solution.x, w.solver.Ad);
    back.push_back(1e9 * watch.lap());
  }
  const auto n = static_cast<double>(s.particles());
  fmt::print(
      "{}: {:.1f} neighbours, accelerate {:.2f} ({:.2f}) ns, diverge {:.2f} ({:.2f}) ns a "
      "particle\n",
      m.scene.name, static_cast<double>(pairs) / n, median(forth) / n, best(forth) / n,
      median(back) / n, best(back) / n);
}

std::string pillar(int height) {
  const double h = 0.02, y = h * height;
  return fmt::format(R"(
name: pillar
spacing: {0}
duration: 1
settle: 0.5 s
time_step: 0.001
solver: {{tolerance: 1e-6}}
liquids:
  - {{name: water, shape: {{box: [0.16, {1}, 0.16], at: [0, {2}, 0]}}}}
bodies:
  - {{name: box, kind: static, shape: {{box: [0.16, {3}, 0.16], inside_out: true}}, at: [0, {4}, 0]}}
)",
                     h, y, y / 2, 1.2 * y, 0.6 * y);
}

/// The system of the last step, solved from nothing to a mean error of 1e-6.
void measure_pillar(int height) {
  const Model m = build_model(read_scene_text(pillar(height), "pillar.yaml").scene);
  State s = initial_state(m);
  Workspace w(m, s);
  settle(m, s, w);
  constexpr int settled = 50;
  for (int k = 0; k < settled; ++k) step(m, s, w, choose_time_step(m, s));
  const State before = s;
  const StepReport warm = step(m, s, w, choose_time_step(m, s));
  std::vector<std::uint32_t> place(before.particles());
  for (std::uint32_t i = 0; i < before.particles(); ++i) place[before.id[i]] = i;
  std::vector<Vec3> x;
  std::vector<float> pressure;
  for (std::uint32_t id : s.id) {
    x.push_back(before.x[place[id]]);
    pressure.push_back(before.pressure[place[id]]);
  }
  fmt::print("{:>6} {:>9} {:>10}", height, s.particles(), warm.iterations);
  SolverOptions options{.tolerance = 1e-6, .velocity_tolerance = 1e9, .max_iterations = 5000};
  for (double velocity_tolerance : {1e9, 0.03}) {
    options.velocity_tolerance = velocity_tolerance;
    w.solution.x.assign(s.particles(), 0);
    Stopwatch watch;
    const SolveReport r = solve_monolith(w.system, options, x, pressure, w.solver, w.solution);
    fmt::print(" {:>6} ({:6.2f} ms)", r.iterations, 1e3 * watch.lap());
  }
  complete_rest(w.system.liquid, w.solver.a);
  for (bool accelerated : {true, false}) {
    w.solution.x.assign(s.particles(), 0);
    Stopwatch watch;
    const SolveReport r = solve_probst2023(w.system, options, accelerated, w.solver, w.solution);
    fmt::print(" {:>6} ({:6.2f} ms)", r.iterations, 1e3 * watch.lap());
  }
  fmt::print("\n");
}

/// a = b + s c over arrays far larger than the caches [GB/s, counting three streams].
void measure_triad() {
  constexpr std::size_t n = 1 << 23;
  std::vector<Float4> a(n), b(n, Float4(1)), c(n, Float4(2));
  std::vector<double> rates;
  for (int k = 0; k < 15; ++k) {
    Stopwatch watch;
    parallel_for(
        n, [&](std::size_t i) { a[i] = b[i] + 3.0f * c[i]; }, 4096);
    rates.push_back(1e-9 * 3 * 16 * static_cast<double>(n) / watch.lap());
  }
  fmt::print("triad {:.1f} ({:.1f}) GB/s\n", median(rates),
             *std::max_element(rates.begin(), rates.end()));
}

}  // namespace

int main(int argc, char** argv) {
  pin(0, cores);
  set_threads(cores);
  const PinnedThreads pinned;
  const std::string what = argc > 1 ? argv[1] : "";
  const auto number = [&](int k, int fallback) { return argc > k ? std::atoi(argv[k]) : fallback; };
  if (what == "triad") {
    measure_triad();
  } else if (what == "pillar") {
    fmt::print(
        "height particles  warm step  automatic          with velocity      nncg  "
        "             jacobi\n");
    for (int height : {20, 40, 80, 160, 320}) measure_pillar(height);
  } else if (!what.empty()) {
    std::vector<Override> overrides;
    for (int k = 4; k < argc; ++k) overrides.push_back(parse_override(argv[k]));
    measure_scene(what, number(2, 20), number(3, 21), overrides);
    if (overrides.empty()) measure_operator(what, number(2, 20));
  } else {
    fmt::print("bench_step SCENE [skip [measure [path=value ...]]] | pillar | triad\n");
    return 2;
  }
}
