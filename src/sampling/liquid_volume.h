#pragma once
// How much room there is for liquid, by quadrature of a signed distance.

#include "hydrolith/vec.h"

#include <functional>

namespace hydrolith {

/// Distance [m] to the nearest face of the room for liquid: positive inside, negative outside.
/// Changes by at most |x - y| between x and y.
using Room = std::function<double(const Vec3&)>;

struct RoomExtent {
  double volume = 0;  // [m^3], in 2D [m^2]
  Box3 box;           // what is sure to lie inside the room's bounds; exact where faces are flat
};

/// Cells of `box` are divided until they lie wholly inside or outside or are as small as `cell`
/// [m].
RoomExtent measure(const Room& room, const Box3& box, double cell, int dimensions);

}  // namespace hydrolith
