// Formulas: in each case the point is folded by the shape's symmetries until the nearest feature
// is a corner, an edge or a face that can be written down.

#include "geometry/sdf_primitives.h"

#include "geometry/sdf_compose.h"
#include "geometry/shape_checks.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

double extruded(double across, double along) {
  return std::min(std::max(across, along), 0.0) +
         std::hypot(std::max(across, 0.0), std::max(along, 0.0));
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double across_axis(const Vec3& v) { return std::hypot(v.x(), v.z()); }  // distance from the y axis

// A box with half edges b, swollen by r: outside, the distance to the nearest point of the box;
// inside, to the nearest face.
class RoundBox final : public Sdf {
 public:
  RoundBox(const Vec3& half, double rounding) : b_(half), r_(rounding) {}
  double operator()(const Vec3& x) const override {
    const Vec3 q = x.cwiseAbs() - b_;
    return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - r_;
  }
  double support(const Vec3& e, double offset) const override {
    return b_.dot(e.cwiseAbs()) + (r_ + offset) * e.norm();
  }

 private:
  Vec3 b_;
  double r_;
};

// A segment of half length h along y, swollen by r: a sphere for h = 0.
class Capsule final : public Sdf {
 public:
  Capsule(double half_length, double radius) : h_(half_length), r_(radius) {}
  double operator()(const Vec3& x) const override {
    return Vec3(x.x(), x.y() - std::clamp(x.y(), -h_, h_), x.z()).norm() - r_;
  }
  double support(const Vec3& e, double offset) const override {
    return h_ * std::abs(e.y()) + (r_ + offset) * e.norm();
  }

 private:
  double h_, r_;
};

class Cylinder final : public Sdf {
 public:
  Cylinder(double radius, double half_height) : r_(radius), h_(half_height) {}
  double operator()(const Vec3& x) const override {
    return extruded(across_axis(x) - r_, std::abs(x.y()) - h_);
  }
  double support(const Vec3& e, double offset) const override {
    return r_ * across_axis(e) + h_ * std::abs(e.y()) + offset * e.norm();
  }

 private:
  double r_, h_;
};

class Torus final : public Sdf {
 public:
  Torus(double radius, double tube) : radius_(radius), tube_(tube) {}
  double operator()(const Vec3& x) const override {
    return std::hypot(across_axis(x) - radius_, x.y()) - tube_;
  }
  double support(const Vec3& e, double offset) const override {
    return radius_ * across_axis(e) + (tube_ + offset) * e.norm();
  }

 private:
  double radius_, tube_;
};

// The nearest point c of the surface satisfies x - c = t grad: c_i = r_i^2 x_i / (t + r_i^2), with
// t the largest root of |w(t)| = 1, w_i = r_i x_i / (t + r_i^2). We work in the first octant, where
// the nearest point lies too, with s = t + r_min^2 > 0, and find the root of 1/|w(s)| - 1 by
// Newton's method: that function is concave, nearly linear, and negative at the start below, so the
// iteration climbs to the root without overshoot (the secular equation of Moré & Sorensen 1983,
// "Computing a trust region step"). A coordinate of 0 is lifted by 1e-12 of the radius, which moves
// the distance by no more and spares the case of several nearest points.
class Ellipsoid final : public Sdf {
 public:
  explicit Ellipsoid(const Vec3& radii) : r_(radii), tiny_(1e-12 * radii.minCoeff()) {
    gap_ = r_.cwiseAbs2() - Vec3::Constant(r_.minCoeff() * r_.minCoeff());
  }

  double operator()(const Vec3& x) const override {
    const Vec3 y = x.cwiseAbs().cwiseMax(tiny_);
    const Vec3 ry = r_.cwiseProduct(y);
    double s = (ry - gap_).maxCoeff();
    for (int iteration = 0; iteration < 40; ++iteration) {
      const Vec3 stretch = gap_ + Vec3::Constant(s);
      const Vec3 w = ry.cwiseQuotient(stretch);
      const double norm = w.norm(), slope = w.cwiseAbs2().cwiseQuotient(stretch).sum();
      const double step = (norm - 1) * norm * norm / slope;
      s += step;
      if (!(step > 1e-14 * s)) break;
    }
    const Vec3 nearest = r_.cwiseAbs2().cwiseProduct(y).cwiseQuotient(gap_ + Vec3::Constant(s));
    const bool inside = y.cwiseQuotient(r_).squaredNorm() < 1;
    return inside ? -(y - nearest).norm() : (y - nearest).norm();
  }
  double support(const Vec3& e, double offset) const override {
    return r_.cwiseProduct(e).norm() + offset * e.norm();
  }

 private:
  Vec3 r_, gap_;
  double tiny_;
};

// A cone or frustum around y. Cut along the axis it is a trapezium, whose distance is that of the
// solid because the nearest point lies in the half plane of the point.
class Cone final : public Sdf {
 public:
  Cone(double radius, double top_radius, double half_height)
      : r_(radius), top_(top_radius), h_(half_height) {
    const double length = std::hypot(2 * h_, r_ - top_);
    slope_ = Vec2(2 * h_, r_ - top_) / length;  // outward normal of the side (across, along)
    along_ = Vec2(top_ - r_, 2 * h_) / length;  // up the side
    length_ = length;
  }
  double operator()(const Vec3& x) const override {
    const Vec2 p(across_axis(x), x.y());
    const Vec2 from_foot = p - Vec2(r_, -h_);
    const double side = slope_.dot(from_foot), ends = std::abs(p.y()) - h_;
    if (side <= 0 && ends <= 0) return std::max(side, ends);
    const double to_side =
        (from_foot - std::clamp(along_.dot(from_foot), 0.0, length_) * along_).norm();
    const double cap = p.y() < 0 ? r_ : top_;
    const double to_cap = std::hypot(std::max(p.x() - cap, 0.0), ends);
    return std::min(to_side, to_cap);
  }
  double support(const Vec3& e, double offset) const override {
    const double q = across_axis(e);
    return std::max(r_ * q - h_ * e.y(), top_ * q + h_ * e.y()) + offset * e.norm();
  }

 private:
  double r_, top_, h_, length_;
  Vec2 slope_, along_;
};

class Prism final : public Sdf {
 public:
  Prism(Polygons polygon, double half_height) : polygon_(std::move(polygon)), h_(half_height) {}
  double operator()(const Vec3& x) const override {
    return extruded(signed_distance(polygon_, Vec2(x.z(), x.x())), std::abs(x.y()) - h_);
  }
  double support(const Vec3& e, double offset) const override {
    double across = -infinity;
    for (const auto& loop : polygon_.loops)
      for (const Vec2& p : loop) across = std::max(across, p.x() * e.z() + p.y() * e.x());
    return across + h_ * std::abs(e.y()) + offset * e.norm();
  }

 private:
  Polygons polygon_;
  double h_;
};

class HalfSpace final : public Sdf {
 public:
  explicit HalfSpace(const Vec3& normal) : n_(normal.normalized()) {}
  double operator()(const Vec3& x) const override { return n_.dot(x); }
  double support(const Vec3& e, double offset) const override {
    return parallel(e) ? offset * e.norm() : infinity;
  }
  double hollow_support(const Vec3& e, double offset) const override {
    return parallel(-e) ? -offset * e.norm() : infinity;
  }

 private:
  bool parallel(const Vec3& e) const { return e.dot(n_) > (1 - 1e-14) * e.norm(); }
  Vec3 n_;
};

}  // namespace

