#pragma once
// The liquid on a grid: how much of it is at a node, and how fast it moves there. For volumes.

#include "surface/liquid_surface.h"
#include "surface/surface_tile.h"

#include <array>
#include <functional>

namespace hydrolith {

struct LiquidTile {
  TileField share;                    // 1 inside, 0 outside, 0.5 on the surface
  std::array<TileField, 3> momentum;  // share times velocity [m/s]
  bool has_momentum = false;          // the particles have velocities
};

/// Calls visit for every tile that the liquid reaches, in a fixed order, one after the other. Node
/// (i, j, k) of the grid lies at cell * spacing * (i, j, k), in two dimensions at (i, j, k - 0.5);
/// nodes 0 .. size - 1 of a tile are its own. Throws Error for options out of range.
void visit_liquid_tiles(const LiquidFrame& liquid, double spacing, int dimensions,
                        const SurfaceOptions& options,
                        const std::function<void(const LiquidTile&)>& visit);

}  // namespace hydrolith
