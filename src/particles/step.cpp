#include "particles/step.h"

#include "core/check.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "core/wide.h"
#include "particles/flow.h"
#include "particles/liquid_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

std::span<double> flat(std::vector<Vec3>& column) {
  return {column.empty() ? nullptr : column.front().data(), 3 * column.size()};
}

/// v_R*, omega_R* of eq. 3.12: gravity and the scene's loads as impulses.
void accelerate_bodies(const Model& m, State& s, double dt) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::dynamic) continue;
    Wrench total{s.bodies.mass[i] * m.scene.gravity, Vec3::Zero()};
    for (const LoadSpec& load : m.scene.bodies[i].loads) {
      const Vec3& origin = m.solids.shapes[m.solids.shape_of[i]].shape_origin;
      const Wrench w = evaluate(load, s.bodies.pose(i), origin, s.time);
      total.force += w.force;
      total.torque += w.torque;
    }
    apply_impulse(s.bodies, i, dt * total.force, dt * total.torque);
  }
}

/// A kinematic body gets the velocities that carry it to its next prescribed pose.
void steer_kinematic(const Model& m, State& s, double dt) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::kinematic) continue;
    const MotionSpec& motion = m.scene.bodies[i].motion;
    s.motion[i] = advance(motion, s.motion[i], s.time, dt);
    const Pose next = prescribed_pose(motion, m.start[i], s.motion[i], s.time + dt);
    const Twist twist = twist_between(s.bodies.pose(i), next, dt);
    s.bodies.v[i] = twist.velocity;
    s.bodies.omega[i] = twist.angular_velocity;
  }
}

/// x += dt v (eq. B.1a, B.2a) and the bodies' rotation; kinematic bodies go where they are told.
void integrate(const Model& m, State& s, double dt) {
  add_scaled(dt, flat(s.v), flat(s.x));
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] == BodyKind::dynamic) drift(s.bodies, i, dt);
    if (s.bodies.kind[i] == BodyKind::kinematic) {
      const Pose next =
          prescribed_pose(m.scene.bodies[i].motion, m.start[i], s.motion[i], s.time + dt);
      s.bodies.x[i] = next.position;
      s.bodies.q[i] = next.orientation;
    }
  }
}

/// Speed of the fastest point of body i: v plus omega times the farthest vertex.
double body_speed(const Model& m, const State& s, std::size_t i) {
  return s.bodies.v[i].norm() + s.bodies.omega[i].norm() * m.reach[m.solids.shape_of[i]];
}

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

/// Contacts are looked for where the bodies would be at the end of the step if nothing touched: a
/// distance is convex near edges, so a linearisation at the start would see edges ahead as
/// obstacles. Fast bodies are moved only half a spacing, lest they jump over thin ones. Gaps and
/// points are then brought back to the start of the step: both bodies of a contact are pushed at
/// the same point, so that angular momentum is kept.
void find_contacts(const Model& m, const State& s, Workspace& w, double margin, double dt) {
  const SolverSpec& spec = m.scene.solver;
  double speed = 0;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) speed = std::max(speed, body_speed(m, s, i));
  const double ahead = std::min(1.0, 0.5 * m.scene.spacing / std::max(speed * dt, 1e-300));
  const double tau = ahead * dt;
  w.ahead.bodies = s.bodies;
  w.ahead.time = s.time;
  RigidBodies& b = w.ahead.bodies;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b.kind[i] == BodyKind::fixed) continue;
    b.x[i] += tau * b.v[i];
    const double angle = tau * b.omega[i].norm();
    if (angle > 0) b.q[i] = Quat(Eigen::AngleAxisd(angle, b.omega[i].normalized())) * b.q[i];
  }
  place_samples(m, w.ahead, w.samples_ahead);
  Contacts& c = w.system.contacts;
  c.sample = s.contacts.sample;
  c.b = s.contacts.body;
  c.impulse.resize(s.contacts.force.size());
  for (std::size_t k = 0; k < c.impulse.size(); ++k) c.impulse[k] = dt * s.contacts.force[k];
  w.finder.find(m, w.ahead, w.samples_ahead, w.kernel,
                {.measure = spec.contact,
                 .gamma = spec.gamma,
                 .uniform_gap = spec.uniform_gap,
                 .margin = margin},
                dt - tau, c);
  parallel_for(c.size(), [&](std::size_t k) {
    const auto velocity = [&](std::uint32_t body, const Vec3& p) {
      return Vec3(b.v[body] + b.omega[body].cross(p - b.x[body]));
    };
    const auto relative = [&](const Vec3& p) -> Vec3 {
      return velocity(c.a[k], p) - velocity(c.b[k], p);
    };
    // With the lighter body: its arm is then exactly the one ahead.
    const double ma = w.system.bodies.inverse_mass[c.a[k]];
    const double mb = w.system.bodies.inverse_mass[c.b[k]];
    const Vec3 back = tau / (ma + mb) * (ma * b.v[c.a[k]] + mb * b.v[c.b[k]]);
    c.gap[k] -= tau * c.normal[k].dot(relative(c.normal_point[k]));
    c.normal_point[k] -= back;
    c.friction_point[k] -= back;
  });
}

