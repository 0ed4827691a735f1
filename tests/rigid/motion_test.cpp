#include "rigid/motion.h"

#include <doctest/doctest.h>

#include <numbers>

using namespace hydrolith;

namespace {
constexpr double pi = std::numbers::pi;
Quat about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis)); }
}  // namespace

TEST_CASE("constant velocity moves a body by v t") {
  MotionSpec m;
  m.velocity = VectorFunction{1, 2, 3};
  MotionProgress p;
  for (int n = 0; n < 10; ++n) p = advance(m, p, 0.1 * n, 0.1);
  const Pose pose = prescribed_pose(m, {Vec3(1, 0, 0), Quat::Identity()}, p, 1);
  CHECK((pose.position - Vec3(2, 2, 3)).norm() < 1e-14);  // round-off of ten sums
}

TEST_CASE("rotation about a distant centre carries the body round it") {
  MotionSpec m;
  m.rotation_rate = TimeFunction(pi / 2);
  m.rotation_axis = Vec3::UnitZ();
  m.rotation_centre = Vec3::Zero();
  const Pose start{Vec3(2, 0, 0), Quat::Identity()};
  const Pose pose = prescribed_pose(m, start, advance(m, {}, 0, 1), 1);
  CHECK((pose.position - Vec3(0, 2, 0)).norm() < 1e-14);
  CHECK(pose.orientation.angularDistance(about(Vec3::UnitZ(), pi / 2)) < 1e-7);
}

TEST_CASE("a rate that ramps linearly is integrated exactly") {
  MotionSpec m;
  m.rotation_rate = TimeFunction({0, 2}, {0, 4}, Interpolation::linear);
  MotionProgress p;
  for (int n = 0; n < 4; ++n) p = advance(m, p, 0.5 * n, 0.5);
  CHECK(p.angle == doctest::Approx(4).epsilon(1e-14));
}

TEST_CASE("keyframes pass through their poses, hold outside, and start and stop smoothly") {
  MotionSpec m;
  m.keyframes = {{1, Vec3::Zero(), Quat::Identity()},
                 {3, Vec3(0, 4, 0), about(Vec3::UnitX(), 1.0)}};
  const Pose start{Vec3(1, 1, 1), about(Vec3::UnitY(), 0.5)};
  CHECK((prescribed_pose(m, start, {}, 0).position - Vec3(1, 1, 1)).norm() == 0);
  CHECK((prescribed_pose(m, start, {}, 2).position - Vec3(1, 3, 1)).norm() < 1e-14);
  const Pose last = prescribed_pose(m, start, {}, 9);
  CHECK((last.position - Vec3(1, 5, 1)).norm() == 0);
  CHECK(last.orientation.angularDistance(about(Vec3::UnitX(), 1) * start.orientation) < 1e-7);
  const double just_after = (prescribed_pose(m, start, {}, 1.001).position.y() - 1) / 0.001;
  CHECK(just_after < 0.01);  // smoothstep: zero velocity at the key, 3 * 4 * (dt/2)^2 / dt
}

TEST_CASE("the twist of a step carries one pose into the next") {
  const Pose a{Vec3(1, 2, 3), about(Vec3(1, 1, 0).normalized(), 0.3)};
  const Pose b{Vec3(1.5, 2, 3), about(Vec3::UnitZ(), 0.2) * a.orientation};
  const Twist twist = twist_between(a, b, 0.1);
  CHECK((twist.velocity - Vec3(5, 0, 0)).norm() < 1e-12);
  CHECK((twist.angular_velocity - Vec3(0, 0, 2)).norm() < 1e-12);
  CHECK(twist_between(a, a, 0.1).angular_velocity.norm() < 1e-12);
  const Pose again = moved(a, twist, 0.1);
  CHECK((again.position - b.position).norm() < 1e-12);
  CHECK(again.orientation.angularDistance(b.orientation) < 1e-7);
  CHECK(moved(a, {}, 0.1).orientation.angularDistance(a.orientation) < 1e-7);
}

TEST_CASE("a load in the body frame turns with the body and acts where it is attached") {
  LoadSpec load;
  load.force = VectorFunction{10, 0, 0};
  load.at = Vec3(0, 0, 1);
  load.body_frame = true;
  const Pose body{Vec3(7, 7, 7), about(Vec3::UnitY(), pi / 2)};
  const Wrench w = evaluate(load, body, Vec3::Zero(), 0);
  CHECK((w.force - Vec3(0, 0, -10)).norm() < 1e-14);
  CHECK((w.torque - Vec3(1, 0, 0).cross(Vec3(0, 0, -10))).norm() < 1e-13);
}
