// A surface mirrors (Fresnel) and bends the ray (Snell); inside, light fades with the distance
// (Beer and Lambert) and the liquid adds its own colour for what has faded. Behind the first
// surface the way is straight: a picture, not a lens.

#include "render/water_shading.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith {

namespace {

constexpr float index = 1.33f;            // of refraction
constexpr float mirror = 0.02f;           // reflectance at a right angle: ((n - 1) / (n + 1))^2
constexpr float depth_of_colour = 0.22f;  // [lighting.reach] in which a dark colour fades to 1 / e
constexpr float far = std::numeric_limits<float>::infinity();

/// Schlick 1994.
float fresnel(float cosine) {
  return mirror + (1 - mirror) * std::pow(1 - std::clamp(cosine, 0.0f, 1.0f), 5.0f);
}

/// Into the liquid, after Snell; `normal` against the ray.
Vec3f bent(const Vec3f& direction, const Vec3f& normal) {
  const float cosine = -direction.dot(normal), ratio = 1 / index;
  const float inside = 1 - ratio * ratio * (1 - cosine * cosine);  // > 0: into the denser one
  return (ratio * direction + (ratio * cosine - std::sqrt(inside)) * normal).normalized();
}

/// The length of a ray within liquid before `limit`, if it starts inside.
float wet_length(const WaterMesh& water, const SceneRay& ray, float limit) {
  constexpr int most_surfaces = 16;
  float wet = 0, from = 0, since = 0;
  bool inside = true;
  WaterHit hit;
  for (int k = 0; k < most_surfaces && water.meet(ray, from, limit, hit); ++k) {
    if (inside && !hit.entering) wet += hit.t - since;
    if (!inside && hit.entering) since = hit.t;
    inside = hit.entering;
    from = std::nextafter(hit.t * (1 + 1e-5f), far);
  }
  return inside && std::isfinite(limit) ? wet + std::max(0.0f, limit - since) : wet;
}

}  // namespace

Radiance shade_through(const RayScene& scene, const WaterMesh& water, const Lighting& lighting,
                       const SceneRay& ray, const PixelSampler& random, std::uint32_t sample) {
  WaterHit hit;
  const float solid = first_distance(scene, lighting, ray);
  if (!water.meet(ray, 0, solid, hit)) return shade(scene, lighting, ray, random, sample);
  const Vec3f normal = hit.normal.dot(ray.direction) < 0 ? hit.normal : Vec3f(-hit.normal);
  const Vec3f point = ray.origin + hit.t * ray.direction;
  const Vec3f within = bent(ray.direction, normal);
  const SceneRay on{point + 1e-4f * hit.t * within, within};

  // Behind the surface, dimmed by the way through the liquid.
  Radiance seen = shade(scene, lighting, on, random, sample);
  const float way = hit.entering ? wet_length(water, on, first_distance(scene, lighting, on)) : 0;
  const float depth = way / (depth_of_colour * lighting.reach);
  const Colour left = ((hit.colour.array() - 1) * depth).exp().matrix();
  const float share = 1 - fresnel(-normal.dot(ray.direction));
  const Colour own = 0.75f * diffuse_light(lighting, normal, hit.colour);
  seen.colour = share * (seen.colour.cwiseProduct(left) + own.cwiseProduct(Colour::Ones() - left));
  seen.response = share * seen.response.cwiseProduct(left);

  // Mirrored: a body, or the room.
  const Vec3f mirrored = ray.direction - 2 * normal.dot(ray.direction) * normal;
  seen.colour +=
      (1 - share) * mirrored_light(scene, lighting, {point + 1e-4f * hit.t * normal, mirrored});
  if (seen.normal.isZero()) seen.normal = normal;
  seen.open = false;
  return through_veil(scene, lighting, ray, hit.t, seen);
}

}  // namespace hydrolith
