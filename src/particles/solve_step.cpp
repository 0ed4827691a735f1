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

/// Masses and velocities as the solve sees them.
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

SolveReport solve_step(const Model& m, State& s, Workspace& w, double dt) {
  const SolverSpec& spec = m.scene.solver;
  const double h = m.scene.spacing;
  System& system = w.system;
  Stopwatch watch;
  system.gravity = m.scene.gravity.norm();
  write_bodies(m, s, system.bodies);
  assemble_liquid(m, s, w.samples, w.near,
                  {.balanced = spec.boundary == BoundaryPressure::balanced,
                   .correction_time = dt / spec.correction,
                   .correction_speed = spec.correction_speed},
                  dt, system.liquid);
  if (spec.method != SolverMethod::automatic) complete_rest(system.liquid);
  w.seconds.assemble += watch.lap();
  const SolverOptions options{.method = spec.method,
                              .tolerance = spec.tolerance,
                              .velocity_tolerance = spec.velocity_tolerance,
                              .min_iterations = spec.min_iterations,
                              .max_iterations = spec.max_iterations,
                              .relaxation = spec.relaxation};
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
    if (spec.method == SolverMethod::automatic)
      report = solve_monolith(system, options, s.x, s.pressure, w.solver, w.solution);
    else
      report = solve_probst2023(system, options, spec.method == SolverMethod::nncg, w.solver,
                                w.solution);
    const std::span<const Vec3> spins = w.solver.response.spins();
    if (spec.method == SolverMethod::automatic) w.solution.spin.assign(spins.begin(), spins.end());
    w.seconds.solve += watch.lap();
    if (!widen(system.bodies, w.solution.u, 0.5 * margin, dt, w.pushed)) break;
  }
  return report;
}

void apply_solution(const Model& m, State& s, Workspace& w, double dt) {
  const LiquidSystem& l = w.system.liquid;
  apply_pressure(l, w.solution.x, s.v);
  const double scale = std::pow(l.h, m.scene.dimensions + 2) * l.mass / (dt * dt);
  parallel_for(
      s.particles(),
      [&](std::size_t i) {
        s.pressure[i] = static_cast<float>(scale * w.solution.x[i] / (s.volume[i] * s.volume[i]));
      },
      4096);
  push_walls(l, w.solution.x, w.solution.push);
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    s.forces[i].pressure = {w.solution.push[i].head<3>() / dt, w.solution.push[i].tail<3>() / dt};
  apply_contacts(s, w, dt);
}

}  // namespace hydrolith::particles
