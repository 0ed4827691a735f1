#pragma once
// Prescribed motion of kinematic bodies and loads on dynamic ones, evaluated in time.

#include "hydrolith/frame.h"
#include "hydrolith/vec.h"

#include "core/motion.h"

namespace hydrolith {

/// How far a prescribed motion has come: integrals of velocity and turning rate since t = 0.
struct MotionProgress {
  Vec3 travel = Vec3::Zero();  // [m]
  double angle = 0;            // [rad]
};

/// Integrates velocity and rate over [t, t + dt] (three-point Gauss-Legendre: exact for polynomials
/// of degree five, so for constants, linear ramps and smooth keyframes inside one segment).
MotionProgress advance(const MotionSpec& motion, const MotionProgress& progress, double t,
                       double dt);

/// The pose at time t of a body that started at `start`. With keyframes: start moved by at(t) and
/// turned by rotate(t) about its own origin. Otherwise: turned by progress.angle about the axis
/// through the centre, then moved by progress.travel.
Pose prescribed_pose(const MotionSpec& motion, const Pose& start, const MotionProgress& progress,
                     double t);

/// The velocities that carry `from` to `to` in dt: what a moving wall really does in the step.
struct Twist {
  Vec3 velocity = Vec3::Zero();          // [m/s] of the origin
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
};
Twist twist_between(const Pose& from, const Pose& to, double dt);
/// The other way round: where a body is after dt at constant velocities.
Pose moved(const Pose& from, const Twist& twist, double dt);

/// What a load does at time t.
Wrench evaluate(const LoadSpec& load, const Pose& body, const Vec3& shape_origin, double t);

}  // namespace hydrolith
