#include "geometry/contour_vertex.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double reach = 0.4;      // [cells] how far a feature may lie outside its cell
constexpr double short_of = 0.02;  // [-] part of the way back from a corner outside

Vec3 mean(const HermiteSamples& samples) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < samples.count; ++i) sum += samples.points[i];
  return sum / samples.count;
}

bool is_sharp(const HermiteSamples& samples) {
  for (int i = 0; i < samples.count; ++i)
    for (int j = 0; j < i; ++j)
      if (samples.normals[i].dot(samples.normals[j]) < 0.9) return true;
  return false;
}

double largest_residual(const HermiteSamples& samples, const Vec3& x) {
  double residual = 0;
  for (int i = 0; i < samples.count; ++i)
    residual = std::max(residual, std::abs(samples.normals[i].dot(x - samples.points[i])));
  return residual;
}

Vec3 mean_normal(const HermiteSamples& samples) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < samples.count; ++i) sum += samples.normals[i];
  return sum.normalized();
}

// Moves x along the unit vector n onto the surface by the secant method.
Vec3 slide(const Sdf& sdf, const Vec3& x, const Vec3& n, double cell) {
  double s = 0, d = sdf(x), slope = 1;
  for (int iteration = 0; iteration < 6 && std::abs(d) > 1e-9 * cell; ++iteration) {
    const double step = std::clamp(-d / slope, -0.5 * cell, 0.5 * cell);
    const double next = sdf(x + (s + step) * n);
    if (std::abs(next) >= std::abs(d)) break;
    slope = std::max((next - d) / step, 0.05);
    s += step;
    d = next;
  }
  return x + s * n;
}

// The margin keeps vertices of neighbouring cells apart, so that no triangle collapses.
Vec3 clamped(const Vec3& x, const Vec3& low, double cell) {
  const Vec3 margin = Vec3::Constant(1e-4 * cell);
  return x.cwiseMax(low + margin).cwiseMin(low + Vec3::Constant(cell) - margin);
}

// Samples again, ten times closer to `centre`.
void zoom_in(const Sdf& sdf, HermiteSamples& samples, const Vec3& centre, double cell) {
  for (int i = 0; i < samples.count; ++i) {
    const Vec3 nearer = centre + 0.1 * (samples.points[i] - centre);
    samples.points[i] = project(sdf, nearer, cell);
    const Vec3 g = gradient(sdf, samples.points[i], 1e-5 * cell);
    if (g.norm() > 1e-6) samples.normals[i] = g.normalized();
  }
}

// The corner or edge that the samples show. Both may pass the cell by a little: without that edges
// would have a nick wherever they clip a cell, and corners be cut off where no crossing shows them
// to the cell they are in. Vertices outside their cell stop just short of the feature, each on its
// own side, so that those of several cells neither coincide nor fall into one line.
Vec3 feature_point(const HermiteSamples& samples, const Vec3& low, double cell) {
  const auto within_reach = [&](const Vec3& x) {
    return (x - clamped(x, low, cell)).norm() < reach * cell;
  };
  const auto kept_back = [&](const Vec3& x) {
    return Vec3(x + short_of * (clamped(x, low, cell) - x));
  };
  const Vec3 corner = solve_qef(samples, 3);
  if (within_reach(corner)) return kept_back(corner);
  const Vec3 edge = solve_qef(samples, 2);
  return within_reach(edge) ? kept_back(edge) : clamped(edge, low, cell);
}

Vec3 place_on_feature(const Sdf& sdf, HermiteSamples samples, const Vec3& low, double cell) {
  Vec3 x = feature_point(samples, low, cell);
  for (int round = 0; round < 3 && largest_residual(samples, x) > 1e-7 * cell; ++round) {
    zoom_in(sdf, samples, x, cell);
    x = feature_point(samples, low, cell);
  }
  const double off = reach * short_of * cell;
  return std::abs(sdf(x)) <= off ? x : clamped(project(sdf, x, cell), low, cell);
}

}  // namespace

Vec3 solve_qef(const HermiteSamples& samples, int rank) {
  const Vec3 centre = mean(samples);
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  for (int i = 0; i < samples.count; ++i) {
    const Vec3& n = samples.normals[i];
    A += n * n.transpose();
    b += n * n.dot(samples.points[i] - centre);
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(A);
  Vec3 x = centre;
  for (int k = 3 - rank; k < 3; ++k) {  // eigenvalues ascend
    const double lambda = eigen.eigenvalues()[k];
    const Vec3 q = eigen.eigenvectors().col(k);
    if (lambda > 0.05 * eigen.eigenvalues()[2]) x += q * (q.dot(b) / lambda);
  }
  return x;
}

Vec3 project(const Sdf& sdf, const Vec3& start, double cell) {
  Vec3 x = start;
  for (int iteration = 0; iteration < 4; ++iteration) {
    const double d = sdf(x);
    if (std::abs(d) < 1e-9 * cell) break;
    const Vec3 g = gradient(sdf, x, 1e-5 * cell);
    if (g.squaredNorm() < 1e-4) break;
    x -= d / g.squaredNorm() * g;
  }
  return x;
}

Vec3 place_vertex(const Sdf& sdf, HermiteSamples samples, const Vec3& low, double cell) {
  if (is_sharp(samples)) {
    const Vec3 x = place_on_feature(sdf, samples, low, cell);
    if (std::abs(sdf(x)) < 0.05 * cell) return x;  // else: no single feature in here
  }
  const Vec3 middle = mean(samples);
  const Vec3 x = clamped(slide(sdf, middle, mean_normal(samples), cell), low, cell);
  if (std::abs(sdf(x)) < 1e-3 * cell) return x;
  const Vec3 y = clamped(project(sdf, middle, cell), low, cell);
  return std::abs(sdf(y)) < std::abs(sdf(x)) ? y : x;
}

}  // namespace hydrolith
