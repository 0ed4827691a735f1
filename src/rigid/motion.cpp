#include "rigid/motion.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

/// Integral of f over [t, t + dt], three-point Gauss-Legendre.
template <class F, class T>
T integrate(const F& f, double t, double dt, T zero) {
  const double r = std::sqrt(0.6), mid = t + 0.5 * dt;
  T sum = zero;
  sum += 5.0 / 18 * dt * f(mid - 0.5 * dt * r);
  sum += 8.0 / 18 * dt * f(mid);
  sum += 5.0 / 18 * dt * f(mid + 0.5 * dt * r);
  return sum;
}

/// Position between two keys in [0, 1] after the chosen interpolation.
double blend_weight(double s, Interpolation how) {
  switch (how) {
    case Interpolation::linear:
      return s;
    case Interpolation::smooth:
      return s * s * (3 - 2 * s);
    case Interpolation::step:
      return 0;
  }
  return s;
}

/// The offset that the keyframes give at time t; held before the first and after the last key.
Pose keyframe_offset(const MotionSpec& motion, double t) {
  const auto& keys = motion.keyframes;
  const auto next = std::upper_bound(keys.begin(), keys.end(), t,
                                     [](double time, const MotionKey& k) { return time < k.time; });
  if (next == keys.begin()) return {next->at, next->rotate};
  const MotionKey& a = *(next - 1);
  if (next == keys.end()) return {a.at, a.rotate};
  const double w = blend_weight((t - a.time) / (next->time - a.time), motion.interpolation);
  return {a.at + w * (next->at - a.at), a.rotate.slerp(w, next->rotate)};
}

}  // namespace

MotionProgress advance(const MotionSpec& motion, const MotionProgress& progress, double t,
                       double dt) {
  MotionProgress next = progress;
  if (motion.velocity) next.travel += integrate(*motion.velocity, t, dt, Vec3(Vec3::Zero()));
  if (motion.rotation_rate) next.angle += integrate(*motion.rotation_rate, t, dt, 0.0);
  return next;
}

Pose prescribed_pose(const MotionSpec& motion, const Pose& start, const MotionProgress& progress,
                     double t) {
  if (!motion.keyframes.empty()) {
    const Pose offset = keyframe_offset(motion, t);
    return {start.position + offset.position,
            (offset.orientation * start.orientation).normalized()};
  }
  const Quat turn(Eigen::AngleAxisd(progress.angle, motion.rotation_axis));
  const Vec3 centre = motion.rotation_centre.value_or(start.position);
  return {centre + turn * (start.position - centre) + progress.travel,
          (turn * start.orientation).normalized()};
}

Twist twist_between(const Pose& from, const Pose& to, double dt) {
  Quat turn = to.orientation * from.orientation.conjugate();
  if (turn.w() < 0) turn.coeffs() *= -1;  // the short way round
  const Eigen::AngleAxisd rotation(turn);
  return {(to.position - from.position) / dt, rotation.axis() * rotation.angle() / dt};
}

Pose moved(const Pose& from, const Twist& twist, double dt) {
  const double speed = twist.angular_velocity.norm();
  const Vec3 axis = speed > 0 ? Vec3(twist.angular_velocity / speed) : Vec3(Vec3::UnitX());
  const Quat turn(Eigen::AngleAxisd(dt * speed, axis));
  return {from.position + dt * twist.velocity, (turn * from.orientation).normalized()};
}

Wrench evaluate(const LoadSpec& load, const Pose& body, const Vec3& shape_origin, double t) {
  const Quat turn = load.body_frame ? body.orientation : Quat::Identity();
  Wrench w{turn * load.force(t), turn * load.torque(t)};
  if (load.at) w.torque += (body.orientation * (*load.at + shape_origin)).cross(w.force);
  return w;
}

}  // namespace hydrolith
