#include "geometry/shape_recipes.h"

#include "geometry/shape_checks.h"

#include <cmath>
#include <numbers>

namespace hydrolith {

namespace {

Shape part(Shape::Variant kind, const Vec3& at, const Quat& rotate = Quat::Identity()) {
  return {.kind = std::move(kind), .at = at, .rotate = rotate};
}

Quat about_z(double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitZ()));
}

Quat about_y(double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitY()));
}

}  // namespace

// The upper leg reaches up by its length l; the three lower ones reach down by l/3 and by their tip
// radius t times the sine of the angle between leg and vertical, so that
//   size = 4/3 l + 2 sqrt(2)/3 t.
Shape tetrapod_recipe(const TetrapodShape& s) {
  check(s);
  const double tip = s.taper * s.leg_radius, sine = 2 * std::sqrt(2.0) / 3;
  const double length = 0.75 * (s.size - sine * tip);
  BlendShape blend{.radius = 0.6 * s.leg_radius, .shapes = {}};
  for (int leg = 0; leg < 4; ++leg) {
    const double angle = 2 * std::numbers::pi * leg / 3;
    const Vec3 along = leg == 3 ? Vec3(Vec3::UnitY())
                                : Vec3(sine * std::cos(angle), -1.0 / 3, sine * std::sin(angle));
    blend.shapes.push_back(part(ConeShape{s.leg_radius, length, tip}, 0.5 * length * along,
                                Quat::FromTwoVectors(Vec3::UnitY(), along)));
  }
  return {.kind = std::move(blend)};
}

// In units of the length. Body, breast, head and tail run into each other; wings and bill only
// touch them; the eyes sit on top.
Shape duck_recipe(const DuckShape& s) {
  check(s);
  const Shape tail = {
      .kind = BlendShape{0.03,
                         {part(ConeShape{0.14, 0.30, 0.027}, {-0.355, -0.005, 0}, about_z(50)),
                          part(SphereShape{0.028}, {-0.4715, 0.0925, 0})}}};
  const Shape trunk = {
      .kind = BlendShape{0.13,
                         {part(EllipsoidShape{{0.335, 0.215, 0.262}}, {-0.075, -0.15, 0}),
                          part(SphereShape{0.185}, {0.1, -0.1, 0}),
                          part(SphereShape{0.19}, {0.165, 0.215, 0}), tail}}};
  Shape feathered = {.kind = BlendShape{.radius = 0.035, .shapes = {trunk}}};
  auto& parts = std::get<BlendShape>(feathered.kind).shapes;
  for (const double side : {-1.0, 1.0})
    parts.push_back(part(EllipsoidShape{{0.175, 0.10, 0.045}}, {-0.1, -0.09, 0.247 * side},
                         about_y(-7 * side) * about_z(-14)));
  parts.push_back(part(EllipsoidShape{{0.15, 0.040, 0.108}}, {0.3525, 0.205, 0}, about_z(11)));
  parts.push_back(part(EllipsoidShape{{0.12, 0.032, 0.09}}, {0.34, 0.148, 0}, about_z(-8)));

  Shape duck = {.kind = UnionShape{{feathered}}, .scale = Vec3::Constant(s.length)};
  for (const double side : {-1.0, 1.0})
    std::get<UnionShape>(duck.kind).shapes.push_back(
        part(SphereShape{0.034}, {0.276, 0.272, 0.124 * side}));
  return duck;
}

}  // namespace hydrolith
