#pragma once
// Surfaces of revolution in closed form: their meshes are polyhedra, which do not roll. A 64-gon
// loses a fifth of its speed a turn, since each edge that meets the ground is an inelastic impact.

#include "geometry/mesh_distance.h"
#include "setup/solids.h"

#include <array>
#include <optional>
#include <span>

namespace hydrolith {

/// Sphere, capsule and torus lie at a distance around a core; cylinder and cone are their own core;
/// a chain link is a torus cut in two and drawn apart.
/// The core is a line of up to four points in the half plane (distance from the axis, along it).
class RoundSurface {
 public:
  /// The surface in the body frame; none if the shape has no such form or `points`, which must lie
  /// on it, do not. In two dimensions balls and cylinders across the plane are circles.
  static std::optional<RoundSurface> of(const SolidShape& solid, std::span<const Vec3> points,
                                        int dimensions);

  /// Nearest point, outward normal and distance; on edges the normal is the mean of both sides.
  MeshDistance::Closest closest(const Vec3& x) const;

 private:
  struct Foot {
    Vec2 point, normal;
  };

  std::array<Vec2, 4> core_ = {};  // [m] from the top down, outside on the left
  std::size_t size_ = 0;
  double radius_ = 0;  // [m] of what is around the core
  double outward_ = 1;
  double stretch_ = 0;         // [m] half the length by which it is drawn out along x
  Mat3 R_ = Mat3::Identity();  // axis along y -> body frame
  Vec3 x_ = Vec3::Zero();      // [m]

  bool set_core(const Shape& shape, int dimensions);
  void add(double distance, double height);
  Foot foot_on_core(const Vec2& x) const;
};

}  // namespace hydrolith
