#pragma once
// Light through water: what a ray sees that meets the surface of a liquid.

#include "render/shading.h"
#include "render/water_mesh.h"

namespace hydrolith {

/// What one ray through the picture sees: `shade`, through the liquids' surfaces.
Radiance shade_through(const RayScene& scene, const WaterMesh& water, const Lighting& lighting,
                       const SceneRay& ray, const PixelSampler& random, std::uint32_t sample);

}  // namespace hydrolith
