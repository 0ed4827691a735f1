#pragma once
// Vectors, rotations and boxes used at every interface. SI units, right-handed, y up unless the
// scene's gravity says otherwise.

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <limits>

namespace hydrolith {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// Axis-aligned box; empty until something is included.
struct Box3 {
  Vec3 lo = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 hi = Vec3::Constant(-std::numeric_limits<double>::infinity());

  bool empty() const { return (lo.array() > hi.array()).any(); }
  Vec3 size() const { return empty() ? Vec3(Vec3::Zero()) : Vec3(hi - lo); }
  Vec3 centre() const { return 0.5 * (lo + hi); }
  bool contains(const Vec3& x) const {
    return (lo.array() <= x.array()).all() && (x.array() <= hi.array()).all();
  }
  Box3& include(const Vec3& x) {
    lo = lo.cwiseMin(x);
    hi = hi.cwiseMax(x);
    return *this;
  }
  Box3& include(const Box3& b) {
    lo = lo.cwiseMin(b.lo);
    hi = hi.cwiseMax(b.hi);
    return *this;
  }
  Box3 grown(double by) const { return {lo - Vec3::Constant(by), hi + Vec3::Constant(by)}; }
};

/// Where a body is: x_world = orientation * x_body + position.
struct Pose {
  Vec3 position = Vec3::Zero();         // [m]
  Quat orientation = Quat::Identity();  // unit quaternion

  Vec3 operator*(const Vec3& x) const { return orientation * x + position; }
  Pose operator*(const Pose& b) const {
    return {orientation * b.position + position, (orientation * b.orientation).normalized()};
  }
  Pose inverse() const {
    const Quat q = orientation.conjugate();
    return {-(q * position), q};
  }
};

}  // namespace hydrolith
