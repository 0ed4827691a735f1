#include "rigid/bodies.h"

#include "about.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;

namespace {
Mat3 rotated(const Vec3& moments, const Quat& q) {
  const Mat3 R = q.toRotationMatrix();
  return R * moments.asDiagonal() * R.transpose();
}
}  // namespace

TEST_CASE("principal axes of a tilted tensor reproduce the tensor") {
  const Quat tilt(Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()));
  const Mat3 tensor = rotated({1, 2, 3.5}, tilt);
  const Inertia inertia = principal_inertia(2, tensor);
  CHECK((rotated(inertia.moments, inertia.axes) - tensor).norm() < 1e-14);  // round-off
}

TEST_CASE("a diagonal tensor keeps the body's own axes, in their order") {
  const Inertia inertia = principal_inertia(1, Vec3(3, 1, 2).asDiagonal());
  CHECK((inertia.moments - Vec3(3, 1, 2)).norm() < 1e-14);
  CHECK(inertia.axes.angularDistance(Quat::Identity()) < 1e-7);
}

TEST_CASE("a body turning about its middle axis flips, and keeps angular momentum and energy") {
  RigidBodies b;
  add_body(b, BodyKind::dynamic, principal_inertia(1, Vec3(1, 2, 3).asDiagonal()), {});
  set_angular_velocity(b, 0, Vec3(1e-3, 5, 1e-3));
  const Vec3 L0 = b.L[0];
  const double E0 = kinetic_energy(b, 0);
  double lowest = 1, energy_error = 0;
  for (int n = 0; n < 20000; ++n) {
    drift(b, 0, 1e-3);
    lowest = std::min(lowest, (b.q[0] * Vec3::UnitY()).y());
    energy_error = std::max(energy_error, std::abs(kinetic_energy(b, 0) / E0 - 1));
  }
  CHECK(lowest < -0.99);             // Dzhanibekov: the middle axis points the other way at times
  CHECK((b.L[0] - L0).norm() == 0);  // L is the state: free rotation does not touch it
  CHECK(energy_error < 1e-5);        // splitting error O((omega dt)^2) = 2.5e-5, bounded
}

TEST_CASE("halving the step of free rotation quarters the error") {
  const auto final_orientation = [](int steps) {
    RigidBodies b;
    add_body(b, BodyKind::dynamic, principal_inertia(1, Vec3(1, 2, 3).asDiagonal()), {});
    set_angular_velocity(b, 0, Vec3(1, 2, 3));
    for (int n = 0; n < steps; ++n) drift(b, 0, 1.0 / steps);
    return b.q[0];
  };
  const Quat exact = final_orientation(20000);
  const double coarse = final_orientation(50).angularDistance(exact);
  const double fine = final_orientation(100).angularDistance(exact);
  CHECK(coarse / fine == about(4, 0.05));  // second order
}

TEST_CASE("an impulse off the centre changes momentum and angular momentum by its own amount") {
  RigidBodies b;
  add_body(b, BodyKind::dynamic, principal_inertia(2, Vec3(1, 2, 3).asDiagonal()), {});
  apply_impulse(b, 0, Vec3(4, 0, 0), Vec3(0, 0, 6));
  CHECK((b.v[0] - Vec3(2, 0, 0)).norm() < 1e-15);
  CHECK((b.omega[0] - Vec3(0, 0, 2)).norm() < 1e-15);
  CHECK(kinetic_energy(b, 0) == doctest::Approx(0.5 * (2 * 4 + 3 * 4)));
}

TEST_CASE("a point of a body gives way to an impulse by its lightness there") {
  RigidBodies b;
  const Quat tilt(Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()));
  add_body(b, BodyKind::dynamic, principal_inertia(2, Vec3(1, 2, 3).asDiagonal()), {{}, tilt});
  add_body(b, BodyKind::fixed, {}, {});
  const Vec3 arm(0.3, -0.4, 1), n = Vec3(1, 2, 2) / 3, impulse = 0.5 * n;
  const double lightness = lightness_at(b, 0, arm, n);
  apply_impulse(b, 0, impulse, arm.cross(impulse));
  CHECK(n.dot(b.v[0] + b.omega[0].cross(arm)) == about(0.5 * lightness, 1e-14));  // round-off
  CHECK(lightness > 0.5);  // 1 / m, and what turning adds
  CHECK(lightness_at(b, 1, arm, n) == 0);
}
