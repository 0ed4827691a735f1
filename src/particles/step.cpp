#include "particles/step.h"

#include "core/check.h"
#include "core/parallel.h"
#include "core/wide.h"
#include "particles/flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

std::span<double> flat(std::vector<Vec3>& column) {
  return {column.empty() ? nullptr : column.front().data(), 3 * column.size()};
}

/// v_f* = v_f + dt g, the part of Probst & Teschner 2023 eq. 3.16 that needs no neighbours.
void accelerate_liquid(const Model& m, State& s, double dt) {
  const Vec3 dv = dt * m.scene.gravity;
  parallel_for(
      s.particles(), [&](std::size_t i) { s.v[i] += dv; }, 4096);
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
void move_kinematic(const Model& m, State& s, std::size_t i, double dt) {
  const MotionSpec& motion = m.scene.bodies[i].motion;
  s.motion[i] = advance(motion, s.motion[i], s.time, dt);
  const Pose next = prescribed_pose(motion, m.start[i], s.motion[i], s.time + dt);
  const Twist twist = twist_between(s.bodies.pose(i), next, dt);
  s.bodies.v[i] = twist.velocity;
  s.bodies.omega[i] = twist.angular_velocity;
  s.bodies.x[i] = next.position;
  s.bodies.q[i] = next.orientation;
}

/// x += dt v (eq. B.1a, B.2a) and the bodies' rotation.
void integrate(const Model& m, State& s, double dt) {
  add_scaled(dt, flat(s.v), flat(s.x));
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] == BodyKind::dynamic) drift(s.bodies, i, dt);
    if (s.bodies.kind[i] == BodyKind::kinematic) move_kinematic(m, s, i, dt);
  }
}

/// Speed of the fastest point of body i: v plus omega times the farthest vertex.
double body_speed(const Model& m, const State& s, std::size_t i) {
  return s.bodies.v[i].norm() + s.bodies.omega[i].norm() * m.reach[m.solids.shape_of[i]];
}

double fastest(const Model& m, const State& s) {
  double v_sq = 0;
  for (const Vec3& v : s.v) v_sq = std::max(v_sq, v.squaredNorm());
  double speed = std::sqrt(v_sq);
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

StepReport step(const Model& m, State& s, double dt) {
  emit(m, s, dt);
  accelerate_liquid(m, s, dt);
  accelerate_bodies(m, s, dt);
  integrate(m, s, dt);
  s.time += dt;
  s.step += 1;
  drain(m, s, dt);
  StepReport report{.step = s.step, .time = s.time, .dt = dt};
  audit(m, s, report);
  return report;
}

void audit(const Model& m, const State& s, StepReport& r) {
  const auto mass = [&](std::size_t i) {
    return s.volume[i] * m.scene.liquids[s.liquid[i]].density;
  };
  const Vec3 zero = Vec3::Zero();
  const std::size_t n = s.particles();
  r.particles = static_cast<std::int64_t>(n);
  r.liquid_volume = ordered_sum(n, 0.0, [&](std::size_t i) { return s.volume[i]; });
  r.kinetic_energy =
      ordered_sum(n, 0.0, [&](std::size_t i) { return 0.5 * mass(i) * s.v[i].squaredNorm(); });
  r.potential_energy =
      ordered_sum(n, 0.0, [&](std::size_t i) { return -mass(i) * m.scene.gravity.dot(s.x[i]); });
  r.momentum = ordered_sum(n, zero, [&](std::size_t i) { return Vec3(mass(i) * s.v[i]); });
  r.angular_momentum =
      ordered_sum(n, zero, [&](std::size_t i) { return Vec3(mass(i) * s.x[i].cross(s.v[i])); });
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::dynamic) continue;
    const Vec3 p = s.bodies.mass[i] * s.bodies.v[i];
    r.kinetic_energy += kinetic_energy(s.bodies, i);
    r.potential_energy -= s.bodies.mass[i] * m.scene.gravity.dot(s.bodies.x[i]);
    r.momentum += p;
    r.angular_momentum += s.bodies.x[i].cross(p) + s.bodies.L[i];
  }
  r.max_speed = fastest(m, s);
  r.volume_error = r.overlap = std::numeric_limits<double>::quiet_NaN();  // not computed yet
  if (!std::isfinite(r.kinetic_energy + r.potential_energy + r.angular_momentum.sum()))
    throw SimulationError(
        fmt::format("step {}, t = {:.6g} s: {}", s.step, s.time, first_not_finite(m, s)));
}

}  // namespace hydrolith::particles
