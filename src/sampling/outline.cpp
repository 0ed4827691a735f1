// Samples on the outline of a 2D body: the rules of the surface, one dimension lower.

#include "core/check.h"
#include "sampling/inset.h"
#include "sampling/intervals.h"
#include "sampling/point_grid.h"
#include "sampling/surface.h"

#include <cmath>
#include <numbers>

namespace hydrolith {

namespace {

using Loop = std::vector<Vec3>;  // closed, z = 0

/// The loop with extra vertices, so that no segment is longer than `longest` [m].
Loop refined(const std::vector<Vec2>& loop, double longest) {
  Loop result;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec2 a = loop[i], d = loop[(i + 1) % loop.size()] - a;
    const int parts = std::max(1, static_cast<int>(std::ceil(d.norm() / longest)));
    for (int k = 0; k < parts && d.norm() > 0; ++k) {
      const Vec2 x = a + (double(k) / parts) * d;
      result.emplace_back(x.x(), x.y(), 0);
    }
  }
  return result;
}

/// Outward normal of segment i: the solid lies on its left.
Vec3 segment_normal(const Loop& loop, std::size_t i) {
  const Vec3 d = loop[(i + 1) % loop.size()] - loop[i];
  return Vec3(d.y(), -d.x(), 0).normalized();
}

/// The outlines as upright walls, so that the inset of a surface serves here too.
TriangleMesh walls(const std::vector<Loop>& loops, double half_height) {
  TriangleMesh mesh;
  for (const Loop& loop : loops) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    const auto count = static_cast<std::uint32_t>(loop.size());
    for (const Vec3& x : loop)
      for (const double z : {-half_height, half_height})
        mesh.vertices.emplace_back(x.x(), x.y(), z);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t a = first + 2 * i, b = first + 2 * ((i + 1) % count);
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  }
  return mesh;
}

/// Positions in the loop where it turns by more than `angle` [deg].
std::vector<std::size_t> corners_of(const Loop& loop, double angle) {
  std::vector<std::size_t> corners;
  const double least_cos = std::cos(angle * std::numbers::pi / 180);
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const std::size_t before = (i + loop.size() - 1) % loop.size();
    if (segment_normal(loop, before).dot(segment_normal(loop, i)) < least_cos) corners.push_back(i);
  }
  return corners;
}

/// The loop moved inwards.
Loop inset_loop(const Loop& loop, const MeshDistance& surface, const InsetOptions& options) {
  Loop result(loop.size());
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const std::size_t before = (i + loop.size() - 1) % loop.size();
    const std::vector<FacePlane> planes = {{segment_normal(loop, before), 1},
                                           {segment_normal(loop, i), 1}};
    result[i] = loop[i] + inset_displacement(loop[i], planes, surface, options).u;
  }
  return result;
}

/// Corners, then even arc length between them.
void sample_loop(const Loop& loop, const std::vector<std::size_t>& corners, double h,
                 std::vector<Vec3>& candidates) {
  for (const std::size_t i : corners) candidates.push_back(loop[i]);
  const std::size_t pieces = std::max<std::size_t>(1, corners.size());
  for (std::size_t k = 0; k < pieces; ++k) {
    const std::size_t begin = corners.empty() ? 0 : corners[k];
    const std::size_t end = corners.empty() ? 0 : corners[(k + 1) % pieces];
    Loop piece{loop[begin]};
    std::size_t i = begin;
    do {
      i = (i + 1) % loop.size();
      piece.push_back(loop[i]);
    } while (i != end);
    const std::vector<Vec3> inner = divide_evenly(piece, corners.empty(), h);
    candidates.insert(candidates.end(), inner.begin(), inner.end());
  }
}

}  // namespace

SurfaceSamples sample_outline(const Polygons& polygons, const SurfaceSampleOptions& options) {
  const double h = options.spacing;
  require(h > 0, "outline samples need a spacing above zero, got {} m", h);
  std::vector<Loop> loops;
  Box3 box;
  for (const std::vector<Vec2>& polygon : polygons.loops) {
    loops.push_back(refined(polygon, 0.5 * h));
    for (const Vec3& x : loops.back()) box.include(x);
  }
  if (box.empty()) return {};
  if (box.size().maxCoeff() < least_gap * h) return {{box.centre()}, {Vec3::UnitY()}};

  const MeshDistance surface(walls(loops, 10 * (h + options.inset)));
  std::vector<Vec3> candidates;
  for (const Loop& loop : loops)
    sample_loop(inset_loop(loop, surface, {h, options.inset}),
                corners_of(loop, options.feature_angle), h, candidates);

  SurfaceSamples result;
  const double closest = least_gap * h * (1 - 1e-9);
  PointGrid grid(closest, candidates.size());
  for (const Vec3& x : candidates) {
    if (grid.any_within(x, closest)) continue;
    grid.insert(x);
    result.position.push_back(x);
    result.normal.push_back(surface.closest(x)->normal);
  }
  return result;
}

}  // namespace hydrolith
