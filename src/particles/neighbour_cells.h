#pragma once
// Cells of edge 2h, fixed in space, and where a point lies in them.

#include "hydrolith/vec.h"

#include "particles/kernel.h"

#include <cstdint>

namespace hydrolith::particles {

/// Integer coordinates of a cell, or of a brick of 4 x 4 x 4 cells.
struct CellIndex {
  std::int32_t x, y, z;

  bool operator==(const CellIndex&) const = default;
};

/// No point can have neighbours there: positions that are not numbers, or 2^30 cells away.
constexpr CellIndex lost_cell{INT32_MIN, INT32_MIN, INT32_MIN};

constexpr CellIndex brick_of(const CellIndex& c) { return {c.x >> 2, c.y >> 2, c.z >> 2}; }

/// Place of a cell in its brick along the curve, 0 to 63.
constexpr std::uint32_t cell_in_brick(const CellIndex& c) {
  constexpr std::uint32_t spread[] = {0, 1, 8, 9};
  return spread[c.x & 3] | spread[c.y & 3] << 1 | spread[c.z & 3] << 2;
}

/// Positions split into a cell and a float within it, in units of h.
///
/// The float is a multiple of 2^-21 in [0, 2]. So the difference of two points in adjoining cells
/// is exact in float, x_i - x_j = -(x_j - x_i) bit for bit, and no two points of cells that do not
/// adjoin are nearer than 2h.
class CellScale {
 public:
  explicit CellScale(const Kernel& kernel) : per_h_(1 / kernel.h), dimensions_(kernel.dimensions) {}

  CellIndex cell(const Vec3& x) const {
    const double a = 0.5 * per_h_ * x.x(), b = 0.5 * per_h_ * x.y();
    const double c = dimensions_ == 3 ? 0.5 * per_h_ * x.z() : 0;
    constexpr double limit = 1 << 30;
    if (!(std::abs(a) < limit && std::abs(b) < limit && std::abs(c) < limit)) return lost_cell;
    return {floor(a), floor(b), floor(c)};
  }
  /// Position [h] along one axis in the cell of that coordinate.
  float within(double x, std::int32_t cell) const {
    constexpr double round = 1.5 * (1u << 31);  // doubles around it are multiples of 2^-21
    return static_cast<float>((per_h_ * x - 2.0 * cell + round) - round);
  }

 private:
  static std::int32_t floor(double a) {
    const auto whole = static_cast<std::int32_t>(a);
    return whole - (a < whole ? 1 : 0);
  }
  double per_h_;  // [1/m]
  int dimensions_;
};

}  // namespace hydrolith::particles
