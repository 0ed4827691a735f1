#include "hybrid/step.h"

#include "contact/bodies_step.h"
#include "core/check.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "hybrid/advect.h"
#include "hybrid/step_parts.h"
#include "setup/flow.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

namespace {

/// Particles sorted onto a grid around them, and what they carry on it.
void particles_onto_grid(const Model& m, State& s, Workspace& w) {
  Stopwatch watch;
  w.grid.cover(s.liquid.x);
  w.sorter.sort(w.grid, s.liquid);
  w.seconds.sort = watch.lap();
  particles_to_grid(w.grid, s.liquid, w.sorter.first(), m.density, m.viscosity, w.liquid);
  w.seconds.to_grid = watch.lap();
}

void solids_onto_grid(const Model& m, const State& s, Workspace& w) {
  Stopwatch watch;
  w.solids.measure(w.grid, s.bodies);
  w.seconds.solids = watch.lap();
  w.surface.find(w.grid, w.solids, w.liquid.volume);
  if (m.viscous) w.surface.measure_parts(w.grid);
  w.seconds.surface = watch.lap();
}

/// Largest speed [m/s] of faces that particles read: those with a twentieth of a cell's liquid.
/// Faces that the surface barely reaches have little mass and may be fast, but carry nothing.
double fastest_face(const Model& m, const Workspace& w) {
  const double least = 0.05 * w.material.usual_density * std::pow(w.grid.dx(), w.grid.dimensions());
  struct Largest {
    double value = 0;
    Largest operator+(const Largest& o) const {
      return {value >= o.value || std::isnan(value) ? value : o.value};
    }
  };
  double speed = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(m.scene.dimensions); ++a) {
    const Largest of_axis = ordered_sum(w.grid.cells(), Largest{}, [&](std::size_t cell) {
      return Largest{w.liquid.mass[a][cell] > least ? std::abs(w.u[a][cell]) : 0};
    });
    if (!(of_axis.value <= speed)) speed = of_axis.value;
  }
  return speed;
}

/// What is wrong with the velocities found; empty if nothing.
std::string fault_of(const Model& m, const State& s, const Workspace& w, double dt) {
  const double h = m.scene.spacing;
  const double liquid = fastest_face(m, w), solid = fastest_body(m, s);
  const double speed = liquid > solid || std::isnan(liquid) ? liquid : solid;
  if (!std::isfinite(speed)) {
    const std::string body = first_body_not_finite(m, s);
    return body.empty() ? "the motion of the liquid is no longer a finite number. Look at emitters "
                          "and velocities"
                        : body;
  }
  const double most = std::min(m.scene.solver.max_travel, most_travel);
  if (speed * dt > most * h)
    return fmt::format(
        "the fastest part moves {:.3g} cells in a step of {:.3g} s, more than solver.max_travel "
        "({:g}). Make the time step smaller",
        speed * dt / h, dt, most);
  if (const double depth = deepening_overlap(w.contacts, w.coupled.u, dt);
      depth > m.scene.solver.max_overlap * h)
    return fmt::format(
        "bodies overlap by {:.3g} spacings, more than solver.max_overlap ({:g}). Make the time "
        "step smaller",
        depth / h, m.scene.solver.max_overlap);
  return {};
}

/// One try at the velocities after dt; particles stay as they are.
CoupledReport attempt(const Model& m, State& s, Workspace& w, double dt) {
  Stopwatch watch;
  steer_kinematic(m, s, dt);
  w.film.start.resize(s.bodies.size());
  for (std::size_t k = 0; k < s.bodies.size(); ++k)
    w.film.start[k] << s.bodies.v[k], s.bodies.omega[k];
  accelerate_bodies(m, s, dt);
  accelerate_liquid(m, w, dt);
  assemble_liquid(m, s, w, dt);
  w.seconds.assemble += watch.lap();
  return solve_step(m, s, w, dt);
}

}  // namespace

StepReport step(const Model& m, State& s, Workspace& w, double dt) {
  constexpr int most_retries = 6;
  w.seconds = {};
  emit(m, s, [&](std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume) {
    s.liquid.add(liquid, x, v, volume);
  });
  particles_onto_grid(m, s, w);
  solids_onto_grid(m, s, w);
  const WorldState before = s;
  CoupledReport solve;
  int retry = 0;
  for (;; ++retry, dt /= 2) {
    solve = attempt(m, s, w, dt);
    const std::string fault = fault_of(m, s, w, dt);
    if (fault.empty()) break;
    static_cast<WorldState&>(s) = before;
    if (retry == most_retries)
      throw SimulationError(fmt::format("step {}, t = {:.6g} s: {}", s.step + 1, s.time, fault));
  }
  extend_velocity(m, s, w, dt);
  correct_volume(m, w, dt);
  move_liquid(m, s, w, dt);
  integrate_bodies(m, s, dt);
  keep_out_of_solids(m, s, w);
  thin_and_fill(m, s, w);
  s.time += dt;
  s.step += 1;
  Stopwatch watch;
  move_emitters(m, s, before.time, dt);
  drain(m, s, dt);
  StepReport report{.step = s.step,
                    .time = s.time,
                    .dt = dt,
                    .iterations = solve.iterations,
                    .residual_mean = solve.residual,
                    .residual_max = solve.residual,
                    .converged = solve.converged,
                    .retries = retry};
  audit(m, s, report);
  report.volume_error = compression(w);
  report.film_area = w.film.film.area();
  report.film_volume = w.film.film.volume();
  report.film_force = w.film_force;
  for (double gap : w.contacts.contacts.gap) report.overlap = std::max(report.overlap, -gap);
  w.seconds.audit = watch.lap();
  return report;
}

}  // namespace hydrolith::hybrid
