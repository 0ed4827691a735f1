#pragma once
// One case of every shape, with what is known about it.

#include "core/shape.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace hydrolith::test {

struct ShapeCase {
  std::string name;
  Shape::Variant kind;
  double resolution;            // [m]
  double volume = 0, area = 0;  // [m^3], [m^2] analytic; 0: not known
  bool contoured = false;       // from signed distance, not laid out directly
};

inline Shape shape_of(Shape::Variant kind, const Vec3& at = Vec3::Zero(),
                      const Quat& rotate = Quat::Identity()) {
  return {.kind = std::move(kind), .at = at, .rotate = rotate};
}

inline std::vector<ShapeCase> all_shapes() {
  using std::numbers::pi;
  const double slant = std::sqrt(0.25 + 1.0), frustum = std::hypot(0.3, 1.0);
  const double link = 2 * pi * 0.075 + 2 * 0.1;  // [m] centre line of the chain link
  return {
      {"box", BoxShape{{1, 2, 0.5}}, 0.05, 1, 7},
      {"sphere", SphereShape{0.5}, 0.05, pi / 6, pi},
      {"ellipsoid", EllipsoidShape{}, 0.05, 4.0 / 3 * pi * 0.5 * 0.3 * 0.4},
      {"cylinder", CylinderShape{}, 0.05, pi / 4, 1.5 * pi},
      {"capsule", CapsuleShape{}, 0.05, pi / 32 + pi / 48, 2 * pi * 0.25},
      {"ball as capsule", CapsuleShape{0.5, 1}, 0.05, pi / 6, pi},
      {"cone", ConeShape{}, 0.05, pi / 12, pi * 0.5 * (0.5 + slant)},
      {"frustum", ConeShape{0.5, 1, 0.2}, 0.05, pi / 3 * 0.39, pi * (0.25 + 0.04 + 0.7 * frustum)},
      {"cone on its tip", ConeShape{0, 1, 0.5}, 0.05, pi / 12, pi * 0.5 * (0.5 + slant)},
      {"torus", TorusShape{}, 0.05, 2 * pi * pi * 0.5 * 0.0225, 4 * pi * pi * 0.5 * 0.15},
      {"wedge", WedgeShape{}, 0.05, 0.5, 3 + std::sqrt(2.0)},
      {"plate", PlateShape{}, 0.05, 0.05, 2.2},
      {"rounded box", RoundedBoxShape{{1, 0.8, 0.6}, 0.1}, 0.05,
       0.8 * 0.6 * 0.4 + 0.2 * (0.48 + 0.32 + 0.24) + pi * 0.01 * 1.8 + 4.0 / 3 * pi * 0.001,
       2 * (0.48 + 0.32 + 0.24) + 2 * pi * 0.1 * 1.8 + 4 * pi * 0.01},
      {"box rounded to a pill", RoundedBoxShape{{1, 0.5, 0.5}, 0.25}, 0.05, pi / 32 + pi / 48,
       pi / 2},
      {"height field", HeightFieldShape{.height = Expression::constant(0.3), .file = {}}, 0.1, 0.2,
       2.8},
      {"chain link", ChainLinkShape{}, 0.02, pi * 0.025 * 0.025 * link, 2 * pi * 0.025 * link},
      {"gear", GearShape{}, 0.02},
      {"gear without bore", GearShape{.bore = 0}, 0.02},
      {"bolt", BoltShape{}, 0.01},
      {"nut", NutShape{}, 0.01},
      {"tetrapod", TetrapodShape{}, 0.08, 0, 0, true},
      {"text", TextShape{"OK 3"}, 0.02, 0, 0, true},
      {"duck", DuckShape{}, 1.0 / 15, 0, 0, true},
  };
}

inline double volume_of(const TriangleMesh& mesh) { return mass_properties(mesh).volume; }

/// Smallest area [m^2] of any triangle.
inline double smallest_triangle(const TriangleMesh& mesh) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
    smallest = std::min(smallest, 0.5 * (b - a).cross(c - a).norm());
  }
  return smallest;
}

/// Points spread over a box grown to 1.5 times its size, always the same ones.
inline std::vector<Vec3> points_around(const Box3& box, int count, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-0.75, 0.75);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double x = uniform(random), y = uniform(random), z = uniform(random);
    points.push_back(box.centre() + box.size().cwiseProduct(Vec3(x, y, z)));
  }
  return points;
}

}  // namespace hydrolith::test
