#include "core/wide.h"
#include "particles/step_parts.h"

namespace hydrolith::particles {

namespace {

std::span<double> flat(std::vector<Vec3>& column) {
  return {column.empty() ? nullptr : column.front().data(), 3 * column.size()};
}

}  // namespace

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

}  // namespace hydrolith::particles
