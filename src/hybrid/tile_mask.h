#pragma once
// Sets of cells, a bit per cell: which cells lie beside a set takes a few instructions a tile, and
// tiles without a cell of the set cost nearly nothing.

#include "hybrid/tile_grid.h"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace hydrolith::hybrid {

/// Cells of a tile: bit x + 8 y of layer z.
struct TileMask {
  std::array<std::uint64_t, TileGrid::side> layer{};

  bool holds(std::size_t local) const { return layer[local >> 6] >> (local & 63) & 1; }
  void add(std::size_t local) { layer[local >> 6] |= std::uint64_t{1} << (local & 63); }
  bool empty() const {
    std::uint64_t all = 0;
    for (std::uint64_t l : layer) all |= l;
    return all == 0;
  }
  TileMask operator|(const TileMask& o) const {
    TileMask r;
    for (std::size_t z = 0; z < layer.size(); ++z) r.layer[z] = layer[z] | o.layer[z];
    return r;
  }
  TileMask without(const TileMask& o) const {
    TileMask r;
    for (std::size_t z = 0; z < layer.size(); ++z) r.layer[z] = layer[z] & ~o.layer[z];
    return r;
  }
};

using CellSet = std::vector<TileMask>;  // by tile

/// f(number within the tile) for every cell of a mask, rising.
template <class F>
void for_each_cell(const TileMask& mask, F&& f) {
  for (std::size_t z = 0; z < mask.layer.size(); ++z)
    for (std::uint64_t rest = mask.layer[z]; rest != 0; rest &= rest - 1)
      f(64 * z + static_cast<std::size_t>(std::countr_zero(rest)));
}

/// Cells of a tile whose neighbour one step (+1 or -1) along an axis is in the set.
inline TileMask beside(const TileGrid& grid, const CellSet& set, std::size_t tile, int axis,
                       int step) {
  constexpr std::uint64_t first = 0x0101010101010101, last = first << 7;  // x = 0, x = 7
  const std::int32_t near =
      grid.near(tile, axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0);
  const TileMask& own = set[tile];
  const TileMask other = near == TileGrid::none ? TileMask{} : set[static_cast<std::size_t>(near)];
  TileMask r;
  constexpr std::size_t n = TileGrid::side;
  if (axis == 2) {
    for (std::size_t z = 0; z < n; ++z)
      r.layer[z] = step < 0 ? (z == 0 ? other.layer[n - 1] : own.layer[z - 1])
                            : (z == n - 1 ? other.layer[0] : own.layer[z + 1]);
    return r;
  }
  for (std::size_t z = 0; z < n; ++z) {
    const std::uint64_t a = own.layer[z], b = other.layer[z];
    if (axis == 0)
      r.layer[z] =
          step < 0 ? (a << 1 & ~first) | (b >> 7 & first) : (a >> 1 & ~last) | (b << 7 & last);
    else
      r.layer[z] = step < 0 ? a << 8 | b >> 56 : a >> 8 | b << 56;
  }
  return r;
}

/// Carries values on beyond the cells where they are known.
class LayerSpread {
 public:
  /// Every cell of the grid beside one in `known` gets the mean of its neighbours there and joins
  /// them; `layers` times.
  void spread(const TileGrid& grid, int layers, CellSet& known, std::vector<double>& value);

 private:
  CellSet front_;
};

}  // namespace hydrolith::hybrid
