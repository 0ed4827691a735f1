#include "core/parallel.h"
#include "core/stopwatch.h"
#include "particles/step_parts.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

/// [-] Iisph and dfsph undo all compression in a step, as their papers do, but no faster than so
/// many times the correction speed. Particles that a buckling lattice has pushed into each other
/// would be shot apart.
constexpr double undo_faster = 10;

/// Last step's pressure in the units of this step's system.
void guess_pressure(const State& s, const LiquidSystem& l, std::vector<float>& x) {
  x.resize(s.particles());
  parallel_for(
      s.particles(),
      [&](std::size_t i) {
        x[i] = static_cast<float>(s.pressure[i] / pressure_unit(l, s.volume[i]));
      },
      4096);
}

}  // namespace

SolverOptions solver_options(const SolverSpec& spec) {
  return {.coupling = spec.coupling,
          .method = spec.method,
          .volume_tolerance = spec.volume_tolerance,
          .tolerance = spec.tolerance,
          .velocity_tolerance = spec.velocity_tolerance,
          .min_iterations = spec.min_iterations,
          .max_iterations = spec.max_iterations,
          .relaxation = spec.relaxation};
}

void assemble_step(const Model& m, const State& s, Workspace& w, double dt) {
  Stopwatch watch;
  if (m.scene.solver.uses_cells()) {
    w.cells.start.resize(s.bodies.size());
    for (std::size_t k = 0; k < s.bodies.size(); ++k)
      w.cells.start[k] << s.bodies.v[k], s.bodies.omega[k];
    assemble_cells(m, s, dt, w.cells, w.system.liquid);
    hand_over(s, w.cells);
    w.seconds.assemble += watch.lap();
    return;
  }
  const BoundaryPressure boundary = m.scene.solver.boundary;
  assemble_liquid(m, s, w.samples, w.near, boundary == BoundaryPressure::balanced, dt,
                  w.system.liquid);
  w.interface.prepare(boundary, s, w.samples, w.near, w.kernel, w.system.liquid);
  w.seconds.assemble += watch.lap();
}

ViscosityReport rub_cells(const Model& m, State& s, Workspace& w, double dt, bool weightless) {
  if (w.cells.spreading) return {};  // nothing has speed
  const LiquidSystem& l = w.system.liquid;
  w.viscosity.assemble(m, s, w.cells, l);
  w.solver.a.resize(s.particles());
  guess_pressure(s, l, w.solution.x);
  accelerate(l, w.solution.x, w.solver.a);
  if (!w.viscosity.empty()) {
    w.under_pressure.resize(s.particles());
    // No pressure is known yet in the first step: as if it carried the liquid.
    const bool first = s.step == 0 && !weightless && m.scene.settle == 0;
    const Vec3 carried = first ? Vec3(dt * m.scene.gravity) : Vec3(Vec3::Zero());
    parallel_for(s.particles(), [&](std::size_t i) {
      w.under_pressure[i] = s.v[i] - l.speed() * w.solver.a[i].xyz() - carried;
    });
  }
  return w.viscosity.apply(m, w.under_pressure, dt, s);
}

SolveReport solve_step(const Model& m, State& s, Workspace& w, double dt) {
  const SolverSpec& spec = m.scene.solver;
  System& system = w.system;
  const bool monolithic = spec.coupling == Coupling::monolithic;
  const bool automatic = monolithic && spec.method == SolverMethod::automatic;
  Stopwatch watch;
  system.gravity = m.scene.gravity.norm();
  write_bodies(m, s, system.bodies);
  if (spec.uses_cells()) {
    entrain(m, w.cells, dt, system.bodies);
    load_cell_velocities(m, s, w.cells, system.liquid);
  } else {
    load_velocities(s,
                    {.share = monolithic ? std::min(1.0, spec.correction) : 1,
                     .speed = (monolithic ? 1 : undo_faster) * spec.correction_speed},
                    system.liquid);
  }
  if (!automatic) complete_rest(system.liquid, w.solver.a);
  w.seconds.assemble += watch.lap();
  const SolverOptions options = solver_options(spec);
  SolveReport report;
  const double margin = 0.25 * m.scene.spacing;
  w.contact.pushed.assign(s.bodies.size(), 0);
  for (int round = 0; round < 3; ++round) {
    find_contacts(m, s, margin, dt, w.contact, system);
    build_contact_rows(m, s, dt, system);
    w.seconds.contacts += watch.lap();
    guess_pressure(s, system.liquid, w.solution.x);
    if (!monolithic)
      report = solve_gissler2019(system, w.interface, options, w.solver, w.solution);
    else if (automatic)
      report = solve_monolith(system, options, s.x, s.pressure, w.solver, w.solution);
    else
      report = solve_probst2023(system, options, spec.method == SolverMethod::nncg, w.solver,
                                w.solution);
    const std::span<const Vec3> spins = w.solver.response.spins();
    if (automatic) w.solution.spin.assign(spins.begin(), spins.end());
    w.seconds.solve += watch.lap();
    if (!widen(system.bodies, w.solution.u, 0.5 * margin, dt, w.contact.pushed)) break;
  }
  return report;
}

void push_liquid(State& s, Workspace& w) {
  const LiquidSystem& l = w.system.liquid;
  apply_pressure(l, w.solution.x, s.v);
  push_walls(l, w.solution.x, w.solution.push);
  if (l.cells) return;
  w.interface.apply(l, w.solution.x, s.v);
  w.interface.push_walls(l, w.solution.x, w.solution.push);
}

void apply_solution(const Model& m, State& s, Workspace& w, double dt) {
  const LiquidSystem& l = w.system.liquid;
  push_liquid(s, w);
  if (l.cells) {
    give_back(m, s, w.cells, dt, w.solution.u, w.solution.push);
    let_go_of_walls(m, s, w.cells, dt);
  }
  parallel_for(
      s.particles(),
      [&](std::size_t i) {
        s.pressure[i] = static_cast<float>(pressure_unit(l, s.volume[i]) * w.solution.x[i]);
      },
      4096);
  if (l.cells)
    w.film_force = film_force(w.cells.film.film, s.bodies,
                              [&](std::uint32_t i) { return double{s.pressure[i]}; });
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    Vec6 push = w.solution.push[i];
    if (!w.earlier_push.empty()) push += w.earlier_push[i];
    if (l.cells) push += w.cells.pulled[i];
    s.forces[i].pressure = {push.head<3>() / dt, push.tail<3>() / dt};
  }
  const Solution& x = w.solution;
  apply_contacts({x.gamma, x.spin, x.u, x.push}, dt, s, w.contact, w.system);
  if (l.cells) l.cells->find_excess(s, w.cells.cells, s.excess);
}

}  // namespace hydrolith::particles
