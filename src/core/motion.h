#pragma once
// What drives a body: plain data. scene/ reads it, rigid/ evaluates it.

#include "hydrolith/vec.h"

#include "core/time_function.h"

#include <optional>
#include <vector>

namespace hydrolith {

struct MotionKey {
  double time = 0;
  Vec3 at = Vec3::Zero();
  Quat rotate = Quat::Identity();
};

/// Motion of a kinematic body: driven from outside, or prescribed by one of the three, or by
/// velocity and rotation together.
struct MotionSpec {
  bool driven = false;                        // moves at the velocities that a program sets
  std::optional<VectorFunction> velocity;     // [m/s]
  std::optional<TimeFunction> rotation_rate;  // [rad/s] about axis through centre
  Vec3 rotation_axis = Vec3::UnitY();         // unit vector
  std::optional<Vec3> rotation_centre;        // [m] none: the body's own position
  std::vector<MotionKey> keyframes;  // strictly rising times; poses relative to the starting pose
  Interpolation interpolation = Interpolation::smooth;
};

/// A force or torque on a dynamic body as a function of time.
struct LoadSpec {
  VectorFunction force;     // [N]
  VectorFunction torque;    // [N m]
  std::optional<Vec3> at;   // [m] where the force acts, body frame; none: centre of mass
  bool body_frame = false;  // directions turn with the body
};

}  // namespace hydrolith
