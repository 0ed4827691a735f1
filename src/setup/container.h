#pragma once
// Liquid that has left the scene's container: through a wall, or over the edge of a floor.

#include "setup/world.h"

#include <span>

namespace hydrolith {

/// The box around all static bodies, one spacing wider and open against gravity: what is outside is
/// beside or below everything that could hold it. None where there are no static bodies, or where
/// liquid starts or enters outside the box, so that it holds nothing.
std::optional<Box3> container_box(const World& w);

/// How many of these particles [m] are outside the container.
std::int64_t count_outside(const World& w, std::span<const Vec3> x);

}  // namespace hydrolith
