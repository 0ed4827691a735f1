#include "particles/step.h"

#include "contact/time_step.h"
#include "core/check.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "particles/flow.h"
#include "particles/liquid_forces.h"
#include "particles/step_parts.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

Workspace::Workspace(const Model& m, const State& s)
    : kernel{m.scene.spacing, m.scene.dimensions},
      samples(build_samples(m, s)),
      cells(m),
      contact(samples),
      voids(m) {
  for (std::uint32_t body : samples.body)
    sample_is_static.push_back(s.bodies.kind[body] == BodyKind::fixed);
}

double choose_time_step(const Model& m, const State& s) {
  return hydrolith::choose_time_step(m, s, {s.x, s.v});
}

void find_neighbours(const Model& m, State& s, Workspace& w) {
  Stopwatch watch;
  w.search.sort_liquid(w.kernel, s);
  w.seconds.sort += watch.lap();
  place_samples(m, s, w.samples);
  // On cells nothing but surface tension asks for pairs, and only voids beside bodies for grids.
  const auto& kinds = s.bodies.kind;
  const bool bodies = std::find(kinds.begin(), kinds.end(), BodyKind::dynamic) != kinds.end();
  if (!m.scene.solver.uses_cells() || has_surface_tension(m))
    w.search.find(w.kernel, s, w.samples, w.sample_is_static, w.first, w.near);
  else if (bodies)
    w.search.place(w.kernel, s, w.samples, w.sample_is_static, w.first);
  w.first = false;
  w.seconds.find += watch.lap();
}

StepReport attempt(const Model& m, State& s, Workspace& w, double dt, bool weightless) {
  Stopwatch watch;
  const bool on_cells = m.scene.solver.uses_cells();
  steer_kinematic(m, s, dt);
  assemble_step(m, s, w, dt);
  watch.lap();
  SolveReport first{.converged = true};
  if (m.scene.solver.uses_dfsph()) first = make_divergence_free(m, s, w, dt);
  w.seconds.solve += watch.lap();
  if (!weightless) apply_gravity(m, s, dt);
  ViscosityReport viscous;
  if (on_cells)
    viscous = rub_cells(m, s, w, dt, weightless);
  else
    apply_viscosity(m, s, w.samples, w.near, dt);
  apply_surface_tension(m, s, w.near, dt);
  if (on_cells) even_out(m, s, w.solver.a, w.cells, dt);
  accelerate_bodies(m, s, dt);
  w.seconds.forces += watch.lap();
  const SolveReport solve = solve_step(m, s, w, dt);
  watch.lap();
  apply_solution(m, s, w, dt);
  integrate(m, s, dt);
  if (on_cells) shift_particles(m, s, w.cells, dt);
  w.seconds.apply += watch.lap();
  s.time += dt;
  s.step += 1;
  StepReport report{.step = s.step,
                    .time = s.time,
                    .dt = dt,
                    .iterations = first.iterations + solve.iterations,
                    .contact_iterations = solve.contact_iterations,
                    .residual_mean = solve.residual_mean,
                    .residual_max = solve.residual_max,
                    .converged = first.converged && solve.converged && viscous.converged,
                    .viscosity_share = on_cells ? 1 : viscosity_share(m, dt),
                    .viscosity_iterations = viscous.iterations};
  return report;
}

