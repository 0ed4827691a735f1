#pragma once
// A tile and the cells around it in one piece of memory, and how points lie among its nodes.
// Kernels over particles work there: no look-up per particle, all strides constant. What is inlined
// by force runs once per particle and axis, with the axis a constant.

#include "hybrid/tile_grid.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace hydrolith::hybrid {

/// Cells of a tile and `halo` cells (at most 8) on every side, x fastest; 2D: one layer.
template <int dimensions_, int halo_>
struct TileBlock {
  static constexpr int dimensions = dimensions_;
  static constexpr int halo = halo_;
  static constexpr int width = TileGrid::side + 2 * halo;
  static constexpr int halo_z = dimensions == 3 ? halo : 0;
  static constexpr int layers = dimensions == 3 ? width : 1;
  static constexpr int layer = width * width;
  static constexpr int size = layer * layers;
};

/// Calls f(place, cell, count) for every row of cells that lie one after the other in the block
/// (from `place`) and in the fields (from `cell`; none if their tile does not exist).
template <class Block, class F>
void for_each_row(const TileGrid& grid, std::size_t tile, F&& f) {
  constexpr int side = TileGrid::side, halo = Block::halo, width = Block::width;
  for (int k = 0; k < Block::layers; ++k)
    for (int j = 0; j < width; ++j)
      for (int ox = -1; ox <= 1; ++ox) {
        const int i = std::max(-halo, ox * side), end = std::min(side + halo, (ox + 1) * side);
        f(k * Block::layer + j * width + i + halo,
          grid.cell_at(tile, i, j - halo, k - Block::halo_z), end - i);
      }
}

/// Copies a field to a block; zero where there is no tile.
template <class Block>
void load(const TileGrid& grid, std::size_t tile, const std::vector<double>& field, double* block) {
  for_each_row<Block>(grid, tile, [&](int place, std::int32_t cell, int count) {
    if (cell == TileGrid::none)
      std::fill_n(block + place, count, 0.0);
    else
      std::copy_n(field.data() + cell, count, block + place);
  });
}

/// The particles of a tile, by the table of ParticleSorter.
struct ParticleRange {
  std::size_t begin, end;
};
inline ParticleRange particles_in(const TileGrid& grid, std::size_t tile,
                                  std::span<const std::uint32_t> first) {
  return {first[tile * grid.tile_cells()], first[(tile + 1) * grid.tile_cells()]};
}

/// The cube (2D: square) of nodes around a point: the lowest node's place in a block, and how far
/// beyond it the point lies [cells].
struct Corner {
  int place;
  double fx, fy, fz;
};

/// A point among the nodes of a block. Nodes of faces lie at whole numbers of cells along their
/// own axis and at halves along the others, centres at halves along all.
template <class Block>
class Location {
 public:
  /// s: coordinates in cells from the block's lower corner, each in [0.5, width - 1].
  [[gnu::always_inline]] explicit Location(const Vec3& s) {
    for (int d = 0; d < Block::dimensions; ++d) {
      whole_[d] = std::min(static_cast<int>(s[d]), Block::width - 2);
      half_[d] = std::min(static_cast<int>(s[d] - 0.5), Block::width - 2);
      f_whole_[d] = s[d] - whole_[d];
      f_half_[d] = s[d] - 0.5 - half_[d];
    }
  }
  Corner among_faces(int axis) const { return corner(axis == 0, axis == 1, axis == 2); }
  Corner among_centres() const { return corner(false, false, false); }

 private:
  [[gnu::always_inline]] Corner corner(bool x, bool y, bool z) const {
    return {(z ? whole_[2] : half_[2]) * Block::layer + (y ? whole_[1] : half_[1]) * Block::width +
                (x ? whole_[0] : half_[0]),
            x ? f_whole_[0] : f_half_[0], y ? f_whole_[1] : f_half_[1],
            z ? f_whole_[2] : f_half_[2]};
  }
  int whole_[3] = {}, half_[3] = {};
  double f_whole_[3] = {}, f_half_[3] = {};
};

/// The lower corner of a tile's block [cells].
template <class Block>
Vec3 lower_corner(const TileGrid& grid, std::size_t tile) {
  return (grid.first_cell(tile) - Cell3(Block::halo, Block::halo, Block::halo_z))
      .template cast<double>();
}

/// Two numbers treated as one. Every x86-64 and ARM64 machine has such registers: one code path.
using Pair = double __attribute__((vector_size(16)));

inline Pair pair_at(const double* p) {
  Pair pair;
  std::memcpy(&pair, p, sizeof pair);
  return pair;
}

/// Tri-/bilinear interpolation between the nodes of a corner: along y, z, and last along x.
template <class Block>
[[gnu::always_inline]] inline double interpolate(const double* u, const Corner& at) {
  const auto along_y = [&](const double* row) {
    const Pair low = pair_at(row);
    return low + at.fy * (pair_at(row + Block::width) - low);
  };
  Pair p = along_y(u + at.place);
  if constexpr (Block::dimensions == 3) p += at.fz * (along_y(u + at.place + Block::layer) - p);
  return p[0] + at.fx * (p[1] - p[0]);
}

}  // namespace hydrolith::hybrid
