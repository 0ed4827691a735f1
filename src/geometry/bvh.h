#pragma once
// A bounding-volume hierarchy over boxes: four children a node, built top down by the binned
// surface-area heuristic (Wald 2007, "On fast construction of SAH-based bounding volume
// hierarchies"). Four boxes lie side by side: one SIMD operation treats all children.

#include "hydrolith/vec.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

/// A box in single precision around an item.
struct BvhItem {
  std::array<float, 3> lo{}, hi{};
  std::uint32_t index = 0;
};

struct BvhNode {
  static constexpr std::uint32_t leaf_bits = 3;  // the number of items of a leaf, 0 = inner node
  static constexpr std::uint32_t max_leaf = 4;

  Eigen::Array4f lo[3], hi[3];  // [axis][child]; empty children are inside out
  std::uint32_t child[4];       // (first item or node) << leaf_bits | number of items

  static bool is_leaf(std::uint32_t c) { return (c & ((1u << leaf_bits) - 1)) != 0; }
  static std::uint32_t count(std::uint32_t c) { return c & ((1u << leaf_bits) - 1); }
  static std::uint32_t first(std::uint32_t c) { return c >> leaf_bits; }
};

/// Sorts `items` so that every leaf is a range of them and returns the nodes, root first.
std::vector<BvhNode> build_bvh(std::span<BvhItem> items);

/// Deepest tree build_bvh() makes, and room for a traversal that keeps three siblings a level.
inline constexpr int bvh_max_depth = 64;
inline constexpr int bvh_stack_size = 3 * bvh_max_depth + 4;

}  // namespace hydrolith
