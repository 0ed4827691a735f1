// Contact by volumes: Probst & Teschner 2023, "Monolithic friction and contact handling for rigid
// bodies and fluids using SPH", for each pair of bodies R and K.
//
//   V_r^0   = gamma / S_r,  S_r = sum over R's own samples of W            (3.2)
//   V_r^err = 1 - V_r^0 (S_r + sum_k W_rk)                                 (3.1, 3.7)
//   G_r     = sum_k grad W_rk,  k over the samples of K
//
// Normal row (3.10). V_err + dt d/dt V_err >= 0 with
//   d/dt V_err = -V0 sum_k (v_r - v_k) . grad W_rk = -V0 (v_R(x_r) - v_K(x_r)) . G_r,
// since v_k = v_K(x_r) + omega_K x (x_k - x_r) and grad W_rk is parallel to x_k - x_r. Divided by
// dt V0 |G_r| this is gap/dt + n . v(x_r) >= 0 with
//   n = -G_r / |G_r|  (3.20),   gap = V_err / (V0 |G_r|)  [m].
//
// Friction (3.21-3.23), in its symmetric form: the relative velocity is taken where the mirrored
// forces act, at the midpoints m_k = (x_r + x_k) / 2, with the weights V~_r W_rk, V~_r = 1/sum W,
//   v_rel = sum_k V~_r W_rk (v_R(m_k) - v_K(m_k)).
// A rigid velocity is linear in the point, so this is v_R - v_K at sum_k V~_r W_rk m_k: one point.
//
// Departures: the sums run over one other body at a time instead of all of them. Where three bodies
// meet, sums over all would add up and grow the rest gap, which pushes tight masonry apart; for two
// bodies nothing changes. The friction operator is symmetric (as printed, 3.21 takes velocities at
// the particles and weighs them with the neighbours' volumes).

#include "contact/contact_candidates.h"

#include <cmath>
#include <limits>

namespace hydrolith {

namespace {

/// |G| below this times sigma / h^(d+1) gives no direction: K lies evenly around the sample, or
/// only just within its support.
constexpr double no_direction = 1e-6;

struct KernelSums {
  double W = 0;                  // [-] h^d sum of W
  Vec3 G = Vec3::Zero();         // [-] h^(d+1) sum of grad W
  Vec3 midpoint = Vec3::Zero();  // [m] h^d sum of W (x_r + x_k) / 2
};

/// Over the samples of K nearer than 2h, body frame of K.
KernelSums sum_over(const ContactShape& K, const CubicSpline& kernel, const Vec3& x) {
  KernelSums sums;
  K.for_each_near(x, kernel.support(), [&](std::uint32_t k, double r_sq) {
    const Vec3& x_k = K.samples[k];
    const double r = std::sqrt(r_sq), W = kernel.scaled_value(r / kernel.h);
    sums.W += W;
    if (r > 0) sums.G += kernel.scaled_slope(r / kernel.h) / r * (x - x_k);
    sums.midpoint += W * 0.5 * (x + x_k);
  });
  return sums;
}

/// V^0 / h^d: eq. 3.2, or with a gap that does not depend on how much of its own body r sees.
/// S = h^d S_r.
double rest_volume(double S, const ContactOptions& options) {
  return options.uniform_gap ? 1 / (S + 1 - options.gamma) : options.gamma / S;
}

}  // namespace

void measure_volumes(const ContactScene& scene, const ContactPair& pair,
                     std::vector<std::uint32_t>& candidates, std::vector<FoundContact>& found) {
  const ContactShape& K = scene.shape(pair.b);
  const ContactPose& pose = scene.poses[pair.b];
  const CubicSpline& kernel = scene.kernel;
  const double h = kernel.h, h_d = kernel.rest_volume();
  // K's samples lie up to h/2 below its surface.
  const ContactReach reach{kernel.support(), kernel.support() + 0.5 * h};
  find_candidates(scene, pair, reach, candidates);
  for (const std::uint32_t r : candidates) {
    const KernelSums sums = sum_over(K, kernel, pose.to_body(scene.samples.x[r]));
    const double length = sums.G.norm();
    if (!(length > no_direction * kernel.sigma())) continue;
    const double S = h_d * scene.samples.own_sum[r];
    const double V0 = rest_volume(S, scene.options);
    const double V_err = 1 - V0 * (S + sums.W);
    const double gap = h * V_err / (V0 * length);
    if (!(gap <= pair.limit)) continue;
    found.push_back({r, gap, pose.R * (-sums.G / length), scene.samples.x[r],
                     pose.to_world(sums.midpoint / sums.W)});
  }
}

}  // namespace hydrolith
