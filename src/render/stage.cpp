// The automatic stage: where to look from, where the ground lies, which numbers the colours span.

#include "core/check.h"
#include "render/particles.h"
#include "render/render.h"
#include "render/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hydrolith {

namespace {

/// The value below which the given part of all values lies; reorders `values`.
template <class T>
T quantile(std::vector<T>& values, double part) {
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Bounds of the particles, without those that flew off: no farther than a third of the middle
/// 98 % beyond them.
Box3 particle_bounds(const std::vector<Frame>& frames, double spacing) {
  Box3 box;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<float> x;
    for (const Frame& frame : frames)
      for (const LiquidFrame& liquid : frame.liquids)
        for (const Vec3f& p : liquid.position)
          if (p.allFinite()) x.push_back(p[axis]);
    if (x.empty()) return box;
    const auto [lowest, highest] = std::minmax_element(x.begin(), x.end());
    const double least = *lowest, most = *highest;
    const double lo = quantile(x, 0.01), hi = quantile(x, 0.99), fence = (hi - lo) / 3 + spacing;
    box.lo[axis] = std::max(least, lo - fence) - 0.5 * spacing;
    box.hi[axis] = std::min(most, hi + fence) + 0.5 * spacing;
  }
  return box;
}

Box3 mesh_bounds(const SurfaceMesh& mesh) {
  Box3 box;
  for (const Vec3f& v : mesh.vertices)
    if (v.allFinite()) box.include(v.cast<double>());
  return box;
}

std::array<Vec3, 8> corners(const Box3& box) {
  std::array<Vec3, 8> c;
  for (int i = 0; i < 8; ++i)
    c[i] = {i & 1 ? box.hi.x() : box.lo.x(), i & 2 ? box.hi.y() : box.lo.y(),
            i & 4 ? box.hi.z() : box.lo.z()};
  return c;
}

Box3 intersection(const Box3& a, const Box3& b) {
  return {a.lo.cwiseMax(b.lo), a.hi.cwiseMin(b.hi)};
}

/// Around a mesh with these bounds, in its place; empty for a pose that is not finite.
Box3 placed(const Box3& box, const Pose& pose) {
  Box3 result;
  if (!box.empty() && pose.position.allFinite() && pose.orientation.coeffs().allFinite())
    for (const Vec3& corner : corners(box)) result.include(pose * corner);
  return result;
}

/// Boxes around everything, sorted by how much it counts for the picture.
struct Extents {
  Box3 moving;  // liquids, dynamic and kinematic bodies
  Box3 containers;
  std::vector<Box3> fixed;  // one by one
  Box3 everything;
};

void include_body(Extents& all, const BodyInfo& info, const Box3& box) {
  if (box.empty()) return;
  all.everything.include(box);
  if (info.container)
    all.containers.include(box);
  else if (info.kind == BodyKind::fixed)
    all.fixed.push_back(box);
  else
    all.moving.include(box);
}

Extents extents(const Objects& objects, const std::vector<Frame>& frames) {
  std::vector<Box3> meshes;
  for (const SurfaceMesh& mesh : objects.meshes) meshes.push_back(mesh_bounds(mesh));
  Extents all;
  all.moving = all.everything = particle_bounds(frames, objects.spacing);
  for (const Frame& frame : frames)
    for (std::size_t b = 0; b < std::min(frame.bodies.size(), objects.bodies.size()); ++b) {
      const BodyInfo& info = objects.bodies[b];
      require(info.mesh < meshes.size(), "renderer: body \"{}\" names mesh {} of {}", info.name,
              info.mesh, meshes.size());
      include_body(all, info, placed(meshes[info.mesh], frame.bodies[b].pose));
    }
  return all;
}

/// What the picture should show: all that moves, its container (of a huge one, the part close by),
/// and static bodies that are no larger than the rest (floors and sea beds are not).
Box3 subject(const Extents& all) {
  Box3 box = all.moving.empty() ? all.containers : all.moving;
  if (box.empty()) box = all.everything;
  if (box.empty()) return {Vec3::Constant(-0.5), Vec3::Constant(0.5)};
  const double size = box.size().norm();
  const bool huge = all.containers.size().norm() > 4 * size;
  const Box3 neighbourhood = box.grown(0.5 * size);
  const Box3 container =
      huge ? intersection(all.containers, box.grown(0.1 * size)) : all.containers;
  if (!container.empty()) box.include(container);
  for (const Box3& fixed : all.fixed)
    if (fixed.size().norm() < 1.5 * size && neighbourhood.contains(fixed.centre()))
      box.include(fixed);
  return size > 0 ? box : box.grown(0.5);
}

/// Three quarters from the front and a little from above, facing the longer side; straight at the
/// front for two dimensions.
Camera automatic_camera(const Objects& objects, const Box3& box, double aspect) {
  constexpr double field_of_view = 30;  // [deg]
  const auto c = corners(box);
  const std::vector<Vec3> points(c.begin(), c.end());
  if (objects.dimensions == 2)
    return fit_camera(points, -Vec3::UnitZ(), objects.up, aspect, field_of_view, 0.06, true);
  const Vec3 up = objects.up.normalized();
  auto [right, front] = ground_axes(up);
  const Vec3 size = box.size();
  if (size.dot(front.cwiseAbs()) > 1.5 * size.dot(right.cwiseAbs())) {
    const Vec3 old_right = right;
    right = -front;
    front = old_right;
  }
  const Vec3 from = 0.50 * right + 0.87 * front + 0.42 * up;
  return fit_camera(points, -from, objects.up, aspect, field_of_view, 0.08, false);
}

double lowest_along(const Vec3& up, const Box3& box) {
  if (box.empty()) return 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3& corner : corners(box)) lowest = std::min(lowest, corner.dot(up));
  return lowest;
}

