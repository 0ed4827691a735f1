#pragma once
// What surface/ takes from a frame.

#include "surface/liquid_surface.h"

namespace hydrolith {

/// Throws Error for options out of range.
void check_surface_input(const LiquidFrame& liquid, double spacing, const SurfaceOptions& options);

/// x y z [m/s] of each particle, or null.
const std::vector<float>* velocities_of(const LiquidFrame& liquid);

}  // namespace hydrolith
