#include "render/view.h"

#include "core/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace hydrolith {

namespace {

double half_tangent(double field_of_view_deg) {
  return std::tan(0.5 * field_of_view_deg * std::numbers::pi / 180);
}

/// Extent of the points along two directions of a picture, in the terms of fit_camera.
struct Reach {
  double plus = -std::numeric_limits<double>::infinity();
  double minus = -std::numeric_limits<double>::infinity();
  void include(double across, double widening) {
    plus = std::max(plus, across + widening);
    minus = std::max(minus, -across + widening);
  }
  double centre() const { return 0.5 * (plus - minus); }
  double half_width() const { return 0.5 * (plus + minus); }
};

}  // namespace

ViewAxes view_axes(const Vec3& looking_along, const Vec3& world_up) {
  const Vec3 back = -looking_along.normalized();
  Vec3 right = world_up.normalized().cross(back);
  if (right.norm() < 1e-6) right = ground_axes(world_up).right;  // looking straight up or down
  right.normalize();
  return {right, back.cross(right), back};
}

GroundAxes ground_axes(const Vec3& up) {
  const Vec3 u = up.normalized();
  const Vec3 hint = std::abs(u.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 right = (hint - hint.dot(u) * u).normalized();
  return {right, right.cross(u)};
}

View::View(const Camera& camera, const Vec3& world_up, int width, int height, bool parallel)
    : from_(camera.from), width_(width), height_(height), parallel_(parallel) {
  require(camera.from.allFinite() && camera.to.allFinite() && camera.from != camera.to,
          "camera: `from` and `to` must be two different finite points");
  require(camera.field_of_view > 0 && camera.field_of_view < 180,
          "camera: field_of_view must lie between 0 and 180 degrees, got {}", camera.field_of_view);
  require(world_up.allFinite() && world_up.norm() > 0, "camera: `up` must be a direction");
  axes_ = view_axes(camera.to - camera.from, world_up);
  distance_ = (camera.to - camera.from).norm();
  half_height_ = half_tangent(camera.field_of_view);
}

ViewRay View::ray(double x, double y) const {
  const double scale = 2 * half_height_ / height_;
  const Vec3 aside = scale * ((x - 0.5 * width_) * axes_.right - (y - 0.5 * height_) * axes_.up);
  if (parallel_) return {from_ + distance_ * aside, -axes_.back};
  return {from_, (aside - axes_.back).normalized()};
}

Vec2 View::project(const Vec3& point) const {
  const Vec3 d = point - from_;
  const double depth = parallel_ ? distance_ : -d.dot(axes_.back);
  if (depth <= 0) return Vec2::Constant(std::numeric_limits<double>::quiet_NaN());
  const double scale = height_ / (2 * half_height_ * depth);
  return {0.5 * width_ + scale * d.dot(axes_.right), 0.5 * height_ - scale * d.dot(axes_.up)};
}

// With x to the right and z away from the viewer, a camera at (cx, cz) whose picture has the half
// width w at distance 1 sees a point if |x - cx| <= w (z - cz). Over all points:
//   cx - w cz >= max( x - w z) = plus,    -cx - w cz >= max(-x - w z) = minus,
// hence cx = (plus - minus) / 2 and the nearest cz = -(plus + minus) / (2 w); the same upwards, and
// the farther camera of the two serves both.
Camera fit_camera(const std::vector<Vec3>& points, const Vec3& direction, const Vec3& world_up,
                  double aspect, double field_of_view, double margin, bool parallel) {
  const ViewAxes axes = view_axes(direction, world_up);
  const double tall = half_tangent(field_of_view) * (1 - 2 * margin), wide = tall * aspect;
  Reach across, upwards, away;
  for (const Vec3& p : points) {
    const double z = -p.dot(axes.back);
    across.include(p.dot(axes.right), parallel ? 0 : -wide * z);
    upwards.include(p.dot(axes.up), parallel ? 0 : -tall * z);
    away.include(z, 0);
  }
  double distance = std::max(across.half_width() / wide, upwards.half_width() / tall);
  double z = -distance;
  if (parallel) {  // far enough to stand in front of everything
    z = away.centre() - away.half_width() - distance;
    distance = away.centre() - z;
    const double size =
        std::max(across.half_width() / aspect, upwards.half_width()) / (1 - 2 * margin);
    field_of_view = 2 * std::atan2(size, distance) * 180 / std::numbers::pi;
  } else {
    distance = away.centre() - z;
  }
  const Vec3 from = across.centre() * axes.right + upwards.centre() * axes.up - z * axes.back;
  return {from, from - distance * axes.back, field_of_view};
}

}  // namespace hydrolith
