#pragma once
// Forces before the first step.

#include "hydrolith/frame.h"

#include <limits>

namespace hydrolith {

/// NaN: nobody has measured any.
inline BodyForces unknown_forces() {
  const Vec3 unknown = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  const Wrench wrench{unknown, unknown};
  return {wrench, wrench, wrench, wrench};
}

}  // namespace hydrolith
