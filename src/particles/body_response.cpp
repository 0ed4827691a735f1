#include "particles/body_response.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

constexpr std::uint32_t no_slot = ~0u;
constexpr int max_newton_steps = 60;
constexpr double stiffest = 1e3;
constexpr double damp = 0.5;  // of the shift; undamped it may go back and forth in leaning stacks

/// Speed of the fastest point of a body with velocities u.
double point_speed(const Vec6& u, double reach) {
  return u.head<3>().norm() + reach * u.tail<3>().norm();
}

/// Row of a unit impulse e on body a and -e on body b, for rows of H.
struct Row {
  Vec6 a, b;
};
Row row(const Vec3& e, const Vec3& arm_a, const Vec3& arm_b) {
  Row j;
  j.a << e, arm_a.cross(e);
  j.b << -e, -arm_b.cross(e);
  return j;
}

void add_square(double k, const Row& j, Mat6& aa, Mat6& ab, Mat6& bb) {
  const Vec6 ka = k * j.a, kb = k * j.b;
  aa.noalias() += ka * j.a.transpose();
  ab.noalias() += ka * j.b.transpose();
  bb.noalias() += kb * j.b.transpose();
}

}  // namespace

void BodyResponse::start(const BodyColumns& bodies, const ContactRows& rows,
                         std::span<const Vec3> guess, double speed_tolerance) {
  bodies_ = &bodies;
  rows_ = &rows;
  tolerance_ = speed_tolerance;
  newton_steps_ = factorisations_ = 0;
  factored_ = false;
  last_error_ = 0;
  const std::size_t n = bodies.size(), rows_count = rows.size();
  u_ = bodies.start;
  for (auto* column : {&gradient_, &direction_, &wrench_, &base_}) column->resize(n);
  gamma_old_.resize(rows_count), gamma_.resize(rows_count), q_.resize(rows_count);
  shift_.assign(rows_count, 0), now_.resize(rows_count), used_.resize(rows_count);
  bool any = false;
  for (std::size_t c = 0; c < rows_count; ++c) {
    const Vec3& g = guess[rows.source[c]];
    const double gn = g.dot(rows.normal[c]);
    gamma_old_[c] = project_on_cone({gn, Vec3(g - gn * rows.normal[c])}, rows.mu[c]).value;
    any = any || gamma_old_[c].n > 0;
    shift_[c] = rows.mu[c] * relative_velocity(rows, c, u_).t.norm();
  }
  kappa_ = any ? 100 : 10;
  slot_.assign(n, no_slot);
  bodies_of_slot_.clear();
  for (std::uint32_t i = 0; i < n; ++i)
    if (bodies.dynamic[i]) {
      slot_[i] = static_cast<std::uint32_t>(bodies_of_slot_.size());
      bodies_of_slot_.push_back(i);
    }
  edges_.clear();
  for (const ContactRows::Pair& p : rows.pairs)
    if (bodies.dynamic[p.lo] && bodies.dynamic[p.hi]) edges_.emplace_back(slot_[p.lo], slot_[p.hi]);
  cholesky_.analyse(static_cast<std::uint32_t>(bodies_of_slot_.size()), edges_);
  packed_.resize(bodies_of_slot_.size());
}

/// g = M (u - u*) - f - J^T gamma(u)
double BodyResponse::evaluate(std::span<const Vec6> f) {
  const ContactRows& r = *rows_;
  sum_impulses(r, pair_sums_, wrench_, [&](std::size_t c) {
    const NormalTangent q = relative_velocity(r, c, u_);
    q_[c] = q;
    const double R = kappa_ * r.mass[c];
    const NormalTangent y{gamma_old_[c].n - R * (q.n + shift_[c]), gamma_old_[c].t - R * q.t};
    const ConeProjection p = project_on_cone(y, r.mu[c]);
    gamma_[c] = p.value;
    now_[c].state = p.state;
    if (p.state == ConeState::slip) {
      const double length = y.t.norm();
      now_[c].across = length > 0 ? r.mu[c] * p.value.n / length : 0;
      now_[c].t = length > 0 ? Vec3(y.t / length) : Vec3::Zero();
    }
    return p.value;
  });
  double worst = 0;
  for (std::size_t i = 0; i < u_.size(); ++i) {
    if (!bodies_->dynamic[i]) continue;
    gradient_[i] = bodies_->mass[i] * (u_[i] - bodies_->start[i]) - f[i] - wrench_[i];
    worst = std::max(worst, point_speed(bodies_->accelerate(i, gradient_[i]), bodies_->reach[i]));
  }
  return worst;
}

