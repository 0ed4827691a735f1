#pragma once
// From the particles of a frame to coloured spheres.

#include "render/ray_scene.h"
#include "render/render.h"

#include <span>
#include <string>
#include <vector>

namespace hydrolith {

/// The number each particle is coloured by: speed [m/s] or pressure [Pa]. Throws Error if the
/// field was not written, naming those that were.
std::vector<float> colour_values(const LiquidFrame& liquid, const std::string& name, ColourBy what);

/// Particles that are somewhere sensible: finite and less than a million stage radii away.
Spheres make_spheres(const Objects& objects, const Frame& frame, const Stage& stage,
                     const RenderOptions& options, const Vec3& origin);

}  // namespace hydrolith
