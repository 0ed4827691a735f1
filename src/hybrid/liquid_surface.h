#pragma once
// Where the liquid is: a signed distance from the particles' volumes on the grid, carried on into
// solids, and the liquid part of every control volume.
//
// f is the particles' volume under a hat function around a cell's centre, over the room that solids
// leave there. In front of a plane at distance phi (negative inside, in cells) the hat holds
//   f = (1 - phi)^2 / 2 for phi in [0, 1],   f = 1 - (1 + phi)^2 / 2 for phi in [-1, 0],
// which is solved for phi: the surface is where f = 1/2, and nothing is gained or lost in thin
// sheets or drops by giving particles a radius.

#include "hybrid/solid_field.h"
#include "hybrid/tile_grid.h"
#include "hybrid/tile_mask.h"

#include <span>
#include <vector>

namespace hydrolith::hybrid {

struct LiquidSurface {
  /// [-] With less room under its hat a cell's centre is in a solid and its f says little.
  static constexpr double least_room = 0.5;

  std::vector<double> fill;  // [-] f of every cell; 0 where solids leave no room
  std::vector<double> phi;   // [dx] signed distance at every cell's centre, within [-1, 1]
  std::vector<float> part;   // [-] liquid part of 2^d sub-cells of every cell, solids ignored

  /// From the particles' volume under the hat of every cell [m^3].
  void find(const TileGrid& grid, const SolidField& solids, std::span<const double> volume);
  /// Writes `part` from phi: for viscous liquid.
  void measure_parts(const TileGrid& grid);

 private:
  void lean_on_open_cells(const TileGrid& grid, const SolidField& solids, double above,
                          double most);
  std::vector<double> own_;  // phi by the cell's own f
  CellSet known_;            // cells with room enough
  LayerSpread spread_;
};

/// phi [dx] in front of a plane that gives this f.
double distance_from_fill(double f);

}  // namespace hydrolith::hybrid