/// Samples, contacts and rows; again with a wider margin if the solve has accelerated a body beyond
/// what the list of contacts covers.
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
  w.seconds.assemble += watch.lap();
  const SolverOptions options{.method = spec.method,
                              .tolerance = spec.tolerance,
                              .velocity_tolerance = spec.velocity_tolerance,
                              .min_iterations = spec.min_iterations,
                              .max_iterations = spec.max_iterations,
                              .relaxation = spec.relaxation};
  SolveReport report;
  double margin = 0.25 * h;
  for (int round = 0; round < 3; ++round) {
    find_contacts(m, s, w, margin, dt);
    build_rows(system.contacts, s.bodies, system.bodies,
               {.dt = dt, .correction = spec.correction, .correction_speed = spec.correction_speed},
               system.rows);
    w.seconds.contacts += watch.lap();
    guess_pressure(m, s, system.liquid, w.solution.x);
    if (spec.method == SolverMethod::automatic)
      report = solve_monolith(system, options, s.x, s.pressure, w.solver, w.solution);
    else
      report = solve_probst2023(system, options, spec.method == SolverMethod::nncg, w.solver,
                                w.solution);
    w.seconds.solve += watch.lap();
    double gained = 0;
    for (std::size_t i = 0; i < system.bodies.size(); ++i) {
      const Vec6 du = w.solution.u[i] - system.bodies.start[i];
      gained = std::max(gained, du.head<3>().norm() + du.tail<3>().norm() * system.bodies.reach[i]);
    }
    if (!(2 * gained * dt > margin)) break;
    margin = 2.5 * gained * dt;
  }
  return report;
}

/// Impulses of contacts and friction on every body, and their place in the state.
void apply_contacts(State& s, Workspace& w, double dt) {
  const ContactRows& rows = w.system.rows;
  const auto wrench = [&](auto&& part) {
    std::vector<Vec6>& sum = w.solver.wrench;
    sum.resize(s.bodies.size());
    sum_impulses(rows, w.solver.pair_sums, sum, part);
  };
  wrench([&](std::size_t c) { return NormalTangent{w.solution.gamma[c].n, Vec3::Zero()}; });
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    s.forces[i].contact = {w.solver.wrench[i].head<3>() / dt, w.solver.wrench[i].tail<3>() / dt};
  wrench([&](std::size_t c) { return NormalTangent{0, w.solution.gamma[c].t}; });
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    s.forces[i].friction = {w.solver.wrench[i].head<3>() / dt, w.solver.wrench[i].tail<3>() / dt};
  wrench([&](std::size_t c) { return w.solution.gamma[c]; });
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::dynamic) continue;
    const Vec6 total = w.solver.wrench[i] + w.solution.push[i];
    apply_impulse(s.bodies, i, total.head<3>(), total.tail<3>());
  }
  Contacts& contacts = w.system.contacts;
  for (std::size_t c = 0; c < rows.size(); ++c)
    contacts.impulse[rows.source[c]] =
        w.solution.gamma[c].n * rows.normal[c] + w.solution.gamma[c].t;
  s.contacts.sample = contacts.sample;
  s.contacts.body = contacts.b;
  s.contacts.force.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) s.contacts.force[c] = contacts.impulse[c] / dt;
}

/// Pressures into the state, velocities of the liquid, forces on the bodies.
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

/// The larger of two numbers, as a sum for `ordered_sum`; what is not a number counts as infinite.
struct Largest {
  double value = 0;
  Largest operator+(const Largest& o) const { return {std::max(value, o.value)}; }
};

double fastest(const Model& m, const State& s) {
  const Largest v_sq = ordered_sum(s.particles(), Largest{}, [&](std::size_t i) {
    const double sq = s.v[i].squaredNorm();
    return Largest{sq >= 0 ? sq : std::numeric_limits<double>::infinity()};
  });
  double speed = std::sqrt(v_sq.value);
  for (std::size_t i = 0; i < s.bodies.size(); ++i) speed = std::max(speed, body_speed(m, s, i));
  return speed;
}

