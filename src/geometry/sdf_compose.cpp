#include "geometry/sdf_compose.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Placed final : public Sdf {
 public:
  Placed(SdfPtr child, const Vec3& at, const Quat& rotate, const Vec3& scale)
      : child_(std::move(child)),
        at_(at),
        rotation_(rotate.normalized().toRotationMatrix()),
        scale_(scale),
        shrink_(scale.cwiseAbs().minCoeff()) {}

  double operator()(const Vec3& x) const override {
    const Vec3 local = rotation_.transpose() * (x - at_);
    return shrink_ * (*child_)(local.cwiseQuotient(scale_));
  }
  double support(const Vec3& e, double offset) const override {
    return e.dot(at_) + child_->support(to_child(e), offset / shrink_);
  }
  double hollow_support(const Vec3& e, double offset) const override {
    return e.dot(at_) + child_->hollow_support(to_child(e), offset / shrink_);
  }
  double detail() const override { return shrink_ * child_->detail(); }

 private:
  Vec3 to_child(const Vec3& e) const { return scale_.cwiseProduct(rotation_.transpose() * e); }

  SdfPtr child_;
  Vec3 at_;
  Mat3 rotation_;
  Vec3 scale_;
  double shrink_;
};

class Complement final : public Sdf {
 public:
  explicit Complement(SdfPtr child) : child_(std::move(child)) {}
  double operator()(const Vec3& x) const override { return -(*child_)(x); }
  double support(const Vec3& e, double offset) const override {
    return child_->hollow_support(e, -offset);
  }
  double hollow_support(const Vec3& e, double offset) const override {
    return child_->support(e, -offset);
  }
  double detail() const override { return child_->detail(); }

 private:
  SdfPtr child_;
};

// What all compositions of several children share.
class Composition : public Sdf {
 public:
  explicit Composition(std::vector<SdfPtr> children) : children_(std::move(children)) {
    for (const SdfPtr& child : children_) boxes_.push_back(solid_bounds(*child));
  }
  double detail() const override {
    return smallest([](const Sdf& child) { return child.detail(); });
  }

 protected:
  template <class F>
  double smallest(F&& f) const {
    double value = infinity;
    for (const SdfPtr& child : children_) value = std::min(value, f(*child));
    return value;
  }
  template <class F>
  double largest(F&& f) const {
    double value = -infinity;
    for (const SdfPtr& child : children_) value = std::max(value, f(*child));
    return value;
  }
  double distance_to_box(std::size_t i, const Vec3& x) const {
    return (boxes_[i].lo - x).cwiseMax(x - boxes_[i].hi).cwiseMax(0.0).norm();
  }
  // Outside the child's bounding box max(d_child, distance to the box), or infinity where that
  // distance alone reaches `enough`: spares most evaluations away from the surface.
  double bounded(std::size_t i, const Vec3& x, double enough) const {
    const double to_box = distance_to_box(i, x);
    if (to_box == 0) return (*children_[i])(x);
    return to_box >= enough ? infinity : std::max((*children_[i])(x), to_box);
  }

  std::vector<SdfPtr> children_;
  std::vector<Box3> boxes_;  // [m] of the solids
};

class Union final : public Composition {
 public:
  using Composition::Composition;
  double operator()(const Vec3& x) const override {
    std::size_t first = 0;  // the child with the nearest box spares most of the others
    double least = infinity;
    for (std::size_t i = 0; i < children_.size() && least > 0; ++i)
      if (const double to_box = distance_to_box(i, x); to_box < least) least = to_box, first = i;
    double d = bounded(first, x, infinity);
    for (std::size_t i = 0; i < children_.size(); ++i)
      if (i != first) d = std::min(d, bounded(i, x, d));
    return d;
  }
  double support(const Vec3& e, double offset) const override {
    return largest([&](const Sdf& child) { return child.support(e, offset); });
  }
  double hollow_support(const Vec3& e, double offset) const override {
    return smallest([&](const Sdf& child) { return child.hollow_support(e, offset); });
  }
};

class Intersection final : public Composition {
 public:
  using Composition::Composition;
  double operator()(const Vec3& x) const override {
    return largest([&](const Sdf& child) { return child(x); });
  }
  double support(const Vec3& e, double offset) const override {
    return smallest([&](const Sdf& child) { return child.support(e, offset); });
  }
  double hollow_support(const Vec3& e, double offset) const override {
    return largest([&](const Sdf& child) { return child.hollow_support(e, offset); });
  }
};

class Blend final : public Composition {
 public:
  Blend(std::vector<SdfPtr> children, double radius)
      : Composition(std::move(children)), k_(radius) {}

  double operator()(const Vec3& x) const override {
    double d = bounded(0, x, infinity);
    for (std::size_t i = 1; i < children_.size(); ++i) d = smooth_min(d, bounded(i, x, d + k_));
    return d;
  }
  // Each smooth minimum lies at most k/4 below the minimum.
  double support(const Vec3& e, double offset) const override {
    const double swell = 0.25 * k_ * double(children_.size() - 1);
    return largest([&](const Sdf& child) { return child.support(e, offset + swell); });
  }
  double hollow_support(const Vec3& e, double offset) const override {
    return smallest([&](const Sdf& child) { return child.hollow_support(e, offset); });
  }

 private:
  double smooth_min(double a, double b) const {
    if (b >= a + k_) return a;
    const double h = std::max(1 - std::abs(a - b) / k_, 0.0);
    return std::min(a, b) - 0.25 * k_ * h * h;
  }
  double k_;
};

}  // namespace

SdfPtr placed(SdfPtr child, const Vec3& at, const Quat& rotate, const Vec3& scale) {
  return std::make_shared<Placed>(std::move(child), at, rotate, scale);
}
SdfPtr complement(SdfPtr child) { return std::make_shared<Complement>(std::move(child)); }
SdfPtr union_of(std::vector<SdfPtr> children) {
  return std::make_shared<Union>(std::move(children));
}
SdfPtr intersection_of(std::vector<SdfPtr> children) {
  return std::make_shared<Intersection>(std::move(children));
}
SdfPtr blend_of(std::vector<SdfPtr> children, double radius) {
  if (radius <= 0) return union_of(std::move(children));
  return std::make_shared<Blend>(std::move(children), radius);
}

}  // namespace hydrolith
