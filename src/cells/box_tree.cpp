#include "cells/box_tree.h"

namespace hydrolith {

namespace {

// Boxes are single precision and grow by more than its rounding.
constexpr double box_margin = 1e-6;  // of the half diagonal

}  // namespace

void BoxTree::build(std::span<const Box3> boxes) {
  bounds_ = {};
  items_.clear();
  nodes_.clear();
  for (const Box3& box : boxes) bounds_.include(box);
  if (bounds_.empty()) return;
  origin_ = bounds_.centre();
  const double margin = box_margin * radius();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].empty()) continue;
    BvhItem& item = items_.emplace_back();
    item.index = static_cast<std::uint32_t>(i);
    for (int axis = 0; axis < 3; ++axis) {
      item.lo[axis] = static_cast<float>(boxes[i].lo[axis] - origin_[axis] - margin);
      item.hi[axis] = static_cast<float>(boxes[i].hi[axis] - origin_[axis] + margin);
    }
  }
  nodes_ = build_bvh(items_);
}

void BoxTree::near(const Vec3& x, double r, std::vector<std::uint32_t>& out) const {
  out.clear();
  visit(
      x, [r_sq = r * r] { return r_sq; }, [&](std::uint32_t box) { out.push_back(box); });
  std::sort(out.begin(), out.end());
}

}  // namespace hydrolith
