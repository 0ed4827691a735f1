#include "render/shading.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace hydrolith {

namespace {

const Colour sun_light(2.05f, 1.95f, 1.80f);     // arriving square to the sun
const Colour sky_light(0.92f, 0.98f, 1.08f);     // from straight above
const Colour bounce_light(0.62f, 0.60f, 0.58f);  // from straight below
constexpr float sun_radius = 0.07f;              // [rad] large: soft edges of shadows
constexpr float exposure = 0.47f;                // from light on white to the picture
constexpr float wall_opacity = 0.38f, line_opacity = 0.6f;

float smoothstep(float lo, float hi, float x) {
  const float s = std::clamp((x - lo) / (hi - lo), 0.0f, 1.0f);
  return s * s * (3 - 2 * s);
}

/// A light grey room without corners: brightest at the horizon.
Colour backdrop(const Lighting& lighting, const Vec3f& direction) {
  const float rise = direction.dot(lighting.up);
  const Colour horizon(0.86f, 0.87f, 0.885f), above(0.60f, 0.64f, 0.69f),
      below(0.66f, 0.665f, 0.675f);
  return rise > 0 ? Colour(horizon + (above - horizon) * smoothstep(0, 0.9f, rise))
                  : Colour(horizon + (below - horizon) * smoothstep(0, 0.9f, -rise));
}

/// A direction around `axis`, the denser the nearer to it (cosine law).
Vec3f around(const Vec3f& axis, const Sample2& s) {
  const float phi = 2 * std::numbers::pi_v<float> * s.x, r = std::sqrt(s.y);
  const Vec3f side = axis.unitOrthogonal(), other = axis.cross(side);
  return r * std::cos(phi) * side + r * std::sin(phi) * other + std::sqrt(1 - s.y) * axis;
}

Vec3f towards_sun(const Lighting& lighting, const Sample2& s) {
  const float phi = 2 * std::numbers::pi_v<float> * s.x, r = std::sqrt(s.y);
  return (lighting.to_sun + r * std::cos(phi) * lighting.sun_x + r * std::sin(phi) * lighting.sun_y)
      .normalized();
}

struct Arriving {
  Colour sun, sky;   // light on a surface
  bool open = true;  // nothing in its way
  Colour total() const { return sun + sky; }
};

/// Light on a surface if nothing stood in its way.
Arriving open_light(const Lighting& lighting, const Vec3f& normal) {
  const float lift = 0.5f + 0.5f * normal.dot(lighting.up);
  return {sun_light * std::max(0.0f, normal.dot(lighting.to_sun)),
          bounce_light + (sky_light - bounce_light) * lift};
}

/// One ray to the sun, one to the sky.
Arriving arriving_light(const RayScene& scene, const Lighting& lighting, const Vec3f& point,
                        const Hit& hit, const PixelSampler& random, std::uint32_t sample) {
  Arriving light = open_light(lighting, hit.normal);
  if (!lighting.soft) return light;
  const float far = std::numeric_limits<float>::infinity();
  const Vec3f sun = towards_sun(lighting, random(sample, PixelSampler::sun));
  if (hit.facing.dot(sun) <= 0 || scene.blocked({point, sun}, far)) {
    light.sun.setZero();
    light.open = false;
  }
  const Vec3f sky = around(hit.normal, random(sample, PixelSampler::sky));
  constexpr float dimmest = 0.12f;  // light that finds its way around corners
  if (hit.facing.dot(sky) <= 0 || scene.blocked({point, sky}, lighting.reach)) {
    light.sky *= dimmest;
    light.open = false;
  }
  return light;
}

/// Schlick 1994: reflectance of a smooth dielectric.
float fresnel(float cosine, float at_right_angle) {
  return at_right_angle + (1 - at_right_angle) * std::pow(1 - std::clamp(cosine, 0.0f, 1.0f), 5.0f);
}

/// A diffuse surface under a thin clear coat. The coat mirrors the open sky, dimmed where little
/// light arrives.
Radiance surface_radiance(const Lighting& lighting, const Hit& hit, const Arriving& light,
                          const Vec3f& direction) {
  const float gloss = hit.liquid ? 0.04f : 0.015f, sharpness = hit.liquid ? 40.0f : 24.0f;
  const Vec3f mirrored = direction - 2 * hit.normal.dot(direction) * hit.normal;
  const float coat = (hit.liquid ? 1.0f : 0.45f) * fresnel(-hit.normal.dot(direction), gloss);
  const float sky = 0.4f + 0.6f * std::max(0.0f, mirrored.dot(lighting.up));
  const float glint = std::pow(std::max(0.0f, mirrored.dot(lighting.to_sun)), sharpness);
  Radiance r;
  r.response = exposure * (1 - coat) * hit.colour;
  r.light = light.total();
  r.colour = r.response.cwiseProduct(r.light) + exposure * coat * sky * light.sky +
             (hit.liquid ? 0.10f : 0.04f) * glint * light.sun;
  r.normal = hit.normal;
  r.open = light.open;
  return r;
}

/// Distance to the ground along the ray; infinite if it looks up.
float ground_distance(const Lighting& lighting, const SceneRay& ray) {
  const float height = ray.origin.dot(lighting.up) - lighting.ground_height;
  const float sinking = -ray.direction.dot(lighting.up);
  const float t = height / sinking;
  return lighting.ground && sinking > 0 && t > 0 ? t : std::numeric_limits<float>::infinity();
}

float fade(const Lighting& lighting, const Vec3f& point) {
  const Vec3f d = point - lighting.centre;
  const float away = (d - d.dot(lighting.up) * lighting.up).norm();
  return smoothstep(lighting.fade_start, lighting.fade_end, away);
}

Vec3f lifted(const SceneRay& ray, const Hit& hit) {
  const Vec3f point = ray.origin + hit.t * ray.direction;
  const float rounding = 4e-5f * (0.1f * hit.t + point.cwiseAbs().maxCoeff());
  return point + rounding * hit.facing;
}

/// Mixes the backdrop in, as mist does.
void add_mist(Radiance& r, const Colour& mist, float share) {
  r.colour += share * (mist - r.colour);
  r.response *= 1 - share;
}

/// The ground is the backdrop itself, darkened where bodies keep light away: it has no edge.
Radiance shade_ground(const RayScene& scene, const Lighting& lighting, const SceneRay& ray, float t,
                      const PixelSampler& random, std::uint32_t sample) {
  const Hit hit{.t = t, .normal = lighting.up, .facing = lighting.up};
  const Vec3f point = lifted(ray, hit);
  const Colour mist = backdrop(lighting, ray.direction);
  const float faded = fade(lighting, point);
  if (faded >= 1) return {.colour = mist, .open = true};
  const Arriving light = arriving_light(scene, lighting, point, hit, random, sample);
  Radiance r{.normal = lighting.up, .position = point, .open = light.open};
  r.response = mist.cwiseQuotient(open_light(lighting, lighting.up).total());
  r.light = light.total();
  r.colour = r.response.cwiseProduct(r.light);
  add_mist(r, mist, faded);
  return r;
}

Radiance shade_surface(const RayScene& scene, const Lighting& lighting, const SceneRay& ray,
                       const Hit& hit, const PixelSampler& random, std::uint32_t sample) {
  const Vec3f point = lifted(ray, hit);
  const Arriving light = arriving_light(scene, lighting, point, hit, random, sample);
  Radiance r = surface_radiance(lighting, hit, light, ray.direction);
  r.position = point;
  add_mist(r, backdrop(lighting, ray.direction), fade(lighting, point));
  return r;
}

/// A wall of a tank, evenly lit: a veil over what lies behind it. Outlines are drawn over it.
void veil(Radiance& behind, const Lighting& lighting, const SceneRay& ray, const Hit& hit) {
  const float near = 1 - fade(lighting, ray.origin + hit.t * ray.direction);
  if (hit.line) {
    add_mist(behind, 0.25f * hit.colour, near * line_opacity);
    behind.normal.setZero();
    behind.open = false;
  } else {
    const Arriving light = open_light(lighting, hit.normal);
    add_mist(behind, surface_radiance(lighting, hit, light, ray.direction).colour,
             near * wall_opacity);
  }
}

}  // namespace

