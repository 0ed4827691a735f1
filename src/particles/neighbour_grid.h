#pragma once
// Points in cells of edge 2h; the cells in bricks of 4 x 4 x 4, found by a hash. A lone point far
// away costs one brick, a compact liquid 4 bytes a cell.

#include "particles/neighbour_cells.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith::particles {

struct CellGrid {
  /// Columns may be read this far beyond the last point.
  static constexpr std::size_t padding = 16;
  static constexpr std::uint32_t no_brick = UINT32_MAX;

  // One column per quantity, index = place along the curve, lost points left out.
  std::vector<float> x, y, z;        // [h] within the cell, multiples of 2^-21
  std::vector<std::uint32_t> index;  // of the point
  std::size_t points = 0;

  // Bricks in the order of the curve. Cell c of brick b is [first[64 b + c], first[64 b + c + 1]).
  std::vector<CellIndex> brick;
  std::vector<std::uint32_t> first;

  /// Points in the order of the curve (an Error otherwise), numbered in this order.
  void build(const Kernel& kernel, std::span<const Vec3> x);
  /// The same for points that have other numbers; `indices` [place].
  void build(const Kernel& kernel, std::span<const Vec3> x, std::span<const std::uint32_t> indices);

  std::uint32_t find_brick(const CellIndex& b) const;
  /// Whether f(index) is true for a point within r [h], at most 2, of x; asked in a fixed order.
  template <class F>
  bool any_within(const Kernel& kernel, const Vec3& x, double r, F&& f) const;
  /// The brick that holds a place of the curve.
  std::uint32_t brick_at(std::size_t place) const;

 private:
  void sort_into_bricks(const Kernel& kernel, std::span<const Vec3> from);
  void place(const Kernel& kernel, std::span<const Vec3> from);
  void list_bricks();
  void fill_bricks(const Kernel& kernel, std::span<const Vec3> from);
  void hash_bricks();
  std::size_t slot(const CellIndex& b) const;

  std::vector<std::uint8_t> code_;  // per point: cell in brick, and a mark where a brick starts
  std::vector<std::uint32_t> starts_, lost_;  // per chunk of points
  std::vector<std::uint32_t> brick_first_;
  std::vector<std::uint32_t> table_;  // slot -> brick; a power of two
};

template <class F>
bool CellGrid::any_within(const Kernel& kernel, const Vec3& at, double r, F&& f) const {
  const CellScale scale(kernel);
  const Vec3 reach = Vec3::Constant(r * kernel.h);
  const CellIndex lo = scale.cell(at - reach), hi = scale.cell(at + reach);
  if (points == 0 || lo == lost_cell || hi == lost_cell) return false;
  const bool flat = kernel.dimensions == 2;
  const auto sq = [](float a) { return a * a; };
  const auto r_sq = static_cast<float>(r * r);
  CellIndex c;
  for (c.z = lo.z; c.z <= hi.z; ++c.z)
    for (c.y = lo.y; c.y <= hi.y; ++c.y)
      for (c.x = lo.x; c.x <= hi.x; ++c.x) {
        const std::uint32_t b = find_brick(brick_of(c));
        if (b == no_brick) continue;
        const std::size_t k = std::size_t{64} * b + cell_in_brick(c);
        const float px = scale.within(at.x(), c.x), py = scale.within(at.y(), c.y);
        const float pz = flat ? 0.0f : scale.within(at.z(), c.z);
        for (std::uint32_t i = first[k]; i < first[k + 1]; ++i)
          if (sq(x[i] - px) + sq(y[i] - py) + sq(z[i] - pz) <= r_sq && f(index[i])) return true;
      }
  return false;
}

/// The cells of a brick and those around it: 6 x 6 x 6 ranges of points.
struct CellHalo {
  struct Range {
    std::uint32_t begin, end;
  };
  std::array<Range, 216> cell;
  std::size_t points = 0;  // in all of them

  static constexpr std::size_t at(int x, int y, int z) {  // -1 to 4 each
    return static_cast<std::size_t>((z + 1) * 36 + (y + 1) * 6 + x + 1);
  }
  void read(const CellGrid& grid, const CellIndex& brick);
};

}  // namespace hydrolith::particles
