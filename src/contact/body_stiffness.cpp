// The Hessian of the bodies' response, and when a factor of it is too old.

#include "contact/body_response.h"

#include <cmath>

namespace hydrolith {

namespace {

Mat3 cross_matrix(const Vec3& r) {
  Mat3 m;
  m << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
  return m;
}

/// k j j^T for a unit impulse e at r, j = (e, r x e).
void add_square(double k, const Vec3& e, const Vec3& r, Mat6& S) {
  Vec6 j;
  j << e, r.cross(e);
  S.noalias() += (k * j) * j.transpose();
}

/// Sums of k J^T J, J = (1, -[r]x), the stiffness of points held in all directions.
struct HeldPoints {
  double k = 0;
  Vec3 kr = Vec3::Zero();
  Mat3 krr = Mat3::Zero();
  void add(double stiffness, const Vec3& r) {
    const Vec3 scaled = stiffness * r;
    k += stiffness;
    kr += scaled;
    krr.noalias() += scaled * r.transpose();
  }
  void add_to(Mat6& S) const {
    const Mat3 R = cross_matrix(kr);
    S.topLeftCorner<3, 3>().diagonal().array() += k;
    S.topRightCorner<3, 3>() -= R;
    S.bottomLeftCorner<3, 3>() += R;
    S.bottomRightCorner<3, 3>() += krr.trace() * Mat3::Identity() - krr;
  }
};

}  // namespace

bool BodyResponse::is_spin_stale(std::size_t k, const Factor& factor) const {
  const std::size_t begin = rows_->row_begin(rows_->islands[k]);
  for (std::size_t c = 0; c < factor.used_spin.size(); ++c) {
    const SpinCurvature &a = spin_now_[begin + c], &b = factor.used_spin[c];
    if ((a.by_w - b.by_w).norm() > 0.05 * b.by_w.norm() ||
        (a.by_gamma_n - b.by_gamma_n).norm() > 0.05 * b.by_gamma_n.norm())
      return true;
  }
  return false;
}

bool BodyResponse::is_stale(std::size_t k, const Factor& factor) const {
  if (!factor.valid) return true;
  const ContactRows::Island& island = rows_->islands[k];
  const std::size_t begin = rows_->row_begin(island);
  for (std::size_t c = begin; c < rows_->row_end(island); ++c) {
    const Curvature &a = now_[c], &b = factor.used[c - begin];
    if (a.closed != b.closed || (a.slide == 1) != (b.slide == 1)) return true;
    if (a.slide < 1 &&
        (std::abs(a.slide - b.slide) > 0.05 * b.slide || (a.slide > 0.01 && a.t.dot(b.t) < 0.9988)))
      return true;
  }
  return is_spin_stale(k, factor);
}

/// J^T D J of a pair, about the centre of `lo`.
Mat6 BodyResponse::pair_stiffness(const ContactRows::Pair& pair, double kappa,
                                  Limits limits) const {
  const ContactRows& r = *rows_;
  Mat6 S = Mat6::Zero();
  HeldPoints held;
  for (std::size_t c = pair.begin; c < pair.end; ++c) {
    const Curvature& d = now_[c];
    if (!d.closed && d.slide == 0) continue;
    const bool a_is_lo = r.a[c] == pair.lo;
    const Vec3& arm = a_is_lo ? r.arm_a[c] : r.arm_b[c];
    const Vec3& grip = a_is_lo ? r.grip_a[c] : r.grip_b[c];
    const Vec3& n = r.normal[c];
    const double R = kappa * r.mass[c];
    if (d.slide == 1) {
      held.add(R, grip);
      if (!r.grain.empty()) {  // G^2 = 1 - (2 - k.k) k k^T
        const Vec3& grain = r.grain[c];
        add_square(R * (grain.squaredNorm() - 2), grain, grip, S);
      }
      if (d.closed && arm == grip) continue;
      add_square(-R, n, grip, S);
    } else {
      if (d.slide > 0) add_square(R * d.slide, along_grain(r, c, n.cross(d.t)), grip, S);
      if (d.closed && limits == Limits::live) {
        Vec6 jt, jn;
        const Vec3 t = along_grain(r, c, d.t);
        jt << t, grip.cross(t);
        jn << n, arm.cross(n);
        S.noalias() += (R * r.mu[c] * jt) * jn.transpose();
      }
    }
    if (d.closed) add_square(R, n, arm, S);
  }
  held.add_to(S);
  if (!r.spin.empty()) add_spin_stiffness(pair, kappa, limits, S);
  return S;
}

void BodyResponse::add_spin_stiffness(const ContactRows::Pair& pair, double kappa, Limits limits,
                                      Mat6& S) const {
  const ContactRows& r = *rows_;
  for (std::size_t c = pair.begin; c < pair.end; ++c) {
    S.bottomRightCorner<3, 3>() += kappa * r.spin.mass[c] * spin_now_[c].by_w;
    if (limits == Limits::held) continue;
    const Vec3& arm = r.a[c] == pair.lo ? r.arm_a[c] : r.arm_b[c];
    Vec6 jn;
    jn << r.normal[c], arm.cross(r.normal[c]);
    S.bottomRows<3>().noalias() += (kappa * r.mass[c] * spin_now_[c].by_gamma_n) * jn.transpose();
  }
}

/// H = M + J^T D J. With S the stiffness of a pair about the centre of lo and d from the centre of
/// hi to that of lo, the velocity at hi's arm is J(r + d) = J(r) T, T = (1, -[d]x; 0, 1).
void BodyResponse::assemble_and_factor(std::size_t k, Limits limits) {
  const ContactRows& r = *rows_;
  const ContactRows::Island& island = r.islands[k];
  Island& state = islands_[k];
  Scratch& s = scratch_[k];
  parallel_for(
      island.pair_end - island.pair_begin,
      [&](std::size_t in_island) {
        const std::size_t p = island.pair_begin + in_island;
        const ContactRows::Pair& pair = r.pairs[p];
        const std::size_t c = pair.begin;
        const Vec3 d = r.a[c] == pair.lo ? r.arm_b[c] - r.arm_a[c] : r.arm_a[c] - r.arm_b[c];
        Mat6 T = Mat6::Identity();
        T.topRightCorner<3, 3>() = -cross_matrix(d);
        const Mat6 S = pair_stiffness(pair, state.kappa, limits);
        pair_blocks_[4 * p] = S;
        pair_blocks_[4 * p + 2].noalias() = -S * T;
        pair_blocks_[4 * p + 3].noalias() = -T.transpose() * S;
        pair_blocks_[4 * p + 1].noalias() = -T.transpose() * pair_blocks_[4 * p + 2];
      },
      8);
  s.diagonal.clear();
  for (std::uint32_t body : bodies_of(k)) {
    s.diagonal.push_back(bodies_->mass[body]);
    for (std::uint32_t e = r.body_first[body]; e < r.body_first[body + 1]; ++e) {
      const std::uint32_t entry = r.body_entries[e];
      s.diagonal.back() += pair_blocks_[4 * (entry / 2) + entry % 2];
    }
  }
  s.off_diagonal.clear(), s.transposed.clear();
  for (std::uint32_t p = island.pair_begin; p < island.pair_end; ++p)
    if (bodies_->dynamic[r.pairs[p].lo] && bodies_->dynamic[r.pairs[p].hi]) {
      s.off_diagonal.push_back(pair_blocks_[4 * p + 2]);
      s.transposed.push_back(pair_blocks_[4 * p + 3]);
    }
  Factor& factor = limits == Limits::live ? coupled_[k] : factors_[k];
  if (limits == Limits::live)
    factor.ldu.factor(s.diagonal, s.off_diagonal, s.transposed);
  else
    factor.ldu.factor(s.diagonal, s.off_diagonal);
  factor.used.assign(now_.begin() + static_cast<std::ptrdiff_t>(r.row_begin(island)),
                     now_.begin() + static_cast<std::ptrdiff_t>(r.row_end(island)));
  factor.used_spin.clear();
  if (!r.spin.empty())
    factor.used_spin.assign(spin_now_.begin() + static_cast<std::ptrdiff_t>(r.row_begin(island)),
                            spin_now_.begin() + static_cast<std::ptrdiff_t>(r.row_end(island)));
  factor.valid = true;
  ++state.factorisations;
}

}  // namespace hydrolith
