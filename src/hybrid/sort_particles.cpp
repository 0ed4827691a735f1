// A stable counting sort in two passes, so that tables stay small and every pass is threaded: by
// tile (a fixed number of parts of the particles, each with its own counts), then by cell within
// each tile.

#include "hybrid/sort_particles.h"

#include "core/check.h"
#include "core/parallel.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace hydrolith::hybrid {

namespace {

constexpr std::size_t parts = 32;  // whatever the number of threads

struct Range {
  std::size_t begin, end;
};

Range range_of(std::size_t part, std::size_t n) {
  return {part * n / parts, (part + 1) * n / parts};
}

/// Whether coordinates from a tile's first cell lie in the tile.
bool in_tile(const Cell3& local, int depth) {
  const auto below = [](int c, int end) {
    return static_cast<unsigned>(c) < static_cast<unsigned>(end);
  };
  return below(local.x(), TileGrid::side) && below(local.y(), TileGrid::side) &&
         below(local.z(), depth);
}

/// Resizes with a little room, where std::vector would double.
template <class T>
void resize_with_room(std::vector<T>& v, std::size_t n) {
  if (n > v.capacity()) v.reserve(n + n / 16);
  v.resize(n);
}

}  // namespace

void ParticleSorter::sort(const TileGrid& grid, LiquidParticles& p) {
  const std::size_t n = p.size();
  resize_with_room(order_, n);
  resize_with_room(scratch_, n);
  {
    const std::span words(reinterpret_cast<std::uint32_t*>(scratch_.data()), 2 * n);
    const auto cell = words.first(n), by_tile = words.last(n);
    find_cells(grid, p.x, cell);
    order_by_tile(grid, cell, by_tile);
    order_by_cell(grid, cell, by_tile);
  }
  parallel_for(
      n, [&](std::size_t i) { scratch_[i] = p.c[order_[i]]; }, 4096);
  std::swap(p.c, scratch_);
  permute(p.x);
  permute(p.v);
  permute(p.volume);
  permute(p.pressure);
  permute(p.id);
  permute(p.liquid);
}

void ParticleSorter::find_cells(const TileGrid& grid, std::span<const Vec3> x,
                                std::span<std::uint32_t> cell) {
  parallel_for(
      parts,
      [&](std::size_t part) {
        // Mostly the tile of the last particle.
        constexpr int side = TileGrid::side;
        std::size_t tile = 0;
        Cell3 corner = Cell3::Constant(1 << 28);  // of no tile
        const Range range = range_of(part, x.size());
        for (std::size_t i = range.begin; i < range.end; ++i) {
          const Cell3 at = grid.cell_of(x[i]), local = at - corner;
          if (in_tile(local, grid.depth())) {
            cell[i] = static_cast<std::uint32_t>(
                tile * grid.tile_cells() +
                static_cast<std::size_t>((local.z() * side + local.y()) * side + local.x()));
            continue;
          }
          const std::int32_t found = grid.find_cell(at);
          require(found != TileGrid::none,
                  "particle at [{:.3g}, {:.3g}, {:.3g}] m lies outside the grid", x[i].x(),
                  x[i].y(), x[i].z());
          cell[i] = static_cast<std::uint32_t>(found);
          tile = cell[i] / grid.tile_cells();
          corner = grid.first_cell(tile);
        }
      },
      1);
}

void ParticleSorter::order_by_tile(const TileGrid& grid, std::span<const std::uint32_t> cell,
                                   std::span<std::uint32_t> by_tile) {
  const std::size_t tiles = grid.tiles(), n = cell.size();
  const int shift = std::countr_zero(grid.tile_cells());
  counts_.assign(parts * tiles, 0);
  tile_first_.resize(tiles + 1);
  parallel_for(
      parts,
      [&](std::size_t part) {
        std::uint32_t* count = counts_.data() + part * tiles;
        const Range range = range_of(part, n);
        for (std::size_t i = range.begin; i < range.end; ++i) ++count[cell[i] >> shift];
      },
      1);
  std::uint32_t place = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    tile_first_[tile] = place;
    for (std::size_t part = 0; part < parts; ++part) {
      std::uint32_t& count = counts_[part * tiles + tile];
      const std::uint32_t here = count;
      count = place;
      place += here;
    }
  }
  tile_first_[tiles] = place;
  parallel_for(
      parts,
      [&](std::size_t part) {
        std::uint32_t* next = counts_.data() + part * tiles;
        const Range range = range_of(part, n);
        for (std::size_t i = range.begin; i < range.end; ++i)
          by_tile[next[cell[i] >> shift]++] = static_cast<std::uint32_t>(i);
      },
      1);
}

void ParticleSorter::order_by_cell(const TileGrid& grid, std::span<const std::uint32_t> cell,
                                   std::span<const std::uint32_t> by_tile) {
  const std::size_t width = grid.tile_cells();
  first_.resize(grid.cells() + 1);
  first_.back() = static_cast<std::uint32_t>(cell.size());
  parallel_for(
      grid.tiles(),
      [&](std::size_t tile) {
        const std::uint32_t begin = tile_first_[tile], end = tile_first_[tile + 1];
        std::uint32_t* first = first_.data() + tile * width;
        std::uint32_t next[TileGrid::side * TileGrid::side * TileGrid::side] = {};
        for (std::uint32_t k = begin; k < end; ++k) ++next[cell[by_tile[k]] - tile * width];
        std::uint32_t place = begin;
        for (std::size_t c = 0; c < width; ++c) {
          first[c] = place;
          place += next[c];
          next[c] = first[c];
        }
        for (std::uint32_t k = begin; k < end; ++k)
          order_[next[cell[by_tile[k]] - tile * width]++] = by_tile[k];
      },
      1);
}

// Through the scratch and back: a second set of all columns would cost 104 bytes a particle.
template <class T>
void ParticleSorter::permute(std::vector<T>& column) {
  static_assert(sizeof(T) <= sizeof(Mat3f) && alignof(T) <= alignof(std::max_align_t));
  T* const sorted = reinterpret_cast<T*>(scratch_.data());
  parallel_for(
      order_.size(), [&](std::size_t i) { sorted[i] = column[order_[i]]; }, 4096);
  parallel_for(
      parts,
      [&](std::size_t part) {
        const Range range = range_of(part, order_.size());
        std::copy(sorted + range.begin, sorted + range.end, column.data() + range.begin);
      },
      1);
}

}  // namespace hydrolith::hybrid
