#include "setup/container.h"

#include "core/parallel.h"
#include "geometry/build_mesh.h"

#include <algorithm>

namespace hydrolith {

std::optional<Box3> container_box(const World& w) {
  const Scene& scene = w.scene;
  Box3 box;
  bool closed = false;  // turned inside out: liquid can start nowhere else
  for (std::size_t i = 0; i < w.solids.bodies.size(); ++i) {
    if (w.solids.bodies.kind[i] != BodyKind::fixed) continue;
    const SolidShape& shape = w.solids.shapes[w.solids.shape_of[i]];
    const Pose pose = w.solids.bodies.pose(i);
    for (const Vec3& x : shape.mesh.vertices) box.include(pose.orientation * x + pose.position);
    closed = closed || shape.container;
  }
  if (box.empty()) return std::nullopt;
  box = box.grown(scene.spacing);
  for (int a = 0; a < 3; ++a) {
    if (scene.gravity[a] < 0 || a >= scene.dimensions) box.hi[a] = unlimited;
    if (scene.gravity[a] > 0 || a >= scene.dimensions) box.lo[a] = -unlimited;
  }
  const auto holds = [&](const LiquidSpec& liquid) {
    if (!liquid.shape) return true;
    const Box3 part = bounds(*liquid.shape);
    return box.contains(part.lo) && box.contains(part.hi);
  };
  if (!closed && !std::all_of(scene.liquids.begin(), scene.liquids.end(), holds))
    return std::nullopt;
  for (const EmitterSpec& emitter : scene.emitters)
    if (!box.contains(emitter.at)) return std::nullopt;
  return box;
}

std::int64_t count_outside(const World& w, std::span<const Vec3> x) {
  if (!w.container) return 0;
  return ordered_sum(x.size(), std::int64_t{0}, [&](std::size_t i) {
    return std::int64_t{w.container->contains(x[i]) ? 0 : 1};
  });
}

}  // namespace hydrolith
