#pragma once
// Particles in the order of the cells that hold them: what is near in space is near in memory, and
// the particles of a cell or of a tile are a range.

#include "hybrid/liquid_particles.h"
#include "hybrid/tile_grid.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith::hybrid {

class ParticleSorter {
 public:
  /// Orders all columns by cell; particles of one cell keep their order. Every particle must lie in
  /// a tile of the grid.
  void sort(const TileGrid& grid, LiquidParticles& particles);

  /// Cell -> its first particle; one more entry at the end.
  std::span<const std::uint32_t> first() const { return first_; }

  std::size_t bytes() const {
    return sizeof(Mat3f) * scratch_.capacity() + 4 * (order_.capacity() + first_.capacity() +
                                                      counts_.capacity() + tile_first_.capacity());
  }

 private:
  void find_cells(const TileGrid& grid, std::span<const Vec3> x, std::span<std::uint32_t> cell);
  void order_by_tile(const TileGrid& grid, std::span<const std::uint32_t> cell,
                     std::span<std::uint32_t> by_tile);
  void order_by_cell(const TileGrid& grid, std::span<const std::uint32_t> cell,
                     std::span<const std::uint32_t> by_tile);
  template <class T>
  void permute(std::vector<T>& column);

  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> order_;       // new place -> old place
  std::vector<std::uint32_t> counts_;      // (part, tile): particles, then their first place
  std::vector<std::uint32_t> tile_first_;  // tile -> first particle, tiles + 1
  std::vector<Mat3f> scratch_;             // as wide as the widest column
};

}  // namespace hydrolith::hybrid
