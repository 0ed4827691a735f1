#include "sampling/surface.h"

#include "core/check.h"
#include "geometry/mesh_distance.h"
#include "sampling/features.h"
#include "sampling/inset.h"
#include "sampling/intervals.h"
#include "sampling/scatter.h"
#include "sampling/topology.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

void sample_corners(const Features& features, const TriangleMesh& mesh, const Topology& topology,
                    SampleSet& samples) {
  for (const std::uint32_t v : features.corners)
    samples.add(mesh.vertices[v], topology.ring(v).front());
}

/// Even arc length from end to end.
void sample_curves(const Features& features, const TriangleMesh& mesh, double h,
                   SampleSet& samples) {
  for (const FeatureCurve& curve : features.curves) {
    std::vector<Vec3> points;
    for (const std::uint32_t v : curve.vertices) points.push_back(mesh.vertices[v]);
    for (const Vec3& x : divide_evenly(points, curve.closed, h)) samples.add(x, curve.triangle);
  }
}

/// A lattice that continues the samples on the sides of the rectangle.
void sample_rectangles(const Features& features, const TriangleMesh& mesh, double h,
                       SampleSet& samples) {
  for (const FlatRectangle& rectangle : features.rectangles) {
    const Vec3 origin = mesh.vertices[rectangle.corners[0]];
    const Vec3 u = mesh.vertices[rectangle.corners[1]] - origin;
    const Vec3 v = mesh.vertices[rectangle.corners[3]] - origin;
    const int m = intervals(u.norm(), h), n = intervals(v.norm(), h);
    for (int i = 1; i < m; ++i)
      for (int j = 1; j < n; ++j)
        samples.add(origin + (double(i) / m) * u + (double(j) / n) * v, rectangle.triangle);
  }
}

/// What is left to scatter on. A part that the inset has collapsed keeps its first area: it still
/// wants samples.
std::vector<double> scatter_weights(const InsetSurface& surface, const Features& features) {
  std::vector<double> weight(surface.outer.triangles.size(), 0);
  for (std::size_t t = 0; t < weight.size(); ++t)
    if (!features.in_rectangle[t])
      weight[t] = std::max(face_area(surface.outer, t), face_area(surface.inner, t));
  return weight;
}

}  // namespace

SurfaceSamples sample_surface(const TriangleMesh& mesh, const SurfaceSampleOptions& options) {
  const double h = options.spacing;
  require(h > 0, "surface samples need a spacing above zero, got {} m", h);
  require(options.inset >= 0, "the inset of surface samples must not be negative, got {} m",
          options.inset);
  if (mesh.empty()) return {};
  if (const Box3 box = bounds(mesh); box.size().maxCoeff() < least_gap * h)
    return {{box.centre()}, {Vec3::UnitY()}};
  const InsetSurface surface = inset_surface(mesh, {h, options.inset});
  const Topology topology(surface.inner);
  const Features features =
      find_features(surface.outer, surface.inner, topology, options.feature_angle, 1e-3 * h);

  // Corners first, then sharp edges, then faces.
  SampleSet samples;
  sample_corners(features, surface.inner, topology, samples);
  sample_curves(features, surface.inner, h, samples);
  sample_rectangles(features, surface.inner, h, samples);
  samples.fixed = samples.size();
  drop_close(samples, least_gap * h * (1 - 1e-9));
  scatter({surface.inner, topology, scatter_weights(surface, features)}, h, samples);
  if (samples.size() == 0) samples.add(surface.inner.corner(0, 0), 0);

  SurfaceSamples result{std::move(samples.position), {}};
  for (const std::uint32_t t : samples.triangle)
    result.normal.push_back(face_normal(surface.outer, t));
  return result;
}

}  // namespace hydrolith
