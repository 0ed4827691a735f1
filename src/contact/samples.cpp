#include "contact/samples.h"

#include "core/cubic_spline.h"
#include "core/parallel.h"
#include "sampling/point_grid.h"
#include "setup/world.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

void place_body(const World& m, const WorldState& s, std::size_t body, Samples& samples) {
  const std::vector<Vec3>& local = m.samples[m.solids.shape_of[body]].position;
  const Mat3 R = s.bodies.q[body].toRotationMatrix();
  const Vec3& x = s.bodies.x[body];
  const std::size_t first = samples.first[body];
  for (std::size_t k = 0; k < local.size(); ++k) samples.x[first + k] = R * local[k] + x;
}

/// Depth below the body's own surface; half a resolution where the shape has no inside to measure.
double depth(const SolidShape& shape, const Vec3& x, int dimensions) {
  const double most = 0.5 * shape.resolution;
  double depth = most;
  if (dimensions == 2)
    depth = -signed_distance(shape.outline, Vec2(x.head<2>()));
  else if (shape.distance)
    depth = -shape.distance->signed_distance(x);
  return std::clamp(depth, 0.0, most);
}

/// Sum of W over the points of one body at each of them, itself included [1/m^d].
std::vector<double> kernel_sums(const std::vector<Vec3>& x, const CubicSpline& kernel) {
  const PointGrid grid(kernel.support(), x);
  std::vector<double> sums(x.size());
  parallel_for(x.size(), [&](std::size_t i) {
    grid.for_each_near(x[i], kernel.support(), [&](std::uint32_t, double r_sq) {
      sums[i] += kernel.value(std::sqrt(r_sq));
    });
  });
  return sums;
}

}  // namespace

Samples build_samples(const World& m, const WorldState& s) {
  Samples samples;
  samples.first.push_back(0);
  std::vector<std::vector<double>> radius(m.samples.size()), own_sum(m.samples.size());
  for (std::size_t k = 0; k < m.samples.size(); ++k) {
    const std::vector<Vec3>& x = m.samples[k].position;
    radius[k].resize(x.size());
    parallel_for(x.size(), [&](std::size_t i) {
      radius[k][i] = depth(m.solids.shapes[k], x[i], m.scene.dimensions);
    });
    own_sum[k] = kernel_sums(x, CubicSpline{m.scene.spacing, m.scene.dimensions});
  }
  for (std::size_t body = 0; body < s.bodies.size(); ++body) {
    const std::uint32_t shape = m.solids.shape_of[body];
    samples.body.insert(samples.body.end(), m.samples[shape].position.size(),
                        static_cast<std::uint32_t>(body));
    samples.radius.insert(samples.radius.end(), radius[shape].begin(), radius[shape].end());
    samples.own_sum.insert(samples.own_sum.end(), own_sum[shape].begin(), own_sum[shape].end());
    samples.first.push_back(static_cast<std::uint32_t>(samples.body.size()));
  }
  samples.x.resize(samples.body.size());
  for (std::size_t body = 0; body < s.bodies.size(); ++body) place_body(m, s, body, samples);
  return samples;
}

void place_samples(const World& m, const WorldState& s, Samples& samples) {
  parallel_for(
      s.bodies.size(),
      [&](std::size_t body) {
        if (s.bodies.kind[body] != BodyKind::fixed) place_body(m, s, body, samples);
      },
      4);
}

}  // namespace hydrolith
