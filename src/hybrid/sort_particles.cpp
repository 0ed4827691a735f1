// A stable counting sort in two passes, so that tables stay small and every pass is threaded: by
// tile (a fixed number of parts of the particles, each with its own counts), then by cell within
// each tile.

#include "hybrid/sort_particles.h"

#include "core/check.h"
#include "core/parallel.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace hydrolith::hybrid {

namespace {

constexpr std::size_t parts = 32;  // whatever the number of threads

struct Range {
  std::size_t begin, end;
};

Range range_of(std::size_t part, std::size_t n) {
  return {part * n / parts, (part + 1) * n / parts};
}

bool near_tile(const Cell3& local, int depth) {
  constexpr int side = TileGrid::side;
  return -side <= local.x() && local.x() < 2 * side && -side <= local.y() && local.y() < 2 * side &&
         -depth <= local.z() && local.z() < 2 * depth;
}

}  // namespace

void ParticleSorter::sort(const TileGrid& grid, LiquidParticles& p) {
  const std::size_t n = p.size();
  order_.resize(n);
  scratch_.resize(n * sizeof(Mat3f));
  {
    const std::span words(reinterpret_cast<std::uint32_t*>(scratch_.data()), 2 * n);
    const auto cell = words.first(n), by_tile = words.last(n);
    find_cells(grid, p.x, cell);
    order_by_tile(grid, cell, by_tile);
    order_by_cell(grid, cell, by_tile);
  }
  permute(p.x);
  permute(p.v);
  permute(p.c);
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
        // Mostly the tile of the last particle, or one beside it.
        std::size_t tile = 0;
        Cell3 corner = Cell3::Zero();
        if (grid.tiles() > 0) corner = grid.first_cell(0);
        const Range range = range_of(part, x.size());
        for (std::size_t i = range.begin; i < range.end; ++i) {
          const Cell3 at = grid.cell_of(x[i]), local = at - corner;
          const std::int32_t found = near_tile(local, grid.depth()) && grid.tiles() > 0
                                         ? grid.cell_at(tile, local.x(), local.y(), local.z())
                                         : grid.find_cell(at);
          require(found != TileGrid::none,
                  "particle at [{:.3g}, {:.3g}, {:.3g}] m lies outside the grid", x[i].x(),
                  x[i].y(), x[i].z());
          cell[i] = static_cast<std::uint32_t>(found);
          const std::size_t its = cell[i] / grid.tile_cells();
          if (its != tile) corner = grid.first_cell(tile = its);
        }
      },
      1);
}

void ParticleSorter::order_by_tile(const TileGrid& grid, std::span<const std::uint32_t> cell,
                                   std::span<std::uint32_t> by_tile) {
  const std::size_t tiles = grid.tiles(), n = cell.size();
  const auto width = static_cast<std::uint32_t>(grid.tile_cells());
  counts_.assign(parts * tiles, 0);
  tile_first_.resize(tiles + 1);
  parallel_for(
      parts,
      [&](std::size_t part) {
        std::uint32_t* count = counts_.data() + part * tiles;
        const Range range = range_of(part, n);
        for (std::size_t i = range.begin; i < range.end; ++i) ++count[cell[i] / width];
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
          by_tile[next[cell[i] / width]++] = static_cast<std::uint32_t>(i);
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
  constexpr std::size_t size = sizeof(T);
  static_assert(size <= sizeof(Mat3f));
  const auto* from = reinterpret_cast<const std::byte*>(column.data());
  parallel_for(
      order_.size(),
      [&](std::size_t i) { std::memcpy(&scratch_[i * size], from + order_[i] * size, size); },
      4096);
  parallel_for(
      parts,
      [&](std::size_t part) {
        const Range range = range_of(part, order_.size());
        std::memcpy(static_cast<void*>(column.data() + range.begin), &scratch_[range.begin * size],
                    (range.end - range.begin) * size);
      },
      1);
}

}  // namespace hydrolith::hybrid
