#pragma once
// Surfaces of liquids that rays can meet, and look through.

#include "hydrolith/frame.h"

#include "render/ray_scene.h"
#include "render/render.h"

#include <memory>
#include <vector>

namespace hydrolith {

/// One surface of a liquid on the way of a ray.
struct WaterHit {
  float t = 0;           // [m] along the ray
  Vec3f normal;          // unit, smoothed, out of the liquid
  Colour colour;         // of the liquid there
  bool entering = true;  // the ray goes in
};

/// The surfaces of all liquids of a frame.
class WaterMesh {
 public:
  /// Colours as the options want them. Throws Error if the frame lacks velocities to colour by, or
  /// for a colouring by pressure.
  WaterMesh(RTCDevice device, const Objects& objects, const Frame& frame, const Stage& stage,
            const RenderOptions& options, const Vec3& origin);

  bool empty() const { return triangles_.empty(); }
  /// The nearest crossing between `from` and `limit`.
  bool meet(const SceneRay& ray, float from, float limit, WaterHit& hit) const;

 private:
  std::vector<Vec3f> normals_;   // at vertices
  std::vector<Colour> colours_;  // at vertices
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  SceneOwner scene_;
};

}  // namespace hydrolith