Lighting light_stage(const Objects& objects, const Stage& stage, const View& view,
                     const Vec3& origin, bool ground) {
  const bool flat = objects.dimensions == 2;
  const ViewAxes& axes = view.axes();
  const Vec3 up = objects.up.normalized();
  const Vec3 sun = flat
                       ? Vec3(0.5 * up - 0.4 * axes.right + axes.back)
                       : Vec3(up - 0.55 * axes.right + 0.45 * (axes.back - axes.back.dot(up) * up));
  Lighting l{
      .up = up.cast<float>(), .to_sun = sun.normalized().cast<float>(), .sun_x = {}, .sun_y = {}};
  l.sun_x = sun_radius * l.to_sun.unitOrthogonal();
  l.sun_y = l.to_sun.cross(l.sun_x);
  l.soft = !flat;
  l.ground = ground && !flat;
  l.ground_height = static_cast<float>(stage.ground_level - origin.dot(up));
  l.reach = static_cast<float>(0.5 * stage.radius);
  l.centre = (stage.centre - origin).cast<float>();
  l.fade_start = static_cast<float>(1.8 * stage.radius);
  l.fade_end = static_cast<float>(4.5 * stage.radius);
  return l;
}

float first_distance(const RayScene& scene, const Lighting& lighting, const SceneRay& ray) {
  Hit hit;
  const float ground = ground_distance(lighting, ray);
  return scene.meet(ray, hit) ? std::min(hit.t, ground) : ground;
}

Colour diffuse_light(const Lighting& lighting, const Vec3f& normal, const Colour& colour) {
  return exposure * colour.cwiseProduct(open_light(lighting, normal).total());
}

Colour mirrored_light(const RayScene& scene, const Lighting& lighting, const SceneRay& ray) {
  Hit hit;
  if (scene.meet(ray, hit)) return diffuse_light(lighting, hit.normal, hit.colour);
  const float glint = std::pow(std::max(0.0f, ray.direction.dot(lighting.to_sun)), 200.0f);
  return backdrop(lighting, ray.direction) + 4 * glint * sun_light;
}

Radiance through_veil(const RayScene& scene, const Lighting& lighting, const SceneRay& ray,
                      float distance, Radiance seen) {
  if (Hit wall; scene.meet_veil(ray, distance, wall)) veil(seen, lighting, ray, wall);
  return seen;
}

Radiance shade(const RayScene& scene, const Lighting& lighting, const SceneRay& ray,
               const PixelSampler& random, std::uint32_t sample) {
  Hit hit;
  const bool met = scene.meet(ray, hit);
  const float ground = ground_distance(lighting, ray);
  Radiance seen;
  float distance = ground;
  if (met && hit.t < ground) {
    seen = shade_surface(scene, lighting, ray, hit, random, sample);
    distance = hit.t;
  } else if (std::isfinite(ground)) {
    seen = shade_ground(scene, lighting, ray, ground, random, sample);
  } else {
    seen = {.colour = backdrop(lighting, ray.direction), .open = true};
  }
  return through_veil(scene, lighting, ray, distance, seen);
}

}  // namespace hydrolith
