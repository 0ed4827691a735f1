#include "hybrid/tile_mask.h"

#include "core/parallel.h"

namespace hydrolith::hybrid {

void LayerSpread::spread(const TileGrid& grid, int layers, CellSet& known,
                         std::vector<double>& value) {
  const auto directions = static_cast<std::size_t>(2 * grid.dimensions());
  front_.resize(grid.tiles());
  for (int n = 0; n < layers; ++n) {
    parallel_for(
        grid.tiles(),
        [&](std::size_t t) {
          std::array<TileMask, 6> near;  // by axis, below and above
          TileMask all;
          for (std::size_t k = 0; k < directions; ++k) {
            near[k] = beside(grid, known, t, static_cast<int>(k / 2), k % 2 == 0 ? -1 : 1);
            all = all | near[k];
          }
          front_[t] = all.without(known[t]);
          for_each_cell(front_[t], [&](std::size_t local) {
            const std::size_t cell = t * grid.tile_cells() + local;
            double sum = 0;
            int count = 0;
            for (std::size_t k = 0; k < directions; ++k) {
              if (!near[k].holds(local)) continue;
              const std::int32_t at = grid.next(cell, static_cast<int>(k / 2), k % 2 == 0 ? -1 : 1);
              sum += value[static_cast<std::size_t>(at)];
              ++count;
            }
            value[cell] = sum / count;
          });
        },
        8);
    for (std::size_t t = 0; t < grid.tiles(); ++t) known[t] = known[t] | front_[t];
  }
}

}  // namespace hydrolith::hybrid
