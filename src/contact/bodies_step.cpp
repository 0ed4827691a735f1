#include "contact/bodies_step.h"

#include "core/check.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

void accelerate_bodies(const World& w, WorldState& s, double dt) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::dynamic) continue;
    Wrench total{s.bodies.mass[i] * w.scene.gravity, Vec3::Zero()};
    for (const LoadSpec& load : w.scene.bodies[i].loads) {
      const Vec3& origin = w.solids.shapes[w.solids.shape_of[i]].shape_origin;
      const Wrench part = evaluate(load, s.bodies.pose(i), origin, s.time);
      total.force += part.force;
      total.torque += part.torque;
    }
    if (!s.applied.empty()) {
      total.force += s.applied[i].force;
      total.torque += s.applied[i].torque;
    }
    apply_impulse(s.bodies, i, dt * total.force, dt * total.torque);
  }
}

void steer_kinematic(const World& w, WorldState& s, double dt) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::kinematic) continue;
    const MotionSpec& motion = w.scene.bodies[i].motion;
    if (motion.driven) continue;  // as it was set
    s.motion[i] = advance(motion, s.motion[i], s.time, dt);
    const Pose next = prescribed_pose(motion, w.start[i], s.motion[i], s.time + dt);
    const Twist twist = twist_between(s.bodies.pose(i), next, dt);
    s.bodies.v[i] = twist.velocity;
    s.bodies.omega[i] = twist.angular_velocity;
  }
}

void integrate_bodies(const World& w, WorldState& s, double dt) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] == BodyKind::dynamic) drift(s.bodies, i, dt);
    if (s.bodies.kind[i] == BodyKind::kinematic) {
      const MotionSpec& motion = w.scene.bodies[i].motion;
      const Pose next = motion.driven
                            ? moved(s.bodies.pose(i), {s.bodies.v[i], s.bodies.omega[i]}, dt)
                            : prescribed_pose(motion, w.start[i], s.motion[i], s.time + dt);
      s.bodies.x[i] = next.position;
      s.bodies.q[i] = next.orientation;
    }
  }
}

void write_bodies(const World& w, const WorldState& s, BodyColumns& b) {
  const std::size_t n = s.bodies.size();
  b.dynamic.resize(n), b.inverse_mass.resize(n), b.inverse_inertia.resize(n), b.mass.resize(n);
  b.reach.resize(n), b.start.resize(n);
  b.whole_inverse.clear();
  for (std::size_t i = 0; i < n; ++i) {
    b.dynamic[i] = s.bodies.kind[i] == BodyKind::dynamic;
    b.reach[i] = w.reach[w.solids.shape_of[i]];
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

double body_speed(const World& w, const WorldState& s, std::size_t i) {
  return s.bodies.v[i].norm() + s.bodies.omega[i].norm() * w.reach[w.solids.shape_of[i]];
}

double fastest_body(const World& w, const WorldState& s) {
  double speed = 0;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) speed = std::max(speed, body_speed(w, s, i));
  return speed;
}

std::string first_body_not_finite(const World& w, const WorldState& s) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    const BodySpec& body = w.scene.bodies[i];
    const bool finite = s.bodies.x[i].allFinite() && s.bodies.v[i].allFinite() &&
                        s.bodies.q[i].coeffs().allFinite() && s.bodies.omega[i].allFinite();
    if (!finite || !std::isfinite(s.bodies.mass[i] * s.bodies.v[i].squaredNorm()))
      return fmt::format(
          "the motion of body {} ({}:{}:{}) is no longer a finite number. Look at its loads, "
          "motion, density and velocity",
          body.name, w.scene.file, body.mark.line, body.mark.column);
  }
  return {};
}

void audit_bodies(const World& w, const WorldState& s, StepReport& r) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::dynamic) continue;
    const Vec3 p = s.bodies.mass[i] * s.bodies.v[i];
    r.kinetic_energy += kinetic_energy(s.bodies, i);
    r.potential_energy -= s.bodies.mass[i] * w.scene.gravity.dot(s.bodies.x[i]);
    r.momentum += p;
    r.angular_momentum += s.bodies.x[i].cross(p) + s.bodies.L[i];
  }
}

}  // namespace hydrolith
