#pragma once
// What the files of this folder share: the search for neighbours, and blocks of cells under way.

#include "cells/box_tree.h"
#include "cells/cells.h"
#include "cells/free_surface.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace hydrolith {

/// Particles in a sparse grid of cubic (2D: square) cells, those of one cell after another: the
/// place of a particle is its number in that order. Particles that come so keep their order.
/// Finds the neighbours of a point in shells of growing distance.
class CellSearch {
 public:
  void build(double cell_width, int dimensions, std::span<const Vec3> x);  // refers to x

  std::size_t size() const { return x_.size(); }
  double width() const { return width_; }  // [m] of a grid cell
  std::uint32_t particle(std::size_t place) const {
    return order_.empty() ? std::uint32_t(place) : order_[place];
  }
  const Vec3& position(std::size_t place) const { return x_[particle(place)]; }

  struct Candidate {
    double distance_sq = 0;  // [m^2]
    std::uint32_t particle = 0;
  };
  /// Particles other than `self` with inner <= |x_j - x| < outer [m], nearest first (then by
  /// number); `out` is overwritten.
  void shell(const Vec3& x, std::uint32_t self, double inner, double outer,
             std::vector<Candidate>& out) const;

  /// Particles within r [m] of x, in ascending order; `out` is overwritten.
  void within(const Vec3& x, double r, std::vector<std::uint32_t>& out) const;

  /// All particles in one grid cell and within some reach around them, for those in that cell to
  /// share.
  struct Surroundings {
    Box3 box;                           // [m] around the particles in the cell
    Vec3 centre = Vec3::Zero();         // [m]
    std::vector<std::uint32_t> places;  // of the particles
    std::vector<float> x, y, z;         // [m] from the centre, and room at the end
    std::vector<std::uint32_t> found;   // scratch of near()
    std::vector<float> distance_sq;
  };
  /// Collects the surroundings of a place. Returns the place after the last one of its grid cell.
  std::size_t gather(std::size_t place, double reach, Surroundings& out) const;

  /// Particles within r [m], at most the reach, of a point of the surroundings' cell: their numbers
  /// in the surroundings, in `in.found`. Returns how many. Some a little farther off may be among
  /// them, and the point itself.
  std::size_t find(const Vec3& x, double r, Surroundings& in) const;

  struct Near {
    float distance_sq = 0;  // [m^2] but for single precision
    std::uint32_t place = 0;
  };
  static constexpr std::size_t bands = 32;  // of equal squared distance
  /// The same, nearest band first.
  void near(const Vec3& x, double r, Surroundings& in, std::vector<Near>& out) const;

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t begin = 0, end = 0;  // places
  };
  std::pair<std::uint32_t, std::uint32_t> places(std::int64_t a, std::int64_t b,
                                                 std::int64_t c) const;
  template <class F>
  void for_each_cell(const Vec3& low, const Vec3& high, int more, F&& f) const;

  bool fill_slots();
  void sort();

  double width_ = 0;  // [m]
  int dimensions_ = 3;
  std::span<const Vec3> x_;           // [m] of each particle
  std::vector<std::uint64_t> keys_;   // of the grid cell of each place
  std::vector<std::uint32_t> order_;  // particle of each place; empty if it has the same number
  std::vector<std::uint32_t> begin_;  // of each occupied grid cell
  std::vector<Slot> slots_;           // hash table of those
};

/// Particles at consecutive places [begin, end) of the search and their cells, appended one by one.
struct CellBlock {
  std::size_t begin = 0, end = 0;
  std::vector<CellFace> faces;  // until they are taken
  std::vector<CellFacet> facets;
  std::vector<std::uint32_t> face_end, facet_end;  // per place of the block
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
  const FreeSurface free_surface;
};

/// Writes volume, centroid and open of the block's particles to `out`, the rest to the block.
void cut_cells_2d(const CellInput& input, CellBlock& block, Cells& out);
void cut_cells_3d(const CellInput& input, CellBlock& block, Cells& out);

}  // namespace hydrolith
