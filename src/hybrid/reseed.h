#pragma once
// Keeps the number of particles per cell within bounds.
//
// A split makes two halves of a particle at x +- d, with velocities v +- c d and the same c. A
// merger makes one of two, with volume-weighted x, v, c and pressure. Both keep volume, mass and
// linear momentum to round-off, and leave a velocity field that is linear in space exactly as it
// is. Angular momentum sum m x cross v grows in a split by m d cross (c d), and loses in a merger
// m1 m2 / (m1 + m2) (x1 - x2) cross (v1 - v2), so that merging two halves undoes their split. (The
// loss could go into c, but only by spoiling the linear field.)

#include "hybrid/liquid_particles.h"
#include "hybrid/tile_grid.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith::hybrid {

struct ReseedOptions {
  int least = 4;                 ///< particles per cell inside the liquid (2D: 2)
  int most = 14;                 ///< particles per cell anywhere (2D: 7)
  double step = 0.25;            ///< |d| [cells]: how far each half moves from the old place
  std::span<const char> inside;  ///< per cell: whether splits may fill it; empty: none

  static ReseedOptions defaults(int dimensions) {
    return dimensions == 3 ? ReseedOptions{} : ReseedOptions{.least = 2, .most = 7, .inside = {}};
  }
};

struct ReseedReport {
  std::size_t split = 0;   // particles added
  std::size_t merged = 0;  // particles removed
};

/// Memory kept from step to step.
struct ReseedScratch {
  std::vector<std::uint32_t> splits, mergers;  // by tile
  std::vector<std::uint32_t> members;          // of the cell at hand
  std::vector<std::uint32_t> removed;          // particles, ascending
};

/// `first` as from ParticleSorter; particles may have moved since, then the cells are those in
/// which they lay. Afterwards the particles are not sorted. The largest particles of a cell are
/// split; the nearest pairs of the same liquid are merged, the larger one keeps its id. New ids are
/// given in the order of cells. Volumes must be above zero.
ReseedReport reseed(const TileGrid& grid, std::span<const std::uint32_t> first,
                    const ReseedOptions& options, LiquidParticles& particles,
                    ReseedScratch& scratch);

}  // namespace hydrolith::hybrid