double BodyResponse::directional(std::span<const Vec6> d) const {
  double sum = 0;
  for (std::uint32_t i : bodies_of_slot_) sum += gradient_[i].dot(d[i]);
  return sum;
}

bool BodyResponse::factor_is_stale() const {
  if (!factored_) return true;
  for (std::size_t c = 0; c < now_.size(); ++c) {
    const Curvature &a = now_[c], &b = used_[c];
    if (a.state != b.state) return true;
    if (a.state == ConeState::slip &&
        (std::abs(a.across - b.across) > 0.05 * b.across || a.t.dot(b.t) < 0.9988))
      return true;
  }
  return false;
}

/// H = M + J^T D J. A sticking contact has D = R 1; a slipping one
///   D = R (e e^T / (1 + mu^2) + (mu gamma_n / |y_t|) s s^T),  e = (1, mu t),  s = n x t.
void BodyResponse::assemble_and_factor() {
  const ContactRows& r = *rows_;
  pair_blocks_.resize(3 * r.pairs.size());
  parallel_for(
      r.pairs.size(),
      [&](std::size_t p) {
        const ContactRows::Pair& pair = r.pairs[p];
        Mat6 aa[2], ab[2], bb[2];  // [0]: a is lo, [1]: a is hi
        for (int k : {0, 1}) aa[k].setZero(), ab[k].setZero(), bb[k].setZero();
        for (std::size_t c = pair.begin; c < pair.end; ++c) {
          const Curvature& d = now_[c];
          if (d.state == ConeState::open) continue;
          const int k = r.a[c] == pair.lo ? 0 : 1;
          const double R = kappa_ * r.mass[c], mu = r.mu[c];
          const Vec3& n = r.normal[c];
          const Row jn = row(n, r.arm_a[c], r.arm_b[c]);
          if (d.state == ConeState::stick) {
            const Vec3 t = n.unitOrthogonal(), s = n.cross(t);
            add_square(R, jn, aa[k], ab[k], bb[k]);
            add_square(R, row(t, r.grip_a[c], r.grip_b[c]), aa[k], ab[k], bb[k]);
            add_square(R, row(s, r.grip_a[c], r.grip_b[c]), aa[k], ab[k], bb[k]);
          } else {
            const Row jt = row(d.t, r.grip_a[c], r.grip_b[c]);
            const Row je{jn.a + mu * jt.a, jn.b + mu * jt.b};
            add_square(R / (1 + mu * mu), je, aa[k], ab[k], bb[k]);
            add_square(R * d.across, row(n.cross(d.t), r.grip_a[c], r.grip_b[c]), aa[k], ab[k],
                       bb[k]);
          }
        }
        pair_blocks_[3 * p] = aa[0] + bb[1];
        pair_blocks_[3 * p + 1] = bb[0] + aa[1];
        pair_blocks_[3 * p + 2] = ab[0] + ab[1].transpose();
      },
      4);
  diagonal_.resize(bodies_of_slot_.size());
  for (std::size_t k = 0; k < bodies_of_slot_.size(); ++k) {
    const std::uint32_t body = bodies_of_slot_[k];
    diagonal_[k] = bodies_->mass[body];
    for (std::uint32_t e = r.body_first[body]; e < r.body_first[body + 1]; ++e) {
      const std::uint32_t entry = r.body_entries[e];
      diagonal_[k] += pair_blocks_[3 * (entry / 2) + entry % 2];
    }
  }
  off_diagonal_.clear();
  for (std::size_t p = 0; p < r.pairs.size(); ++p)
    if (bodies_->dynamic[r.pairs[p].lo] && bodies_->dynamic[r.pairs[p].hi])
      off_diagonal_.push_back(pair_blocks_[3 * p + 2]);
  cholesky_.factor(diagonal_, off_diagonal_);
  used_ = now_;
  factored_ = true;
  ++factorisations_;
}

