#include "cells/cell_parts.h"
#include "core/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace hydrolith {

namespace {

constexpr std::uint64_t no_key = ~std::uint64_t(0);
constexpr int brick_cells = 64;  // of a brick, 4 along each axis

// Bricks are numbered in 19 bits along each axis and wrap beyond: bricks half a million apart share
// a key, which costs a few candidates that the test of distance throws out.
std::uint64_t brick_key(std::int64_t a, std::int64_t b, std::int64_t c) {
  constexpr std::uint64_t mask = (std::uint64_t(1) << 19) - 1;
  return (std::uint64_t(a) & mask) | (std::uint64_t(b) & mask) << 19 |
         (std::uint64_t(c) & mask) << 38;
}

// Brick and cell in it of a grid cell, in one number.
std::uint64_t cell_key(std::int64_t a, std::int64_t b, std::int64_t c) {
  return brick_key(a >> 2, b >> 2, c >> 2) << 6 |
         std::uint64_t((c & 3) << 4 | (b & 3) << 2 | (a & 3));
}

std::int64_t grid_coordinate(double x, double inverse_width) {
  return std::int64_t(std::floor(x * inverse_width));
}

std::size_t hashed(std::uint64_t key, std::size_t mask) {
  key *= 0x9E3779B97F4A7C15u;
  return std::size_t(key ^ key >> 32) & mask;
}

}  // namespace

void CellSearch::build(double cell_width, int dimensions, std::span<const Vec3> x) {
  inverse_width_ = 1 / cell_width;
  dimensions_ = dimensions;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> entries(x.size());
  parallel_for(x.size(), [&](std::size_t i) {
    const std::int64_t c = dimensions == 3 ? grid_coordinate(x[i].z(), inverse_width_) : 0;
    entries[i] = {cell_key(grid_coordinate(x[i].x(), inverse_width_),
                           grid_coordinate(x[i].y(), inverse_width_), c),
                  std::uint32_t(i)};
  });
  oneapi::tbb::parallel_sort(entries.begin(), entries.end());

  order_.resize(x.size());
  sorted_.resize(x.size());
  std::size_t occupied = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    order_[k] = entries[k].second;
    sorted_[k] = x[entries[k].second];
    occupied += k == 0 || entries[k].first >> 6 != entries[k - 1].first >> 6;
  }
  const std::size_t slots = std::bit_ceil(2 * occupied + 2);
  keys_.assign(slots, no_key);
  bricks_.resize(slots);
  begin_.resize((brick_cells + 1) * occupied);
  std::uint32_t brick = 0;
  for (std::size_t k = 0; k < entries.size(); ++brick) {
    const std::uint64_t key = entries[k].first >> 6;
    std::size_t slot = hashed(key, slots - 1);
    while (keys_[slot] != no_key) slot = (slot + 1) & (slots - 1);
    keys_[slot] = key;
    bricks_[slot] = brick;
    std::uint32_t* begin = begin_.data() + std::size_t(brick_cells + 1) * brick;
    for (std::uint64_t cell = 0; cell <= brick_cells; ++cell) {
      begin[cell] = std::uint32_t(k);
      while (k < entries.size() && entries[k].first == (key << 6 | cell) && cell < brick_cells) ++k;
    }
  }
}

void CellSearch::shell(const Vec3& x, std::uint32_t self, double inner, double outer,
                       std::vector<Candidate>& out) const {
  out.clear();
  const double inner_sq = inner * inner, outer_sq = outer * outer, width = 1 / inverse_width_;
  const std::size_t mask = keys_.size() - 1;
  std::int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  for (int k = 0; k < dimensions_; ++k) {
    low[k] = grid_coordinate(x[k] - outer, inverse_width_);
    high[k] = grid_coordinate(x[k] + outer, inverse_width_);
  }
  // Distance along one axis from x to a row of grid cells, squared, a little less than it is.
  const auto gap_sq = [&](int axis, std::int64_t row) {
    if (axis >= dimensions_) return 0.0;
    const double a = double(row) * width - x[axis], gap = std::max({a, -a - width, 0.0});
    return gap * gap * (1 - 1e-9);
  };
  // Grid cells a0 .. a1 of one row of a brick lie one after another.
  const auto scan = [&](const std::uint32_t* begin, std::int64_t row, std::int64_t a0,
                        std::int64_t a1) {
    for (std::uint32_t k = begin[row + a0]; k < begin[row + a1 + 1]; ++k) {
      const double r_sq = (sorted_[k] - x).squaredNorm();
      if (r_sq < inner_sq || r_sq >= outer_sq || order_[k] == self) continue;
      out.push_back({r_sq, order_[k]});
    }
  };
  for (std::int64_t bc = low[2] >> 2; bc <= high[2] >> 2; ++bc)
    for (std::int64_t bb = low[1] >> 2; bb <= high[1] >> 2; ++bb)
      for (std::int64_t ba = low[0] >> 2; ba <= high[0] >> 2; ++ba) {
        const std::uint64_t key = brick_key(ba, bb, bc);
        std::size_t slot = hashed(key, mask);
        while (keys_[slot] != key && keys_[slot] != no_key) slot = (slot + 1) & mask;
        if (keys_[slot] == no_key) continue;
        const std::uint32_t* begin = begin_.data() + std::size_t(brick_cells + 1) * bricks_[slot];
        const std::int64_t a0 = std::max(low[0] - 4 * ba, std::int64_t(0));
        const std::int64_t a1 = std::min(high[0] - 4 * ba, std::int64_t(3));
        for (std::int64_t c = std::max(low[2], 4 * bc); c <= std::min(high[2], 4 * bc + 3); ++c) {
          const double gap_c = gap_sq(2, c);
          for (std::int64_t b = std::max(low[1], 4 * bb); b <= std::min(high[1], 4 * bb + 3); ++b)
            if (gap_c + gap_sq(1, b) < outer_sq) scan(begin, (c & 3) << 4 | (b & 3) << 2, a0, a1);
        }
      }
  std::sort(out.begin(), out.end(), [](const Candidate& p, const Candidate& q) {
    return p.distance_sq != q.distance_sq ? p.distance_sq < q.distance_sq : p.particle < q.particle;
  });
}

}  // namespace hydrolith
