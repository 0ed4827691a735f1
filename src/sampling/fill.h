#pragma once
// Liquid particles inside a region, with the right amount of liquid and clear of all solids.

#include "geometry/mesh.h"

#include <functional>
#include <vector>

namespace hydrolith {

/// Signed distance [m] to the solid things liquid must keep clear of; negative inside them.
using Obstacles = std::function<double(const Vec3&)>;

struct FillOptions {
  double spacing = 0.01;     ///< [m] h
  double clearance = 0.005;  ///< [m] least distance of a particle from an obstacle's surface
  int dimensions = 3;        ///< 2: one layer at z = 0, unit depth
  Vec3 up = Vec3::Zero();    ///< along an axis: liquid that stands on something has a smooth top
};

struct Fill {
  std::vector<Vec3> position;  // [m]
  double volume = 0;  // [m^3] (2D: [m^2] times unit depth) of the region less the obstacles
  double particle_volume = 0;  // [m^3] = volume / number of particles; close to h^3 (2D: h^2)
  std::vector<double> share;   // [-] of each particle in that, mean 1; empty: all have the same
};

/// `region` is closed. `obstacles` may be empty. Particles lie on a lattice. With `up` the rows of
/// a column that stands on an obstacle are drawn apart or together, and one more or less of them
/// fitted in, so that the uppermost ends at the region's surface where that is no steeper than
/// about 50 degrees; their volumes go with it. On a lattice such a surface would be made of steps.
Fill fill_region(const TriangleMesh& region, const Obstacles& obstacles,
                 const FillOptions& options);

}  // namespace hydrolith
