#pragma once
// Light: a soft sun, a sky that fills the shadows, and a studio backdrop that the ground fades
// into.

#include "render/ray_scene.h"
#include "render/render.h"
#include "render/sampler.h"
#include "render/view.h"

namespace hydrolith {

struct Lighting {
  Vec3f up;            // unit, away from the ground
  Vec3f to_sun;        // unit
  Vec3f sun_x, sun_y;  // span the sun's disc, length = its angular radius
  bool soft = true;    // shadows and ambient occlusion; two-dimensional scenes do without
  bool ground = true;
  float ground_height = 0;             // [m] along up, relative to the scene's origin
  float reach = 1;                     // [m] how far surfaces darken each other
  Vec3f centre = Vec3f::Zero();        // [m] of the stage, relative to the scene's origin
  float fade_start = 1, fade_end = 2;  // [m] from the centre: everything fades into the backdrop
};

/// The light that comes along a ray: colour = response * light + (what is steady).
struct Radiance {
  Colour colour = Colour::Zero();
  Colour response = Colour::Zero();  // share of the arriving light that the surface sends here
  Colour light = Colour::Zero();     // from sun and sky, found with random rays
  Vec3f normal = Vec3f::Zero();      // unit; zero where light plays no part
  Vec3f position = Vec3f::Zero();    // [m] relative to the scene's origin
  bool open = false;                 // nothing near, nothing between here and the lights
};

Lighting light_stage(const Objects& objects, const Stage& stage, const View& view,
                     const Vec3& origin, bool ground);

/// [m] along the ray to the nearest opaque thing or the ground; infinite if there is none.
float first_distance(const RayScene& scene, const Lighting& lighting, const SceneRay& ray);

/// A matt surface under the open sky.
Colour diffuse_light(const Lighting& lighting, const Vec3f& normal, const Colour& colour);

/// What a mirror shows along this ray: bodies in even light, the ground, the room and the sun.
Colour mirrored_light(const RayScene& scene, const Lighting& lighting, const SceneRay& ray);

/// Walls of tanks between the viewer and what is `seen` at this distance.
Radiance through_veil(const RayScene& scene, const Lighting& lighting, const SceneRay& ray,
                      float distance, Radiance seen);

/// What one ray through the picture sees.
Radiance shade(const RayScene& scene, const Lighting& lighting, const SceneRay& ray,
               const PixelSampler& random, std::uint32_t sample);

}  // namespace hydrolith