/// The middle 96 % of the values over all frames; from zero if that is not far.
std::array<double, 2> colour_range(const Objects& objects, const std::vector<Frame>& frames,
                                   ColourBy what) {
  std::vector<float> values;
  if (what != ColourBy::body)
    for (const Frame& frame : frames)
      for (std::size_t l = 0; l < frame.liquids.size() && l < objects.liquids.size(); ++l)
        if (!frame.liquids[l].position.empty())
          for (const float v : colour_values(frame.liquids[l], objects.liquids[l].name, what))
            if (std::isfinite(v)) values.push_back(v);
  if (values.empty()) return {0, 1};
  double lo = quantile(values, 0.02);
  const double hi = quantile(values, 0.98);
  if (lo > 0 && lo < 0.25 * hi) lo = 0;
  return {lo, hi > lo ? hi : lo + 1};
}

}  // namespace

Stage set_stage(const Objects& objects, const std::vector<Frame>& frames,
                const RenderOptions& options) {
  require(options.width > 0 && options.height > 0,
          "renderer: the picture must have pixels, got {} x {}", options.width, options.height);
  require(objects.up.allFinite() && objects.up.norm() > 0, "renderer: `up` must be a direction");
  const Extents all = extents(objects, frames);
  const Box3 box = subject(all);
  const auto [lo, hi] = colour_range(objects, frames, options.colour_by);

  Stage stage;
  stage.centre = box.centre();
  stage.radius = 0.5 * box.size().norm();
  stage.camera =
      options.camera ? *options.camera
      : objects.has_camera
          ? objects.camera
          : automatic_camera(objects, box, static_cast<double>(options.width) / options.height);
  stage.ground_level = lowest_along(objects.up.normalized(), all.everything) - 1e-3 * stage.radius;
  stage.range_min = options.range_min.value_or(lo);
  stage.range_max = options.range_max.value_or(hi);
  return stage;
}

}  // namespace hydrolith