SdfPtr sdf_of(const BoxShape& s) {
  check(s);
  return std::make_shared<RoundBox>(0.5 * s.size, 0);
}
SdfPtr sdf_of(const PlateShape& s) { return sdf_of(BoxShape{{s.width, s.thickness, s.depth}}); }
SdfPtr sdf_of(const RoundedBoxShape& s) {
  check(s);
  return std::make_shared<RoundBox>(0.5 * s.size - Vec3::Constant(s.rounding), s.rounding);
}
SdfPtr sdf_of(const SphereShape& s) {
  check(s);
  return std::make_shared<Capsule>(0, s.radius);
}
SdfPtr sdf_of(const CapsuleShape& s) {
  check(s);
  return std::make_shared<Capsule>(0.5 * s.height - s.radius, s.radius);
}
SdfPtr sdf_of(const EllipsoidShape& s) {
  check(s);
  return std::make_shared<Ellipsoid>(s.radii);
}
SdfPtr sdf_of(const CylinderShape& s) {
  check(s);
  return std::make_shared<Cylinder>(s.radius, 0.5 * s.height);
}
SdfPtr sdf_of(const ConeShape& s) {
  check(s);
  return std::make_shared<Cone>(s.radius, s.top_radius, 0.5 * s.height);
}
SdfPtr sdf_of(const TorusShape& s) {
  check(s);
  return std::make_shared<Torus>(s.radius, s.tube);
}
SdfPtr sdf_of(const HalfSpaceShape& s) {
  check(s);
  return std::make_shared<HalfSpace>(s.normal);
}
// The triangle in (x, y), extruded along z: the prism's axes (z, x, y) turned to (x, y, z).
SdfPtr sdf_of(const WedgeShape& s) {
  check(s);
  const double a = 0.5 * s.size.x(), b = 0.5 * s.size.y();
  const Polygons triangle{{{{-a, -b}, {a, -b}, {-a, b}}}};
  return placed(sdf_prism(triangle, s.size.z()), Vec3::Zero(), Quat(0.5, 0.5, 0.5, 0.5),
                Vec3::Ones());
}
SdfPtr sdf_prism(Polygons polygon, double height) {
  return std::make_shared<Prism>(std::move(polygon), 0.5 * height);
}

}  // namespace hydrolith
