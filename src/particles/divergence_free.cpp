// The first half of DFSPH (Bender & Koschier 2017, section 3.3): pressures that stop the liquid
// from being compressed by the velocities it starts the step with. The second half, constant
// density, is solve_gissler2019 with all forces.
//
// What the step before left is free of divergence up to its tolerance wherever nothing is
// compressed. As in the paper ("or iter < 1") pressures are therefore updated once at least, after
// a first look; otherwise a calm liquid would be one of IISPH to the last digit.
//
// Departures: pressures start from zero instead of the last step's; instead of by counting
// neighbours, the surface, where the divergence is not known, is found by volume. Contacts between
// bodies are left to the second half.

#include "particles/step_parts.h"

#include <algorithm>

namespace hydrolith::particles {

namespace {

/// [-] A flat surface lacks 0.15 of its neighbours.
constexpr float surface_lack = 0.1f;

}  // namespace

SolveReport make_divergence_free(const Model& m, State& s, Workspace& w, double dt) {
  System& system = w.system;
  LiquidSystem& l = system.liquid;
  if (l.size() == 0) return {.converged = true};
  write_bodies(m, s, system.bodies);
  load_velocities(s, {.only_motion = true}, l);
  complete_rest(l, w.solver.a);
  build_rows({}, s.bodies, system.bodies, {.dt = dt}, system.rows);
  w.solution.x.assign(l.size(), 0);
  w.diagonal.swap(l.diagonal);
  l.diagonal.resize(l.size());
  parallel_for(
      l.size(),
      [&](std::size_t i) { l.diagonal[i] = l.compression[i] < -surface_lack ? 0 : w.diagonal[i]; },
      4096);
  SolverOptions options = solver_options(m.scene.solver);
  options.min_iterations = std::max(options.min_iterations, 2);
  const SolveReport report = solve_gissler2019(system, w.interface, options, w.solver, w.solution);
  w.diagonal.swap(l.diagonal);
  push_liquid(s, w);
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    if (s.bodies.kind[i] == BodyKind::dynamic)
      apply_impulse(s.bodies, i, w.solution.push[i].head<3>(), w.solution.push[i].tail<3>());
  w.earlier_push = w.solution.push;
  return report;
}

}  // namespace hydrolith::particles
