#include "particles/interface_pressure.h"

#include "core/parallel.h"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace hydrolith::particles {

namespace {

constexpr std::uint32_t nowhere = UINT32_MAX;

/// [h^2] Particles near a sample that spread less than this in a direction say nothing about the
/// gradient along it.
constexpr double least_spread = 0.01;

/// M^+ d: the part of M's inverse in directions of which M knows something.
Vec3 solve_where_known(const Mat3& M, double least, const Vec3& d) {
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  eigen.computeDirect(M);
  Vec3 out = Vec3::Zero();
  for (int c = 0; c < 3; ++c)
    if (eigen.eigenvalues()[c] > least)
      out +=
          eigen.eigenvectors().col(c).dot(d) / eigen.eigenvalues()[c] * eigen.eigenvectors().col(c);
  return out;
}

}  // namespace

void InterfacePressure::prepare(BoundaryPressure kind, const State& s, const Samples& samples,
                                const Neighbours& near, const Kernel& kernel,
                                const LiquidSystem& system) {
  kind_ = kind;
  wet_.clear();
  if (kind != BoundaryPressure::mirrored && kind != BoundaryPressure::mls) return;
  for (std::size_t i = 0; i < s.particles(); ++i)
    if (!near.samples.of(i).empty()) wet_.push_back(static_cast<std::uint32_t>(i));
  if (kind == BoundaryPressure::mirrored) return mirror(system);
  list_samples(s, samples, near);
  weigh(s, samples, kernel);
}

/// Links hold the sums over samples already, body by body.
void InterfacePressure::mirror(const LiquidSystem& system) {
  gradient_.assign(wet_.size(), Vec3f::Zero());
  for (const auto* links : {&system.wall_links, &system.links}) {
    std::size_t k = 0;
    for (const BodyLink& link : *links) {
      while (wet_[k] != link.particle) ++k;
      gradient_[k] += link.G;
    }
  }
}

/// Who is near whom, seen from the particles and from the samples.
void InterfacePressure::list_samples(const State& s, const Samples& samples,
                                     const Neighbours& near) {
  terms_.clear();
  term_first_.assign(1, 0);
  place_of_.assign(samples.size(), nowhere);
  for (const std::uint32_t i : wet_) {
    for (const Pair& p : near.samples.of(i)) {
      terms_.push_back({Vec3f(p.gx, p.gy, p.gz), p.j, 0});
      place_of_[p.j] = 0;
    }
    term_first_.push_back(static_cast<std::uint32_t>(terms_.size()));
  }
  sample_.clear(), body_.clear(), dynamic_.clear();
  for (std::uint32_t k = 0; k < samples.size(); ++k) {
    if (place_of_[k] == nowhere) continue;
    place_of_[k] = static_cast<std::uint32_t>(sample_.size());
    sample_.push_back(k);
    body_.push_back(samples.body[k]);
    dynamic_.push_back(s.bodies.kind[samples.body[k]] == BodyKind::dynamic);
  }
  first_.assign(sample_.size() + 2, 0);  // first_[p + 1] counts up to the end of place p
  for (Term& t : terms_) {
    t.place = place_of_[t.place];
    ++first_[t.place + 2];
  }
  for (std::size_t p = 2; p < first_.size(); ++p) first_[p] += first_[p - 1];
  sample_terms_.resize(terms_.size());
  for (std::size_t q = 0; q < wet_.size(); ++q)
    for (std::uint32_t t = term_first_[q]; t < term_first_[q + 1]; ++t)
      sample_terms_[first_[terms_[t].place + 1]++] = {wet_[q], t};
  first_.pop_back();
}

// The plane through the pressures of the particles near sample k, by weighted least squares about
// their centre c (Band et al. 2018b), is linear in the pressures:
//   y_k = sum_i w_ki p_i,   w_ki = W_i (1 / sum W + (x_k - c) . M^+ (x_i - c)),
//   W_i = V_i W(x_k - x_i),  c = sum W_i x_i / sum W,  M = sum W_i (x_i - c)(x_i - c)^T.
// Unknowns are x_i ~ V_i^2 p_i, and the sample's volume is h^d.
void InterfacePressure::weigh(const State& s, const Samples& samples, const Kernel& kernel) {
  const double h = kernel.h, volume = kernel.rest_volume();
  lever_.assign(sample_.size(), Vec6::Zero());
  y_.assign(sample_.size(), 0);
  parallel_for(sample_.size(), [&](std::size_t p) {
    const Vec3& x_k = samples.x[sample_[p]];
    const Vec3 r_k = x_k - s.bodies.x[body_[p]];
    const std::span<const SampleTerm> near(sample_terms_.data() + first_[p],
                                           first_[p + 1] - first_[p]);
    const auto weight = [&](std::uint32_t i) {
      return s.volume[i] / volume * kernel.scaled_value((s.x[i] - x_k).norm() / h);
    };
    double sum = 0;
    Vec3 centre = Vec3::Zero();
    for (const SampleTerm& t : near) {
      const double W = weight(t.particle);
      sum += W;
      centre += W * (s.x[t.particle] - x_k);
      const Vec3 g = terms_[t.term].g.cast<double>();
      lever_[p].head<3>() += g;
      lever_[p].tail<3>() += r_k.cross(g);
    }
    if (!(sum > 0)) return;
    centre = x_k + centre / sum;
    Mat3 M = Mat3::Zero();
    for (const SampleTerm& t : near) {
      const Vec3 d = s.x[t.particle] - centre;
      M += weight(t.particle) * d * d.transpose();
    }
    const Vec3 slope = solve_where_known(M, least_spread * h * h * sum, x_k - centre);
    for (const SampleTerm& t : near) {
      const double V = s.volume[t.particle] / volume;
      terms_[t.term].weight = static_cast<float>(
          weight(t.particle) * (1 / sum + slope.dot(s.x[t.particle] - centre)) / (V * V));
    }
  });
}