namespace {

/// [m/s] Largest change of a particle's velocity since `before`.
double largest_jump(const State& s, const State& before) {
  struct Largest {
    double sq = 0;
    Largest operator+(const Largest& o) const { return {std::max(sq, o.sq)}; }
  };
  return std::sqrt(ordered_sum(s.particles(), Largest{}, [&](std::size_t i) {
                     return Largest{(s.v[i] - before.v[i]).squaredNorm()};
                   }).sq);
}

/// What is wrong with the state after a step; empty if nothing.
std::string fault_of(const Model& m, const State& s, const Workspace& w, const StepReport& report) {
  constexpr double most_left =
      0.1;  // [-] of a cell's volume that a solve may leave wrong in a step
  const double dt = report.dt;
  const double h = m.scene.spacing, most = m.scene.solver.max_travel * h;
  double speed = fastest(m, s);
  if (!std::isfinite(speed)) return first_not_finite(m, s);
  if (speed * dt > most) speed = ruling_speed(m, s, {s.x, s.v}, dt, most / dt);
  if (speed * dt > most)
    return fmt::format(
        "the fastest particle moves {:.3g} spacings in a step of {:.3g} s, more than "
        "solver.max_travel ({:g}). Make the time step smaller",
        speed * dt / h, dt, m.scene.solver.max_travel);
  // A particle that flies alone may be as fast as it likes, but nothing makes it so within a step.
  if (const double jump = largest_jump(s, w.before); jump * dt > most)
    return fmt::format(
        "a particle has gained {:.3g} m/s within a step of {:.3g} s, which is {:.3g} spacings in "
        "that "
        "time, more than solver.max_travel ({:g}). Make the time step smaller",
        jump, dt, jump * dt / h, m.scene.solver.max_travel);
  if (m.scene.solver.uses_cells() && !report.converged && report.residual_max > most_left)
    return fmt::format(
        "the solver has left a cell of the liquid with {:.2g} of its volume too much or too little "
        "after {} iterations. Make the time step smaller, or allow more (solver.max_iterations)",
        report.residual_max, report.iterations);
  if (const double depth = deepening_overlap(w.system, w.solution.u, dt);
      depth > m.scene.solver.max_overlap * h)
    return fmt::format(
        "bodies overlap by {:.3g} spacings, more than solver.max_overlap ({:g}). Make the "
        "time step smaller",
        depth / h, m.scene.solver.max_overlap);
  return {};
}

/// Copies what an attempt may change, there and, for a step that has to be taken back, back again.
/// Not volumes, identities, emitters and outlets: those belong to the time between attempts.
void copy_changing(const State& from, State& to) {
  const std::size_t n = from.particles();
  to.x.resize(n), to.v.resize(n), to.pressure.resize(n);
  parallel_for(
      n,
      [&](std::size_t i) {
        to.x[i] = from.x[i];
        to.v[i] = from.v[i];
        to.pressure[i] = from.pressure[i];
      },
      4096);
  to.time = from.time;
  to.step = from.step;
  to.bodies = from.bodies;
  to.forces = from.forces;
  to.motion = from.motion;
  to.contacts = from.contacts;
  to.excess = from.excess;
}

}  // namespace

StepReport step(const Model& m, State& s, Workspace& w, double dt) {
  constexpr int most_retries = 6;
  w.seconds = {};
  emit(m, s);
  find_neighbours(m, s, w);
  copy_changing(s, w.before);
  StepReport report;
  for (int retry = 0;; ++retry, dt /= 2) {
    report = attempt(m, s, w, dt, false);
    report.retries = retry;
    const std::string fault = fault_of(m, s, w, report);
    if (fault.empty()) break;
    copy_changing(w.before, s);
    if (retry == most_retries)
      throw SimulationError(fmt::format("step {}, t = {:.6g} s: {}", s.step + 1, s.time, fault));
  }
  const bool on_cells = m.scene.solver.uses_cells();
  const double compression = on_cells ? mean_compression(s, w.cells.cells) : 0;
  Stopwatch watch;
  move_emitters(m, s, w.before.time, dt);
  drain(m, s, dt);
  audit(m, s, report);
  const std::size_t n = w.system.liquid.size();
  report.volume_error =
      n == 0 ? 0 : ordered_sum(n, 0.0, [&](std::size_t i) {
                     return std::max(0.0, static_cast<double>(w.system.liquid.compression[i]));
                   }) / static_cast<double>(n);
  if (on_cells) {
    report.volume_error = compression;
    report.put_back = static_cast<std::int64_t>(w.cells.pushed_out);
    report.mended_cells = static_cast<std::int64_t>(w.cells.cells.mended);
    report.film_area = w.cells.film.film.area();
    report.film_volume = w.cells.film.film.volume();
    report.film_force = w.film_force;
  }
  report.overlap = 0;
  for (double gap : w.system.contacts.gap) report.overlap = std::max(report.overlap, -gap);
  if (n > 0) {
    const VoidReport voids = w.voids.measure(m, w.before.bodies, w.samples, w.search);
    report.void_volume = voids.volume;
    report.void_fraction = voids.fraction;
  }
  w.seconds.audit = watch.lap();
  return report;
}

}  // namespace hydrolith::particles
