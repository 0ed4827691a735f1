#pragma once
// Boxes in a bounding-volume hierarchy, visited by their distance from a point.

#include "geometry/bvh.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace hydrolith {

class BoxTree {
 public:
  /// Replaces what was there. Empty boxes are left out.
  void build(std::span<const Box3> boxes);

  const Box3& bounds() const { return bounds_; }
  double radius() const { return 0.5 * bounds_.size().norm(); }  // [m] half diagonal of the bounds

  /// Calls f(box) for those that may be nearer to x than sqrt(limit_sq()), which f may lower on
  /// the way.
  template <class Limit, class F>
  void visit(const Vec3& x, Limit&& limit_sq, F&& f) const;
  /// Boxes within r [m] of x, in ascending order; `out` is overwritten.
  void near(const Vec3& x, double r, std::vector<std::uint32_t>& out) const;

 private:
  Box3 bounds_;
  Vec3 origin_ = Vec3::Zero();  // [m] of the items
  std::vector<BvhItem> items_;
  std::vector<BvhNode> nodes_;
};

template <class Limit, class F>
void BoxTree::visit(const Vec3& x, Limit&& limit_sq, F&& f) const {
  if (nodes_.empty()) return;
  const auto distance_sq = [local = Vec3(x - origin_)](const auto& lo, const auto& hi) {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double d = std::max({lo(axis) - local[axis], local[axis] - hi(axis), 0.0});
      sum += d * d;
    }
    return sum;
  };
  std::array<std::uint32_t, bvh_stack_size> stack;
  int size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t child = stack[--size];
    if (BvhNode::is_leaf(child)) {
      const BvhItem* item = &items_[BvhNode::first(child)];
      for (std::uint32_t k = 0; k < BvhNode::count(child); ++k, ++item)
        if (distance_sq([&](int a) { return static_cast<double>(item->lo[a]); },
                        [&](int a) { return static_cast<double>(item->hi[a]); }) <= limit_sq())
          f(item->index);
      continue;
    }
    const BvhNode& node = nodes_[BvhNode::first(child)];
    for (int k = 0; k < 4; ++k) {
      if (node.lo[0][k] > node.hi[0][k]) continue;  // empty
      if (distance_sq([&](int a) { return static_cast<double>(node.lo[a][k]); },
                      [&](int a) { return static_cast<double>(node.hi[a][k]); }) <= limit_sq())
        stack[size++] = node.child[k];
    }
  }
}

}  // namespace hydrolith