/// y_k from x; samples never pull.
void InterfacePressure::extrapolate(std::span<const float> x) {
  parallel_for(y_.size(), [&](std::size_t p) {
    float y = 0;
    for (std::uint32_t t = first_[p]; t < first_[p + 1]; ++t)
      y += terms_[sample_terms_[t].term].weight * x[sample_terms_[t].particle];
    y_[p] = std::max(0.0f, y);
  });
}

void InterfacePressure::accelerate(const LiquidSystem& system, std::span<const float> x,
                                   std::span<Float4> a) {
  if (!any()) return;
  if (kind_ == BoundaryPressure::mls) extrapolate(x);
  parallel_for(wet_.size(), [&](std::size_t q) {
    const std::uint32_t i = wet_[q];
    Vec3f sum = Vec3f::Zero();
    if (kind_ == BoundaryPressure::mirrored)
      sum = x[i] * gradient_[q];
    else
      for (std::uint32_t t = term_first_[q]; t < term_first_[q + 1]; ++t)
        sum += y_[terms_[t].place] * terms_[t].g;
    a[i] += Float4(Vec3f(system.lightness[i] * sum));
  });
}

void InterfacePressure::stiffen(const LiquidSystem& system, std::span<float> diagonal) const {
  parallel_for(wet_.size(), [&](std::size_t q) {
    const std::uint32_t i = wet_[q];
    const Float4& g = system.gtot[i];
    Vec3f own = Vec3f::Zero();
    if (kind_ == BoundaryPressure::mirrored)
      own = gradient_[q];
    else
      for (std::uint32_t t = term_first_[q]; t < term_first_[q + 1]; ++t)
        own += std::max(0.0f, terms_[t].weight) * terms_[t].g;
    // Never less than without: a small divisor would overshoot.
    if (diagonal[i] > 0) diagonal[i] += std::max(0.0f, system.lightness[i] * dot(Float4(own), g));
  });
}

void InterfacePressure::push(const LiquidSystem& system, bool dynamic, std::span<Vec6> f) const {
  for (std::size_t p = 0; p < y_.size(); ++p)
    if (static_cast<bool>(dynamic_[p]) == dynamic)
      f[body_[p]] += system.impulse() * y_[p] * lever_[p];
}

void InterfacePressure::push_bodies(const LiquidSystem& system, std::span<const float> x,
                                    std::span<Vec6> f) {
  if (!any()) return;
  if (kind_ == BoundaryPressure::mirrored) {
    scratch_.resize(f.size());
    particles::push_bodies(system, x, scratch_);
    for (std::size_t body = 0; body < f.size(); ++body) f[body] += scratch_[body];
    return;
  }
  extrapolate(x);
  push(system, true, f);
}

void InterfacePressure::push_walls(const LiquidSystem& system, std::span<const float> x,
                                   std::span<Vec6> f) {
  if (!any()) return;
  if (kind_ == BoundaryPressure::mirrored) return particles::push_walls(system, x, f);
  extrapolate(x);
  push(system, false, f);
}

void InterfacePressure::apply(const LiquidSystem& system, std::span<const float> x,
                              std::span<Vec3> v) {
  if (!any()) return;
  if (kind_ == BoundaryPressure::mls) extrapolate(x);
  parallel_for(wet_.size(), [&](std::size_t q) {
    const std::uint32_t i = wet_[q];
    Vec3 sum = Vec3::Zero();
    if (kind_ == BoundaryPressure::mirrored)
      sum = x[i] * gradient_[q].cast<double>();
    else
      for (std::uint32_t t = term_first_[q]; t < term_first_[q + 1]; ++t)
        sum += static_cast<double>(y_[terms_[t].place]) * terms_[t].g.cast<double>();
    v[i] -= system.speed() * system.mass_ratio[i] * sum;
  });
}

}  // namespace hydrolith::particles
