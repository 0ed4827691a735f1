#pragma once
// A height field as a table, from an expression, a text file or a greyscale PNG.

#include "core/shape.h"

#include <vector>

namespace hydrolith {

/// Heights at nx by nz points over [-width/2, width/2] x [-depth/2, depth/2], joined by triangles:
/// each cell is split along its diagonal from (low x, low z) to (high x, high z).
struct HeightGrid {
  int nx = 0, nz = 0;
  double width = 0, depth = 0;  // [m]
  double bottom = 0;            // [m] y of the underside
  std::vector<double> heights;  // [m] index i + nx * j

  double x(int i) const { return width * (double(i) / (nx - 1) - 0.5); }
  double z(int j) const { return depth * (double(j) / (nz - 1) - 0.5); }
  double at(int i, int j) const { return heights[i + std::size_t(nx) * j]; }
  double height(double x, double z) const;  // [m] beyond the border: as at the border
  double steepest() const;                  // [-] largest slope of any triangle
  double highest() const;                   // [m]
};

/// An expression is tabulated at half the resolution [m]. Throws IoError or MeshError.
HeightGrid tabulate(const HeightFieldShape& shape, double resolution);

}  // namespace hydrolith
