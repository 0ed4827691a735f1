#include "contact/round_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace hydrolith {

namespace {

/// To the left of the way from p to q.
Vec2 left_of(const Vec2& p, const Vec2& q) {
  return Vec2(p.y() - q.y(), q.x() - p.x()).normalized();
}

bool is_uniform(const Vec3& scale) {
  return scale.x() > 0 && scale.x() == scale.y() && scale.x() == scale.z();
}

}  // namespace

void RoundSurface::add(double distance, double height) {
  const Vec2 point(distance, height);
  if (size_ == 0 || core_[size_ - 1] != point) core_[size_++] = point;
}

bool RoundSurface::set_core(const Shape& shape, int dimensions) {
  const double s = shape.scale.x();
  if (const auto* ball = std::get_if<SphereShape>(&shape.kind)) {
    add(0, 0);
    radius_ = s * ball->radius;
    return true;
  }
  const auto* cylinder = std::get_if<CylinderShape>(&shape.kind);
  if (dimensions == 2) {
    if (!cylinder) return false;
    add(0, 0);
    radius_ = s * cylinder->radius;
  } else if (cylinder) {
    const double half = 0.5 * s * cylinder->height, r = s * cylinder->radius;
    add(0, half), add(r, half), add(r, -half), add(0, -half);
  } else if (const auto* cone = std::get_if<ConeShape>(&shape.kind)) {
    const double half = 0.5 * s * cone->height;
    add(0, half), add(s * cone->top_radius, half), add(s * cone->radius, -half), add(0, -half);
  } else if (const auto* capsule = std::get_if<CapsuleShape>(&shape.kind)) {
    radius_ = s * capsule->radius;
    const double half = 0.5 * s * capsule->height - radius_;
    add(0, half), add(0, -half);
  } else if (const auto* torus = std::get_if<TorusShape>(&shape.kind)) {
    add(s * torus->radius, 0);
    radius_ = s * torus->tube;
  } else if (const auto* link = std::get_if<ChainLinkShape>(&shape.kind)) {
    add(s * (0.5 * link->width - link->wire), 0);
    radius_ = s * link->wire;
    stretch_ = 0.5 * s * (link->length - link->width);
  }
  return size_ > 0;
}

std::optional<RoundSurface> RoundSurface::of(const SolidShape& solid, std::span<const Vec3> points,
                                             int dimensions) {
  RoundSurface surface;
  const Shape& shape = solid.source;
  if (!is_uniform(shape.scale) || !surface.set_core(shape, dimensions)) return std::nullopt;
  surface.R_ = shape.rotate.toRotationMatrix();
  surface.x_ = solid.shape_origin + shape.at;
  surface.outward_ = solid.container ? -1 : 1;
  if (dimensions == 2) surface.x_.z() = 0;
  const auto lies_on_it = [&](const Vec3& x) {
    return surface.closest(x).distance < 1e-9 * (1 + x.norm());
  };
  if (!std::all_of(points.begin(), points.end(), lies_on_it)) return std::nullopt;
  return surface;
}

RoundSurface::Foot RoundSurface::foot_on_core(const Vec2& x) const {
  Foot foot{core_[0], Vec2::Zero()};
  double nearest_sq = (x - core_[0]).squaredNorm();
  if (size_ == 1) return foot;
  nearest_sq = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k + 1 < size_; ++k) {
    const Vec2 &p = core_[k], &q = core_[k + 1];
    const double t = std::clamp((x - p).dot(q - p) / (q - p).squaredNorm(), 0.0, 1.0);
    const Vec2 point = t == 1 ? q : Vec2(p + t * (q - p));
    const double d_sq = (x - point).squaredNorm();
    if (d_sq == nearest_sq && t == 0)
      foot.normal = (foot.normal + left_of(p, q)).normalized();  // the end of the side before
    else if (d_sq < nearest_sq)
      foot = {point, left_of(p, q)}, nearest_sq = d_sq;
  }
  // Around the tip of a cone the normals cancel but for their part along the axis.
  if (foot.point.x() == 0) foot.normal = Vec2(0, foot.normal.y() < 0 ? -1 : 1);
  return foot;
}

MeshDistance::Closest RoundSurface::closest(const Vec3& x) const {
  Vec3 local = R_.transpose() * (x - x_);
  const Vec3 along(std::clamp(local.x(), -stretch_, stretch_), 0, 0);
  local -= along;
  const double distance = std::hypot(local.x(), local.z());
  const Vec3 away =
      distance > 0 ? Vec3(local.x() / distance, 0, local.z() / distance) : Vec3(Vec3::UnitZ());
  const Vec2 at(distance, local.y());
  Foot foot = foot_on_core(at);
  if (radius_ > 0) {
    const double off = (at - foot.point).norm();
    foot.normal = off > 0 ? Vec2((at - foot.point) / off) : Vec2(Vec2::UnitX());
    foot.point += radius_ * foot.normal;
  }
  const auto in_space = [&](const Vec2& y) -> Vec3 {
    return R_ * (y.x() * away + y.y() * Vec3::UnitY());
  };
  return {.point = in_space(foot.point) + R_ * along + x_,
          .normal = outward_ * in_space(foot.normal),
          .distance = (at - foot.point).norm()};
}

}  // namespace hydrolith
