// The pressure solve on recorded steps: from a checkpoint on, every step's system is solved as the
// scene asks and once more a hundred times tighter. Iterations, time, and what the first solve
// leaves: velocities against the second one's, divergence where it may not be.
//
//   bench_pressure CHECKPOINT [steps [path=value ...]]

#include "core/parallel.h"
#include "core/stopwatch.h"
#include "output/checkpoint_file.h"
#include "output/files.h"
#include "particles/build.h"
#include "particles/step_parts.h"
#include "scene/reader.h"
#include "setup/world_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace {

using namespace hydrolith;
using namespace hydrolith::particles;

constexpr double tighter = 0.01;  // [-] times the tolerances

State load(const Model& m, const Checkpoint& c) {
  State s = initial_state(m);
  ArchiveReader read(c.state);
  visit_world_columns(s, read);
  read("x", s.x), read("v", s.v), read("volume", s.volume), read("pressure", s.pressure);
  read("excess", s.excess), read("id", s.id), read("liquid", s.liquid), read("next_id", s.next_id);
  return s;
}

struct Left {
  double mean_speed = 0, most_speed = 0;            // [g dt] velocities that are off; rms, largest
  double mean_divergence = 0, most_divergence = 0;  // [-] of a cell's volume in the step, likewise
};

/// `x` and the velocities of bodies, `u`, against `best`.
Left compare(const System& system, std::span<const float> x, std::span<const Vec6> u,
             std::span<const float> best) {
  const LiquidSystem& l = system.liquid;
  const std::size_t n = l.size();
  std::vector<float> d(n), C(n);
  std::vector<Float4> a(n);
  for (std::size_t i = 0; i < n; ++i) d[i] = x[i] - best[i];
  accelerate(l, d, a);
  Left left;
  const double unit = l.speed() / (std::max(system.gravity, 1e-9) * l.dt);
  for (const Float4& v : a) {
    const double speed = unit * v.xyz().norm();
    left.mean_speed += speed * speed / static_cast<double>(n);
    left.most_speed = std::max(left.most_speed, speed);
  }
  accelerate(l, x, a);
  constrain(l, a, C);
  add_body_motion(l, u, C);
  for (std::size_t i = 0; i < n; ++i) {
    const double error = x[i] > 0 ? std::abs(C[i]) : std::max(0.0f, -C[i]);
    left.mean_divergence += error * error / static_cast<double>(n);
    left.most_divergence = std::max(left.most_divergence, error);
  }
  left.mean_speed = std::sqrt(left.mean_speed);
  left.mean_divergence = std::sqrt(left.mean_divergence);
  return left;
}

struct Attempt {
  SolveReport report;
  double ms = 0;
  std::vector<float> x;
  std::vector<Vec6> u;
};

/// The system of the last step once more.
Attempt solve_again(const SolverOptions& options, Workspace& w) {
  const LiquidSystem& l = w.system.liquid;
  Attempt result;
  for (int k = 0; k < 3; ++k) {  // the best of three times
    w.solution.x.resize(l.size());
    for (std::size_t i = 0; i < l.size(); ++i)
      w.solution.x[i] =
          static_cast<float>(w.before.pressure[i] / pressure_unit(l, std::pow(l.h, l.dimensions)));
    Stopwatch watch;
    result.report =
        solve_monolith(w.system, options, w.before.x, w.before.pressure, w.solver, w.solution);
    const double ms = 1e3 * watch.lap();
    result.ms = k == 0 ? ms : std::min(ms, result.ms);
  }
  result.x = w.solution.x;
  result.u = w.solution.u;
  return result;
}

void measure(const Model& m, State& s, int count) {
  Workspace w(m, s);
  const SolverOptions options = solver_options(m.scene.solver);
  SolverOptions tight = options;
  tight.tolerance *= tighter, tight.velocity_tolerance *= tighter;
  tight.max_iterations = 5000;
  fmt::print(
      "{}: {} particles\n  step   t [s]  dt [ms]  iter    [ms]  tight   |  off from tight: "
      "v rms, max [g dt]   divergence rms, max\n",
      m.scene.name, s.particles());
  double iterations = 0, ms = 0;
  for (int k = 0; k < count; ++k) {
    const StepReport r = step(m, s, w, choose_time_step(m, s));
    const Attempt plain = solve_again(options, w), best = solve_again(tight, w);
    const Left left = compare(w.system, plain.x, plain.u, best.x);
    fmt::print("{:>6} {:.5f} {:8.3f} {:>5}{} {:7.2f} {:>6}{}  |  {:.5f} {:.4f}   {:.2e} {:.2e}\n",
               r.step, r.time, 1e3 * r.dt, plain.report.iterations,
               plain.report.converged ? ' ' : '!', plain.ms, best.report.iterations,
               best.report.converged ? ' ' : '!', left.mean_speed, left.most_speed,
               left.mean_divergence, left.most_divergence);
    iterations += plain.report.iterations, ms += plain.ms;
  }
  fmt::print("mean {:.1f} iterations, {:.2f} ms\n", iterations / count, ms / count);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_pressure CHECKPOINT [steps [path=value ...]]\n");
    return 2;
  }
  const Checkpoint c = decode_checkpoint(read_file(argv[1]), argv[1]);
  std::vector<Override> overrides;
  for (int k = 3; k < argc; ++k) overrides.push_back(parse_override(argv[k]));
  const Model m = build_model(read_scene_text(c.scene, argv[1], overrides).scene);
  State s = load(m, c);
  measure(m, s, argc > 2 ? std::atoi(argv[2]) : 10);
}
