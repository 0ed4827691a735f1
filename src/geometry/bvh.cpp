#include "geometry/bvh.h"

#include "core/check.h"

#include <algorithm>
#include <limits>

namespace hydrolith {

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr int bins = 16;

struct Bounds {
  std::array<float, 3> lo{inf, inf, inf}, hi{-inf, -inf, -inf};

  void include(const std::array<float, 3>& l, const std::array<float, 3>& h) {
    for (int a = 0; a < 3; ++a) {
      lo[a] = std::min(lo[a], l[a]);
      hi[a] = std::max(hi[a], h[a]);
    }
  }
  float half_area() const {
    const float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
  }
};

// Twice the centre of an item's box along an axis.
float key(const BvhItem& item, int axis) { return item.lo[axis] + item.hi[axis]; }

/// A range of items with the bounds of their boxes.
struct Part {
  std::span<BvhItem> items;
  Bounds bounds;
};

Part part_of(std::span<BvhItem> items) {
  Part part{items, {}};
  for (const BvhItem& item : items) part.bounds.include(item.lo, item.hi);
  return part;
}

struct Bin {
  Bounds bounds;
  std::size_t count = 0;
};

/// Last bin of the left side that makes sum(area * count) smallest; -1: no split has both sides.
int cheapest_split(const std::array<Bin, bins>& bin) {
  std::array<float, bins> right_cost{};
  Bin sum;
  for (int b = bins - 1; b > 0; --b) {
    sum.bounds.include(bin[b].bounds.lo, bin[b].bounds.hi);
    sum.count += bin[b].count;
    right_cost[b - 1] = sum.count == 0 ? inf : sum.bounds.half_area() * float(sum.count);
  }
  int best = -1;
  float best_cost = inf;
  sum = {};
  for (int b = 0; b + 1 < bins; ++b) {
    sum.bounds.include(bin[b].bounds.lo, bin[b].bounds.hi);
    sum.count += bin[b].count;
    const float cost = sum.bounds.half_area() * float(sum.count) + right_cost[b];
    if (sum.count > 0 && cost < best_cost) best = b, best_cost = cost;
  }
  return best;
}

/// Splits a range in two; `balanced` halves it, whatever the cost.
std::array<Part, 2> split(const Part& part, bool balanced) {
  const std::span<BvhItem> items = part.items;

  // The axis along which the centres spread most.
  Bounds centres;
  for (const BvhItem& item : items) {
    const std::array<float, 3> c{key(item, 0), key(item, 1), key(item, 2)};
    centres.include(c, c);
  }
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    if (centres.hi[a] - centres.lo[a] > centres.hi[axis] - centres.lo[axis]) axis = a;
  const float origin = centres.lo[axis], extent = centres.hi[axis] - origin;
  const float scale = float(bins) * (1 - 1e-6f) / extent;

  // Sort the items into bins and cut where it costs least.
  if (!balanced && extent > 0 && scale < inf) {
    const auto bin_of = [&](const BvhItem& item) {
      return std::clamp(static_cast<int>((key(item, axis) - origin) * scale), 0, bins - 1);
    };
    std::array<Bin, bins> bin;
    for (const BvhItem& item : items) {
      Bin& b = bin[bin_of(item)];
      b.bounds.include(item.lo, item.hi);
      ++b.count;
    }
    const int last = cheapest_split(bin);
    if (last >= 0) {
      const auto middle = std::partition(items.begin(), items.end(),
                                         [&](const BvhItem& i) { return bin_of(i) <= last; });
      Part left{{items.begin(), middle}, {}}, right{{middle, items.end()}, {}};
      for (int b = 0; b < bins; ++b)
        (b <= last ? left : right).bounds.include(bin[b].bounds.lo, bin[b].bounds.hi);
      return {left, right};
    }
  }

  const auto middle = items.begin() + items.size() / 2;
  std::nth_element(items.begin(), middle, items.end(), [&](const BvhItem& a, const BvhItem& b) {
    return key(a, axis) != key(b, axis) ? key(a, axis) < key(b, axis) : a.index < b.index;
  });
  return {part_of({items.begin(), middle}), part_of({middle, items.end()})};
}

class Builder {
 public:
  explicit Builder(std::span<BvhItem> items) : all_(items) {
    nodes_.reserve(items.size() / 2 + 4);
    add_node(part_of(items), 0);
  }
  std::vector<BvhNode> nodes_;

 private:
  std::span<BvhItem> all_;

  // Splits the part with the largest surface until there are four; then one child for each.
  std::uint32_t add_node(const Part& part, int depth) {
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    std::array<Part, 4> parts{part};
    int count = 1;
    for (int widest = 0; count < 4; ++count) {
      widest = -1;
      for (int k = 0; k < count; ++k)
        if (parts[k].items.size() > BvhNode::max_leaf &&
            (widest < 0 || parts[k].bounds.half_area() > parts[widest].bounds.half_area()))
          widest = k;
      if (widest < 0) break;
      const auto [left, right] = split(parts[widest], depth > bvh_max_depth / 2);
      parts[widest] = left;
      parts[count] = right;
    }
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t child = k < count ? child_of(parts[k], depth) : 0;
      BvhNode& node = nodes_[index];
      node.child[k] = child;
      for (int a = 0; a < 3; ++a) {
        node.lo[a][k] = parts[k].bounds.lo[a];
        node.hi[a][k] = parts[k].bounds.hi[a];
      }
    }
    return index;
  }

  std::uint32_t child_of(const Part& part, int depth) {
    const auto size = static_cast<std::uint32_t>(part.items.size());
    if (size > BvhNode::max_leaf) return add_node(part, depth + 1) << BvhNode::leaf_bits;
    const auto first = static_cast<std::uint32_t>(part.items.data() - all_.data());
    return first << BvhNode::leaf_bits | size;
  }
};

}  // namespace

std::vector<BvhNode> build_bvh(std::span<BvhItem> items) {
  require(items.size() < (1u << (32 - BvhNode::leaf_bits)),
          "a bounding-volume hierarchy holds at most {} items, got {}",
          (1u << (32 - BvhNode::leaf_bits)) - 1, items.size());
  return Builder(items).nodes_;
}

}  // namespace hydrolith
