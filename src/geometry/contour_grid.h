#pragma once
// The narrow band of a contouring grid: its cells, corners and crossed edges as sorted keys.

#include "geometry/sdf.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hydrolith {

/// Integer coordinates packed with x fastest; sums of keys are keys of sums. 21 bits each.
using GridKey = std::uint64_t;
constexpr GridKey grid_unit[3] = {GridKey(1), GridKey(1) << 21, GridKey(1) << 42};

/// Corner c of a cell has bit k set if it is high along axis k.
constexpr GridKey corner_offset(int c) {
  return (c & 1 ? grid_unit[0] : 0) + (c & 2 ? grid_unit[1] : 0) + (c & 4 ? grid_unit[2] : 0);
}

struct ContourGrid {
  Vec3 origin = Vec3::Zero();  // [m]
  double cell = 0;             // [m]

  Vec3 position(GridKey key) const {
    constexpr GridKey mask = (GridKey(1) << 21) - 1;
    return origin + cell * Vec3(double(key & mask), double(key >> 21 & mask), double(key >> 42));
  }
};

/// Edges along one axis, from corner `keys[i]` to the next, whose ends differ in sign.
struct CrossedEdges {
  std::vector<GridKey> keys;          // ascending
  std::vector<std::uint8_t> leaving;  // 1: the first corner is inside
  std::vector<Vec3> points;           // [m] where the surface crosses
  std::vector<Vec3> normals;          // unit, outwards
};

struct NarrowBand {
  ContourGrid grid;
  std::vector<GridKey> cells;       // whose corners differ in sign, ascending
  std::vector<std::uint8_t> signs;  // of each cell: bit c set if corner c is inside
  CrossedEdges edges[3];            // along x, y, z
};

/// None if more than `most_cells` cells may touch the surface.
std::optional<NarrowBand> find_narrow_band(const Sdf& sdf, const Box3& box, double cell,
                                           std::size_t most_cells);

/// All cells that the surface may pass through, ascending; none if they are more than `most_cells`.
std::optional<std::vector<GridKey>> cells_near_surface(const Sdf& sdf, const ContourGrid& grid,
                                                       const Box3& box, std::size_t most_cells);

/// The grid starts a little outside the box, at an odd fraction of a cell, so that faces of shapes
/// do not fall on grid planes.
ContourGrid place_grid(const Box3& box, double cell);

/// Index of a key among sorted keys; throws MeshError if it is not there, which means that the
/// distance changed faster than space and the band has a gap.
std::size_t index_of(std::span<const GridKey> sorted, GridKey key);

}  // namespace hydrolith
