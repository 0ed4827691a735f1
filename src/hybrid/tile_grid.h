#pragma once
// The grid of the hybrid engine: cells of width dx in tiles of 8 x 8 x 8 (2D: 8 x 8 x 1). Only
// tiles near liquid exist, so cost and memory follow the liquid and not the box.
//
// A field is a plain array with one value per cell, tile after tile, x fastest within a tile.
// Staggered (Goktekin et al. 2004): the value of axis a at a cell stands for the cell's lower face
// along a, so u[0] at cell (i, j, k) lives at ((i, j + 1/2, k + 1/2)) dx.

#include "hydrolith/vec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith::hybrid {

using Cell3 = Eigen::Vector3i;  // coordinates of a cell

class TileGrid {
 public:
  static constexpr int bits = 3, side = 1 << bits;  // cells along x and y of a tile
  static constexpr std::int32_t none = -1;

  TileGrid(double cell_width, int dimensions)
      : dx_(cell_width),
        dimensions_(dimensions),
        depth_(dimensions == 3 ? side : 1),
        depth_bits_(dimensions == 3 ? bits : 0) {}

  /// Makes the tiles that hold one of `points`, and all tiles around them. Tiles are sorted by
  /// (z, y, x), so the same points give the same grid in any order.
  void cover(std::span<const Vec3> points);

  double dx() const { return dx_; }
  int dimensions() const { return dimensions_; }
  int depth() const { return depth_; }  // cells along z of a tile
  std::size_t tiles() const { return tile_.size(); }
  std::size_t tile_cells() const { return std::size_t{1} << (2 * bits + depth_bits_); }
  std::size_t cells() const { return tiles() * tile_cells(); }
  std::size_t tile_of(std::size_t cell) const { return cell >> (2 * bits + depth_bits_); }
  /// Coordinates of a cell within its tile.
  Cell3 local(std::size_t cell) const {
    const int n = static_cast<int>(cell & (tile_cells() - 1));
    return {n & (side - 1), n >> bits & (side - 1), n >> (2 * bits)};
  }

  /// Coordinates of a tile's first cell.
  Cell3 first_cell(std::size_t tile) const {
    return {side * tile_[tile].x(), side * tile_[tile].y(), depth_ * tile_[tile].z()};
  }
  /// Tile at an offset of -1, 0 or 1 along each axis; none if there is no such tile.
  std::int32_t near(std::size_t tile, int ox, int oy, int oz) const {
    return near_[tile][static_cast<std::size_t>((oz + 1) * 9 + (oy + 1) * 3 + ox + 1)];
  }
  /// Whether liquid lies in the tile itself, not only beside it.
  bool holds_points(std::size_t tile) const { return holds_[tile] != 0; }

  /// Index of the tile with these tile coordinates, or none.
  std::int32_t find_tile(const Cell3& tile) const;

  /// Cell at coordinates relative to a tile's first cell, each within [-side, 2 side); none if its
  /// tile does not exist.
  std::int32_t cell_at(std::size_t tile, int i, int j, int k) const {
    const int ox = i >> bits, oy = j >> bits, oz = k >> depth_bits_;
    const std::int32_t t = near(tile, ox, oy, oz);
    if (t == none) return none;
    return static_cast<std::int32_t>(
        static_cast<std::size_t>(t) * tile_cells() +
        static_cast<std::size_t>(((((k - oz * depth_) << bits) + j - oy * side) << bits) + i -
                                 ox * side));
  }
  /// Cell at coordinates anywhere; none if its tile does not exist.
  std::int32_t find_cell(const Cell3& c) const;

  /// Coordinates of a cell of this grid.
  Cell3 coordinates(std::size_t cell) const { return first_cell(tile_of(cell)) + local(cell); }
  /// The neighbour one step along an axis (+1 or -1), or none.
  std::int32_t next(std::size_t cell, int axis, int step) const {
    const int shift = bits * axis, at = static_cast<int>(cell >> shift) & (side - 1);
    const bool stays = axis < 2 || depth_bits_ == bits;
    if (stays && static_cast<unsigned>(at + step) < static_cast<unsigned>(side))
      return static_cast<std::int32_t>(cell) + step * (1 << shift);
    Cell3 c = local(cell);
    c[axis] += step;
    return cell_at(tile_of(cell), c.x(), c.y(), c.z());
  }

  /// Coordinates of the cell that holds x.
  Cell3 cell_of(const Vec3& x) const {
    return {floor_of(x.x()), floor_of(x.y()), dimensions_ == 3 ? floor_of(x.z()) : 0};
  }
  Vec3 centre(const Cell3& c) const {
    return {(c.x() + 0.5) * dx_, (c.y() + 0.5) * dx_, dimensions_ == 3 ? (c.z() + 0.5) * dx_ : 0};
  }
  /// Centre of the lower face of a cell along an axis.
  Vec3 face(const Cell3& c, int axis) const {
    Vec3 x = centre(c);
    x[axis] -= 0.5 * dx_;
    return x;
  }

 private:
  int floor_of(double x) const {  // without a call: std::floor is one on plain x86-64
    const double cells = x / dx_;
    const int towards_zero = static_cast<int>(cells);
    return towards_zero - (cells < towards_zero ? 1 : 0);
  }

  double dx_;       // [m]
  int dimensions_;  // 2 or 3
  int depth_, depth_bits_;
  std::vector<Cell3> tile_;                         // sorted by (z, y, x)
  std::vector<std::array<std::int32_t, 27>> near_;  // tile -> tiles around it
  std::vector<char> holds_;
  std::vector<std::uint64_t> keys_, scratch_;  // of tile_, sorted
};

/// f(cell, coordinates) for all cells of the grid in a box from `lo`, x fastest.
template <class F>
void for_each_cell_in(const TileGrid& grid, const Cell3& lo, const Cell3& size, F&& f) {
  for (int k = 0; k < size.z(); ++k)
    for (int j = 0; j < size.y(); ++j)
      for (int i = 0; i < size.x();) {
        const Cell3 c = lo + Cell3(i, j, k);
        const int count = std::min(size.x() - i, TileGrid::side - (c.x() & (TileGrid::side - 1)));
        if (const std::int32_t cell = grid.find_cell(c); cell != TileGrid::none)
          for (int n = 0; n < count; ++n)
            f(static_cast<std::size_t>(cell + n), Cell3(c.x() + n, c.y(), c.z()));
        i += count;
      }
}

/// One value per face, by axis.
using FaceField = std::array<std::vector<double>, 3>;

}  // namespace hydrolith::hybrid