/// Names the first thing whose motion is no longer a number, and what to look at.
std::string first_not_finite(const Model& m, const State& s) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    const BodySpec& body = m.scene.bodies[i];
    const bool finite = s.bodies.x[i].allFinite() && s.bodies.v[i].allFinite() &&
                        s.bodies.q[i].coeffs().allFinite() && s.bodies.omega[i].allFinite();
    if (!finite || !std::isfinite(s.bodies.mass[i] * s.bodies.v[i].squaredNorm()))
      return fmt::format(
          "the motion of body {} ({}:{}:{}) is no longer a finite number. Look at its loads, "
          "motion, "
          "density and velocity",
          body.name, m.scene.file, body.mark.line, body.mark.column);
  }
  return "the motion of the liquid is no longer a finite number. Look at emitters and velocities";
}

}  // namespace

double choose_time_step(const Model& m, const State& s) {
  const TimeStepSpec& spec = m.scene.time_step;
  if (!spec.adaptive) return spec.fixed;
  double speed = fastest(m, s);
  for (const Emitter& e : m.emitters) speed = std::max(speed, emitter_speed(e, s.time));
  // What gravity adds within the step counts too: v + g dt with dt at its largest.
  speed += m.scene.gravity.norm() * spec.max;
  return std::clamp(spec.cfl * m.scene.spacing / std::max(speed, 1e-12), spec.min, spec.max);
}

Workspace::Workspace(const Model& m, const State& s)
    : kernel{m.scene.spacing, m.scene.dimensions},
      samples(build_samples(m, s)),
      samples_ahead(samples) {
  for (std::uint32_t body : samples.body)
    sample_is_static.push_back(s.bodies.kind[body] == BodyKind::fixed);
}

namespace {

/// One try at a step of dt from a state whose neighbours are known.
StepReport attempt(const Model& m, State& s, Workspace& w, double dt, bool weightless = false) {
  Stopwatch watch;
  steer_kinematic(m, s, dt);
  if (!weightless) apply_gravity(m, s, dt);
  apply_viscosity(m, s, w.samples, w.near, dt);
  apply_surface_tension(m, s, w.near, dt);
  accelerate_bodies(m, s, dt);
  w.seconds.forces += watch.lap();
  const SolveReport solve = solve_step(m, s, w, dt);
  watch.lap();
  apply_solution(m, s, w, dt);
  integrate(m, s, dt);
  w.seconds.apply += watch.lap();
  s.time += dt;
  s.step += 1;
  StepReport report{.step = s.step,
                    .time = s.time,
                    .dt = dt,
                    .iterations = solve.iterations,
                    .residual_mean = solve.residual_mean,
                    .residual_max = solve.residual_max,
                    .converged = solve.converged};
  return report;
}

/// Deepest overlap at the end of the step among contacts that it has made deeper.
double deepening_overlap(const Workspace& w, double dt) {
  const ContactRows& rows = w.system.rows;
  double deepest = 0;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const double start = w.system.contacts.gap[rows.source[c]];
    const double end = start + dt * (relative_velocity(rows, c, w.solution.u).n - rows.bias[c]);
    if (end < start) deepest = std::max(deepest, -end);
  }
  return deepest;
}

/// What is wrong with the state after a step; empty if nothing.
std::string fault_of(const Model& m, const State& s, const Workspace& w, double dt) {
  const double speed = fastest(m, s), h = m.scene.spacing;
  if (!std::isfinite(speed)) return first_not_finite(m, s);
  if (speed * dt > m.scene.solver.max_travel * h)
    return fmt::format(
        "the fastest particle moves {:.3g} spacings in a step of {:.3g} s, more than "
        "solver.max_travel ({:g}). Make the time step smaller",
        speed * dt / h, dt, m.scene.solver.max_travel);
  if (const double depth = deepening_overlap(w, dt); depth > m.scene.solver.max_overlap * h)
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
}

void find_neighbours(const Model& m, State& s, Workspace& w) {
  Stopwatch watch;
  w.search.sort_liquid(w.kernel, s);
  w.seconds.sort += watch.lap();
  place_samples(m, s, w.samples);
  w.search.find(w.kernel, s, w.samples, w.sample_is_static, w.first, w.near);
  w.first = false;
  w.seconds.find += watch.lap();
}

}  // namespace

namespace {

double largest_compression(const LiquidSystem& l) {
  return l.size() == 0 ? 0 : *std::max_element(l.compression.begin(), l.compression.end());
}

/// A step of the liquid alone around held bodies; `kept` of its velocity remains.
void settle_step(const Model& m, State& s, Workspace& w, double dt, bool weightless, double kept) {
  find_neighbours(m, s, w);
  attempt(m, s, w, dt, weightless);
  if (!std::isfinite(fastest(m, s))) throw SimulationError("settling: " + first_not_finite(m, s));
  for (Vec3& v : s.v) v *= kept;
  s.time = 0;
  s.step = 0;
}

}  // namespace

