#pragma once
// The level set in cubic tiles, computed one at a time and thrown away: memory grows with the
// surface, not with the space around it. A tile also computes the first nodes of its neighbours;
// both get the same bits there, so the pieces fit.

#include "surface/particle_bins.h"

#include <functional>
#include <vector>

namespace hydrolith {

constexpr int tile_bins = 4;  // edge of a tile

/// Values at nodes first .. first + size of one tile, along each axis.
class TileField {
 public:
  GridIndex first{};
  int size = 0;  // [cells]

  float at(int x, int y, int z) const { return values_[index(x, y, z)]; }
  std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * rows_ + static_cast<std::size_t>(y)) * stride_ +
           static_cast<std::size_t>(x);
  }
  void reset(const GridIndex& first_node, int cells);
  /// Adds amount * particle_shape at every node that the particle reaches.
  void add(const BinnedParticle& particle, float amount, float radius);
  void clear_layer(int z);

 private:
  std::size_t rows_ = 0, stride_ = 0;
  std::vector<float> values_;
};

/// The tiles that particles reach, ascending in z, then y, then x. In units of tiles.
std::vector<GridIndex> find_tiles(const ParticleBins& bins);

/// Calls f(particle) for every particle that may reach a tile, in their order.
template <class F>
void for_tile_particles(const ParticleBins& bins, const GridIndex& tile, F&& f) {
  const int bx = tile[0] * tile_bins, by = tile[1] * tile_bins, bz = tile[2] * tile_bins;
  for (int z = bz - 1; z <= bz + tile_bins; ++z)
    for (int y = by - 1; y <= by + tile_bins; ++y)
      for (const BinnedParticle& p : bins.row(bx - 1, bx + tile_bins, y, z)) f(p);
}

/// Share of liquid at the nodes of a tile: 1 inside, 0 outside, 0.5 on the surface.
/// In two dimensions only nodes 0 and 1 along z have any: a slab.
void fill_tile(const ParticleBins& bins, const GridIndex& tile, int dimensions, TileField& field);

}  // namespace hydrolith
