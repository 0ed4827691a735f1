#include "geometry/sdf_machine.h"

#include "geometry/machine_parts.h"
#include "geometry/sdf_compose.h"
#include "geometry/sdf_primitives.h"
#include "geometry/shape_checks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

using std::numbers::pi;
using std::numbers::sqrt3;

namespace {

double across_axis(const Vec3& v) { return std::hypot(v.x(), v.z()); }

// A stadium in the xz plane (a segment of half length s along x, surrounded at distance r), as the
// centre line of a wire. Folding x by the segment makes the stadium a circle.
class ChainLink final : public Sdf {
 public:
  explicit ChainLink(const ChainLinkShape& shape)
      : radius_(0.5 * shape.width - shape.wire),
        straight_(0.5 * (shape.length - shape.width)),
        wire_(shape.wire) {}
  double operator()(const Vec3& x) const override {
    const double beyond = std::max(std::abs(x.x()) - straight_, 0.0);
    return std::hypot(std::hypot(beyond, x.z()) - radius_, x.y()) - wire_;
  }
  double support(const Vec3& e, double offset) const override {
    return straight_ * std::abs(e.x()) + radius_ * across_axis(e) + (wire_ + offset) * e.norm();
  }

 private:
  double radius_, straight_, wire_;
};

// The inside of a threaded surface of unlimited length. With r the distance from the axis,
//   f = r - R(y - pitch angle / 2 pi),  |grad f|^2 <= 1 + 3 + 3 (pitch / 2 pi r)^2 = L(r)^2,
// so f / L is a bound wherever r is not small. The core r < root is solid all the same, so we take
// min(r - root, f / L): for r < root - depth the first is always the smaller one (as L >= 2), hence
// L is needed from there on only.
class ThreadedRod final : public Sdf {
 public:
  explicit ThreadedRod(const Thread& thread) : thread_(thread) {
    const double innermost = thread_.root() - thread_.depth();
    const double lead = thread_.pitch / (2 * pi * innermost);
    lipschitz_ = std::sqrt(4 + 3 * lead * lead);
  }
  double operator()(const Vec3& x) const override {
    const double r = across_axis(x);
    const double f = r - thread_.radius(x.y(), std::atan2(x.x(), x.z()));
    return std::max(r - thread_.crest(), std::min(r - thread_.root(), f / lipschitz_));
  }
  double support(const Vec3& e, double offset) const override {
    if (e.y() != 0) return std::numeric_limits<double>::infinity();
    return (thread_.crest() + lipschitz_ * std::max(offset, 0.0)) * across_axis(e);
  }
  double detail() const override { return thread_.pitch / 12; }

 private:
  Thread thread_;
  double lipschitz_;
};

// Distances from the flats, the ends and the cones that cut the corners: a bound near edges.
class HexagonSolid final : public Sdf {
 public:
  explicit HexagonSolid(const Hexagon& hexagon) : hexagon_(hexagon) {}
  double operator()(const Vec3& x) const override {
    const double a = 0.5 * x.z(), b = 0.5 * sqrt3 * std::abs(x.x());
    const double flats = std::max(std::abs(x.z()), std::abs(a) + b) - 0.5 * hexagon_.width;
    const double above = x.y() - hexagon_.high, below = hexagon_.low - x.y();
    const double t = hexagon_.cut_slope();
    const double rim = t * (across_axis(x) - hexagon_.cut_radius());
    const double end = hexagon_.cut_low ? std::max(above, below) : above;
    return std::max({flats, above, below, (end + rim) / std::sqrt(1 + t * t)});
  }
  double support(const Vec3& e, double offset) const override {
    double across = 0;
    for (int corner = 0; corner < 6; ++corner) {
      const double angle = pi / 6 + corner * pi / 3;
      across = std::max(across, std::sin(angle) * e.x() + std::cos(angle) * e.z());
    }
    const double grown = hexagon_.width + 2 * std::max(offset, 0.0);
    return grown / sqrt3 * across + std::max(e.y() * hexagon_.low, e.y() * hexagon_.high) +
           std::max(offset, 0.0) * std::abs(e.y());
  }

 private:
  Hexagon hexagon_;
};

// The cone r < radius + slope (y - at): 45 degree chamfers.
class ConeSide final : public Sdf {
 public:
  ConeSide(double radius, double at, double slope)
      : radius_(radius), at_(at), slope_(slope), length_(std::hypot(1, slope)) {}
  double operator()(const Vec3& x) const override {
    return (across_axis(x) - radius_ - slope_ * (x.y() - at_)) / length_;
  }
  double support(const Vec3&, double) const override {
    return std::numeric_limits<double>::infinity();
  }

 private:
  double radius_, at_, slope_, length_;
};

SdfPtr cylinder(double radius, double low, double high) {
  return placed(sdf_of(CylinderShape{radius, high - low}), 0.5 * (low + high) * Vec3::UnitY(),
                Quat::Identity(), Vec3::Ones());
}

}  // namespace

SdfPtr sdf_of(const ChainLinkShape& s) {
  check(s);
  return std::make_shared<ChainLink>(s);
}

SdfPtr sdf_of(const GearShape& s) {
  Polygons outline{{{}}};
  for (const Vec2& p : gear_outline(s))
    outline.loops[0].emplace_back(p.y() * std::cos(p.x()), p.y() * std::sin(p.x()));
  const SdfPtr disc = sdf_prism(std::move(outline), s.thickness);
  if (s.bore == 0) return disc;
  return intersection_of({disc, complement(cylinder(s.bore, -s.thickness, s.thickness))});
}

SdfPtr sdf_of(const BoltShape& s) {
  check(s);
  const Thread thread = thread_of(s);
  const BoltFrame frame = frame_of(s);
  // The shank reaches into the head, so that their union has no seam.
  const double reach = frame.neck + 0.5 * s.head_height;
  const SdfPtr shank = intersection_of(
      {std::make_shared<ThreadedRod>(thread), cylinder(thread.crest(), frame.foot, reach),
       std::make_shared<ConeSide>(chamfer_radius(s), frame.foot, 1)});
  return union_of({shank, std::make_shared<HexagonSolid>(head_of(s))});
}

SdfPtr sdf_of(const NutShape& s) {
  check(s);
  const Hexagon body = body_of(s);
  const double r = chamfer_radius(s);
  const SdfPtr hole = union_of({std::make_shared<ThreadedRod>(thread_of(s)),
                                std::make_shared<ConeSide>(r, body.high, 1),
                                std::make_shared<ConeSide>(r, body.low, -1)});
  return intersection_of({std::make_shared<HexagonSolid>(body), complement(hole)});
}

}  // namespace hydrolith