void BodyResponse::comply(std::span<Vec6> w) const {
  for (std::size_t k = 0; k < bodies_of_slot_.size(); ++k) packed_[k] = w[bodies_of_slot_[k]];
  cholesky_.solve(packed_);
  for (std::size_t i = 0; i < w.size(); ++i)
    w[i] = slot_[i] == no_slot ? Vec6(Vec6::Zero()) : packed_[slot_[i]];
}

/// The full step unless E rises at its end; then the root of E' along the direction, by regula
/// falsi (Illinois).
void BodyResponse::step_along(std::span<const Vec6> f, double slope) {
  base_ = u_;
  const auto go = [&](double s) {
    for (std::uint32_t i : bodies_of_slot_) u_[i] = base_[i] + s * direction_[i];
  };
  go(1);
  evaluate(f);
  double lo = 0, hi = 1, at_lo = slope, at_hi = directional(direction_);
  if (at_hi <= 0.1 * std::abs(slope)) return;
  for (int k = 0; k < 20; ++k) {
    const double s = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
    go(s);
    evaluate(f);
    const double value = directional(direction_);
    if (std::abs(value) <= 0.1 * std::abs(slope)) return;
    if (value < 0) {
      lo = s, at_lo = value, at_hi *= 0.5;
    } else {
      hi = s, at_hi = value, at_lo *= 0.5;
    }
  }
}

bool BodyResponse::respond(std::span<const Vec6> f) {
  double error = evaluate(f);
  bool slow = false;
  for (int k = 0; k < max_newton_steps; ++k) {
    if (error <= tolerance_) return true;
    if (slow || factor_is_stale()) assemble_and_factor();
    direction_ = gradient_;
    for (Vec6& d : direction_) d = -d;
    comply(direction_);
    const double slope = directional(direction_);
    if (!(slope < 0)) return error <= tolerance_;
    step_along(f, slope);
    double next = 0;
    for (std::uint32_t i : bodies_of_slot_)
      next = std::max(next, point_speed(bodies_->accelerate(i, gradient_[i]), bodies_->reach[i]));
    slow = next > 0.3 * error;
    error = next;
    ++newton_steps_;
  }
  return error <= tolerance_;
}

void BodyResponse::raise_multipliers() {
  double error = 0;
  for (std::size_t c = 0; c < gamma_.size(); ++c) {
    const double R = kappa_ * rows_->mass[c];
    error = std::max({error, std::abs(gamma_[c].n - gamma_old_[c].n) / R,
                      (gamma_[c].t - gamma_old_[c].t).norm() / R});
    gamma_old_[c] = gamma_[c];
    shift_[c] += damp * (rows_->mu[c] * q_[c].t.norm() - shift_[c]);
  }
  if (last_error_ > 0 && error > 0.5 * last_error_ && kappa_ < stiffest) {
    kappa_ *= 10;
    factored_ = false;
  }
  last_error_ = error;
}

void BodyResponse::finish(std::span<const Vec6> f) {
  sum_impulses(*rows_, pair_sums_, wrench_, [&](std::size_t c) { return gamma_[c]; });
  for (std::uint32_t i : bodies_of_slot_)
    u_[i] = bodies_->start[i] + bodies_->accelerate(i, f[i] + wrench_[i]);
}

}  // namespace hydrolith::particles