void settle(const Model& m, State& s, Workspace& w) {
  constexpr int most_steps_apart = 40;
  constexpr double loose = 0.02;  // [-] compression that needs no help
  if (s.particles() == 0 || s.bodies.size() == 0) return;
  const RigidBodies bodies = s.bodies;
  const std::vector<MotionProgress> motion = s.motion;
  std::fill(s.bodies.kind.begin(), s.bodies.kind.end(), BodyKind::fixed);
  for (auto* column : {&s.bodies.v, &s.bodies.omega, &s.v})
    std::fill(column->begin(), column->end(), Vec3::Zero());
  for (int k = 0; k < most_steps_apart; ++k) {
    settle_step(m, s, w, choose_time_step(m, s), true, 0);
    if (largest_compression(w.system.liquid) < loose) break;
  }
  for (double t = 0; t < m.scene.settle;) {
    const double dt = choose_time_step(m, s);
    settle_step(m, s, w, dt, false, 0.8);
    t += dt;
  }
  s.bodies = bodies;
  s.motion = motion;
  s.contacts = {};
  std::fill(s.forces.begin(), s.forces.end(), BodyForces{});
  if (m.scene.settle == 0) std::fill(s.pressure.begin(), s.pressure.end(), 0.0f);
  for (std::size_t i = 0; i < s.particles(); ++i) s.v[i] = m.scene.liquids[s.liquid[i]].velocity;
}

StepReport step(const Model& m, State& s, Workspace& w, double dt) {
  constexpr int most_retries = 6;
  w.seconds = {};
  emit(m, s);
  find_neighbours(m, s, w);
  copy_changing(s, w.before);
  StepReport report;
  for (int retry = 0;; ++retry, dt /= 2) {
    report = attempt(m, s, w, dt);
    report.retries = retry;
    const std::string fault = fault_of(m, s, w, dt);
    if (fault.empty()) break;
    copy_changing(w.before, s);
    if (retry == most_retries)
      throw SimulationError(fmt::format("step {}, t = {:.6g} s: {}", s.step + 1, s.time, fault));
  }
  Stopwatch watch;
  move_emitters(m, s, w.before.time, dt);
  drain(m, s, dt);
  audit(m, s, report);
  const std::size_t n = w.system.liquid.size();
  report.volume_error =
      n == 0 ? 0 : ordered_sum(n, 0.0, [&](std::size_t i) {
                     return std::max(0.0, static_cast<double>(w.system.liquid.compression[i]));
                   }) / static_cast<double>(n);
  report.overlap = 0;
  for (double gap : w.system.contacts.gap) report.overlap = std::max(report.overlap, -gap);
  w.seconds.audit = watch.lap();
  return report;
}

void audit(const Model& m, const State& s, StepReport& r) {
  const auto mass = [&](std::size_t i) {
    return s.volume[i] * m.scene.liquids[s.liquid[i]].density;
  };
  struct Totals {
    double volume = 0, kinetic = 0, potential = 0;
    Vec3 p = Vec3::Zero(), L = Vec3::Zero();
    Totals operator+(const Totals& o) const {
      return {volume + o.volume, kinetic + o.kinetic, potential + o.potential, p + o.p, L + o.L};
    }
  };
  const std::size_t n = s.particles();
  const Totals liquid = ordered_sum(n, Totals{}, [&](std::size_t i) -> Totals {
    const Vec3 p = mass(i) * s.v[i];
    return {s.volume[i], 0.5 * p.dot(s.v[i]), -mass(i) * m.scene.gravity.dot(s.x[i]), p,
            s.x[i].cross(p)};
  });
  r.particles = static_cast<std::int64_t>(n);
  r.liquid_volume = liquid.volume;
  r.kinetic_energy = liquid.kinetic;
  r.potential_energy = liquid.potential;
  r.momentum = liquid.p;
  r.angular_momentum = liquid.L;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::dynamic) continue;
    const Vec3 p = s.bodies.mass[i] * s.bodies.v[i];
    r.kinetic_energy += kinetic_energy(s.bodies, i);
    r.potential_energy -= s.bodies.mass[i] * m.scene.gravity.dot(s.bodies.x[i]);
    r.momentum += p;
    r.angular_momentum += s.bodies.x[i].cross(p) + s.bodies.L[i];
  }
  r.max_speed = fastest(m, s);
  if (!std::isfinite(r.kinetic_energy + r.potential_energy + r.angular_momentum.sum()))
    throw SimulationError(
        fmt::format("step {}, t = {:.6g} s: {}", s.step, s.time, first_not_finite(m, s)));
}

}  // namespace hydrolith::particles
