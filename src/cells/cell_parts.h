#pragma once
// What the files of this folder share: the search for neighbours, and blocks of cells under way.

#include "cells/box_tree.h"
#include "cells/cells.h"

#include <cstddef>
#include <span>
#include <vector>

namespace hydrolith {

/// Particles in a sparse grid of cubic (2D: square) cells. Finds the neighbours of a point in
/// shells of growing distance.
class CellSearch {
 public:
  void build(double cell_width, int dimensions, std::span<const Vec3> x);

  struct Candidate {
    double distance_sq = 0;  // [m^2]
    std::uint32_t particle = 0;
  };
  /// Particles other than `self` with inner <= |x_j - x| < outer [m], nearest first (then by
  /// number); `out` is overwritten.
  void shell(const Vec3& x, std::uint32_t self, double inner, double outer,
             std::vector<Candidate>& out) const;

 private:
  double inverse_width_ = 0;  // [1/m]
  int dimensions_ = 3;
  // Occupied bricks of 4 x 4 x 4 grid cells, in a hash table: key of a slot, brick of a slot.
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> bricks_;
  std::vector<std::uint32_t> begin_;  // 65 a brick: its grid cells' particles in order_
  std::vector<std::uint32_t> order_;
  std::vector<Vec3> sorted_;  // [m] positions in that order
};

/// Consecutive particles [begin, end) and their cells, appended one by one. `first` counts are
/// those of the block; the builder joins blocks in order.
struct CellBlock {
  std::size_t begin = 0, end = 0;
  std::vector<CellFace> faces;
  std::vector<CellFacet> facets;
  std::vector<std::uint32_t> face_end, facet_end;  // per particle of the block
  std::size_t mended = 0;
  double worst_gap = 0;
};

/// What all cells are cut from. Positions are those of the particles, moved by a fixed offset of
/// about 1e-7 h that is hashed from the particle's place in the list: no four of them lie on a
/// circle, no face lies in the plane of a wall. `x` is what cells and offsets refer to.
struct CellInput {
  const CellOptions& options;
  std::span<const Vec3> x;
  const CellSearch& search;
  std::span<const CellSurface> surfaces;
  const BoxTree& surface_boxes;  // of all surfaces at their poses
};

/// Writes volume, centroid and open of [block.begin, block.end) to `out`, the rest to the block.
void cut_cells_2d(const CellInput& input, CellBlock& block, Cells& out);
void cut_cells_3d(const CellInput& input, CellBlock& block, Cells& out);

}  // namespace hydrolith
