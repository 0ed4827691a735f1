#include "surface/liquid_tiles.h"

#include "core/parallel.h"
#include "surface/surface_input.h"

#include <algorithm>

namespace hydrolith {

namespace {

void fill(const ParticleBins& bins, const GridIndex& at, int dimensions,
          const std::vector<float>* velocities, LiquidTile& tile) {
  fill_tile(bins, at, dimensions, tile.share);
  tile.has_momentum = velocities != nullptr;
  if (!velocities) return;
  for (TileField& field : tile.momentum) field.reset(tile.share.first, tile.share.size);
  for_tile_particles(bins, at, [&](const BinnedParticle& p) {
    for (int k = 0; k < 3; ++k) {
      const float speed = (*velocities)[3 * p.source + static_cast<std::size_t>(k)];
      tile.momentum[k].add(p, bins.grid.peak * p.weight * speed, bins.grid.radius);
    }
  });
}

}  // namespace

void visit_liquid_tiles(const LiquidFrame& liquid, double spacing, int dimensions,
                        const SurfaceOptions& options,
                        const std::function<void(const LiquidTile&)>& visit) {
  check_surface_input(liquid, spacing, options);
  const SurfaceGrid grid = surface_grid(spacing, options.cell, options.radius);
  ParticleBins bins = bin_particles(liquid.position, grid, spacing, dimensions);
  weigh_particles(bins);
  const std::vector<float>* velocities = options.velocity ? velocities_of(liquid) : nullptr;
  const std::vector<GridIndex> places = find_tiles(bins);
  constexpr std::size_t batch = 64;  // filled at the same time, then visited
  std::vector<LiquidTile> tiles(std::min(batch, places.size()));
  for (std::size_t first = 0; first < places.size(); first += batch) {
    const std::size_t count = std::min(batch, places.size() - first);
    parallel_for(
        count,
        [&](std::size_t i) { fill(bins, places[first + i], dimensions, velocities, tiles[i]); }, 1);
    for (std::size_t i = 0; i < count; ++i) visit(tiles[i]);
  }
}

}  // namespace hydrolith
