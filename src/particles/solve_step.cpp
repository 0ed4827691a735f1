#include "core/parallel.h"
#include "core/stopwatch.h"
#include "particles/step_parts.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

/// [h] Overlap of bodies that is not undone. Without it bodies that fit each other exactly, as
/// links of a chain may, are asked to move apart both ways at once.
constexpr double overlap_slop = 0.005;

/// [-] Iisph and dfsph undo all compression in a step, as their papers do, but no faster than so many
/// times the correction speed. Particles that a buckling lattice has pushed into each other would be
/// shot apart.
constexpr double undo_faster = 10;

/// Where the solve has pushed bodies farther than `covered` and what was expected of them [m]; the
/// list of contacts must then be made anew.
bool widen(const BodyColumns& bodies, std::span<const Vec6> u, double covered, double dt,
           std::vector<double>& pushed) {
  bool any = false;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec6 du = u[i] - bodies.start[i];
    const double moved = dt * (du.head<3>().norm() + du.tail<3>().norm() * bodies.reach[i]);
    if (!(moved > covered + pushed[i])) continue;
    pushed[i] = 1.25 * moved;
    any = true;
  }
  return any;
}

/// Last step's pressure in the units of this step's system.
void guess_pressure(const Model& m, const State& s, const LiquidSystem& l, std::vector<float>& x) {
  x.resize(s.particles());
  const double scale = l.dt * l.dt / (std::pow(l.h, m.scene.dimensions + 2) * l.mass);
  parallel_for(
      s.particles(),
      [&](std::size_t i) {
        x[i] = static_cast<float>(scale * s.volume[i] * s.volume[i] * s.pressure[i]);
      },
      4096);
}

}  // namespace

void write_bodies(const Model& m, const State& s, BodyColumns& b) {
  const std::size_t n = s.bodies.size();
  b.dynamic.resize(n), b.inverse_mass.resize(n), b.inverse_inertia.resize(n), b.mass.resize(n);
  b.reach.resize(n), b.start.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    b.dynamic[i] = s.bodies.kind[i] == BodyKind::dynamic;
    b.reach[i] = m.reach[m.solids.shape_of[i]];
    b.start[i] << s.bodies.v[i], s.bodies.omega[i];
    b.mass[i].setZero();
    b.inverse_mass[i] = 0;
    b.inverse_inertia[i].setZero();
    if (!b.dynamic[i]) continue;
    const Mat3 Q = (s.bodies.q[i] * s.bodies.axes[i]).toRotationMatrix();
    const Vec3& I = s.bodies.inertia[i];
    b.inverse_mass[i] = 1 / s.bodies.mass[i];
    b.inverse_inertia[i] = Q * I.cwiseInverse().asDiagonal() * Q.transpose();
    b.mass[i].topLeftCorner<3, 3>() = s.bodies.mass[i] * Mat3::Identity();
    b.mass[i].bottomRightCorner<3, 3>() = Q * I.asDiagonal() * Q.transpose();
  }
}

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
  const BoundaryPressure boundary = m.scene.solver.boundary;
  assemble_liquid(m, s, w.samples, w.near, boundary == BoundaryPressure::balanced, dt,
                  w.system.liquid);
  w.interface.prepare(boundary, s, w.samples, w.near, w.kernel, w.system.liquid);
  w.seconds.assemble += watch.lap();
}

SolveReport solve_step(const Model& m, State& s, Workspace& w, double dt) {
  const SolverSpec& spec = m.scene.solver;
  const double h = m.scene.spacing;
  System& system = w.system;
  const bool monolithic = spec.coupling == Coupling::monolithic;
  const bool automatic = monolithic && spec.method == SolverMethod::automatic;
  Stopwatch watch;
  system.gravity = m.scene.gravity.norm();
  write_bodies(m, s, system.bodies);
  load_velocities(s,
                  {.share = monolithic ? std::min(1.0, spec.correction) : 1,
                   .speed = (monolithic ? 1 : undo_faster) * spec.correction_speed},
                  system.liquid);
  if (!automatic) complete_rest(system.liquid, w.solver.a);
  w.seconds.assemble += watch.lap();
  const SolverOptions options = solver_options(spec);
  SolveReport report;
  const double margin = 0.25 * h;
  w.pushed.assign(s.bodies.size(), 0);
  for (int round = 0; round < 3; ++round) {
    find_contacts(m, s, w, margin, dt);
    build_rows(system.contacts, s.bodies, system.bodies,
               {.dt = dt,
                .correction = spec.correction,
                .correction_speed = spec.correction_speed,
                .slop = overlap_slop * h,
                .slip_speed = spec.tolerance * h / dt},
               system.rows);
    w.seconds.contacts += watch.lap();
    guess_pressure(m, s, system.liquid, w.solution.x);
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
    if (!widen(system.bodies, w.solution.u, 0.5 * margin, dt, w.pushed)) break;
  }
  return report;
}

void push_liquid(State& s, Workspace& w) {
  const LiquidSystem& l = w.system.liquid;
  apply_pressure(l, w.solution.x, s.v);
  w.interface.apply(l, w.solution.x, s.v);
  push_walls(l, w.solution.x, w.solution.push);
  w.interface.push_walls(l, w.solution.x, w.solution.push);
}

void apply_solution(const Model& m, State& s, Workspace& w, double dt) {
  const LiquidSystem& l = w.system.liquid;
  push_liquid(s, w);
  const double scale = std::pow(l.h, m.scene.dimensions + 2) * l.mass / (dt * dt);
  parallel_for(
      s.particles(),
      [&](std::size_t i) {
        s.pressure[i] = static_cast<float>(scale * w.solution.x[i] / (s.volume[i] * s.volume[i]));
      },
      4096);
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    Vec6 push = w.solution.push[i];
    if (!w.earlier_push.empty()) push += w.earlier_push[i];
    s.forces[i].pressure = {push.head<3>() / dt, push.tail<3>() / dt};
  }
  apply_contacts(s, w, dt);
}

}  // namespace hydrolith::particles
