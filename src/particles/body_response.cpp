#include "particles/body_response.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {
constexpr int max_newton_steps = 60;
constexpr int patience = 20;  // raises after which overlaps are left alone
constexpr double softest = 10, stiffest = 1e3, stiffer = 3;  // [-] kappa

/// Speed of the fastest point of a body with velocities u.
double point_speed(const Vec6& u, double reach) {
  return u.head<3>().norm() + reach * u.tail<3>().norm();
}

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

void BodyResponse::start(const BodyColumns& bodies, const ContactRows& rows,
                         std::span<const Vec3> guess, double speed_tolerance) {
  bodies_ = &bodies;
  rows_ = &rows;
  tolerance_ = speed_tolerance;
  const std::size_t n = bodies.size(), count = rows.size(), islands = rows.islands.size();
  u_ = bodies.start;
  for (auto* column : {&gradient_, &direction_, &base_}) column->resize(n);
  pair_sums_.resize(2 * rows.pairs.size());
  pair_blocks_.resize(4 * rows.pairs.size());
  gamma_old_.resize(count), gamma_.resize(count), q_.resize(count), limit_.resize(count);
  yielded_.assign(count, 0), now_.resize(count);
  islands_.assign(islands, {});
  if (factors_.size() < islands)
    factors_.resize(islands), coupled_.resize(islands), scratch_.resize(islands);
  slot_.resize(n);
  parallel_for(
      islands,
      [&](std::size_t k) {
        const ContactRows::Island& island = rows.islands[k];
        for (std::size_t c = rows.row_begin(island); c < rows.row_end(island); ++c) {
          const Vec3& g = guess[rows.source[c]];
          const double gn = g.dot(rows.normal[c]);
          gamma_old_[c] = project_on_cone({gn, Vec3(g - gn * rows.normal[c])}, rows.mu[c]).value;
          limit_[c] = rows.mu[c] * gamma_old_[c].n;
        }
        std::uint32_t slots = 0;
        for (std::uint32_t body : bodies_of(k)) slot_[body] = slots++;
        Scratch& s = scratch_[k];
        s.packed.resize(slots);
        s.edges.clear();
        for (std::uint32_t p = island.pair_begin; p < island.pair_end; ++p) {
          const ContactRows::Pair& pair = rows.pairs[p];
          if (bodies.dynamic[pair.lo] && bodies.dynamic[pair.hi])
            s.edges.emplace_back(slot_[pair.lo], slot_[pair.hi]);
        }
        for (auto* factors : {&factors_, &coupled_}) {
          (*factors)[k].ldu.analyse(slots, s.edges);
          (*factors)[k].valid = false;
        }
      },
      1);
}

std::span<const std::uint32_t> BodyResponse::bodies_of(std::size_t island) const {
  const ContactRows::Island& i = rows_->islands[island];
  return std::span(rows_->island_bodies).subspan(i.body_begin, i.body_end - i.body_begin);
}

/// g = M (u - u*) - f - J^T gamma(u)
void BodyResponse::evaluate(std::size_t k, std::span<const Vec6> f, Limits limits) {
  const ContactRows& r = *rows_;
  const ContactRows::Island& island = r.islands[k];
  const double kappa = islands_[k].kappa;
  sum_impulses(r, island.pair_begin, island.pair_end, pair_sums_, [&](std::size_t c) {
    NormalTangent q = relative_velocity(r, c, u_);
    q.n += yielded_[c];
    q_[c] = q;
    const double R = kappa * r.mass[c];
    const NormalTangent y{gamma_old_[c].n - R * q.n, gamma_old_[c].t - R * q.t};
    Curvature& now = now_[c];
    now.closed = y.n > 0;
    now.slide = 1;
    NormalTangent& gamma = gamma_[c];
    gamma = {std::max(0.0, y.n), y.t};
    if (limits == Limits::live) limit_[c] = r.mu[c] * gamma.n;
    const double length_sq = y.t.squaredNorm();
    if (length_sq > limit_[c] * limit_[c]) {
      const double length = std::sqrt(length_sq);
      now.slide = limit_[c] / length;
      now.t = y.t / length;
      gamma.t *= now.slide;
    }
    return gamma;
  });
  for (std::uint32_t i : bodies_of(k))
    gradient_[i] =
        bodies_->mass[i] * (u_[i] - bodies_->start[i]) - f[i] - pair_total(r, pair_sums_, i);
}

double BodyResponse::error_speed(std::size_t k) const {
  double worst = 0;
  for (std::uint32_t i : bodies_of(k))
    worst = std::max(worst, point_speed(bodies_->accelerate(i, gradient_[i]), bodies_->reach[i]));
  return worst;
}

/// |gradient|^2 in the norm of M^-1 [J]
double BodyResponse::error_sq(std::size_t k) const {
  double sum = 0;
  for (std::uint32_t i : bodies_of(k))
    sum += gradient_[i].dot(bodies_->accelerate(i, gradient_[i]));
  return sum;
}

bool BodyResponse::slips(std::size_t k) const {
  const ContactRows::Island& island = rows_->islands[k];
  for (std::size_t c = rows_->row_begin(island); c < rows_->row_end(island); ++c)
    if (now_[c].closed && now_[c].slide < 1 && rows_->mu[c] > 0) return true;
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
  return false;
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
      if (d.closed && arm == grip) continue;
      add_square(-R, n, grip, S);
    } else {
      if (d.slide > 0) add_square(R * d.slide, n.cross(d.t), grip, S);
      if (d.closed && limits == Limits::live) {
        Vec6 jt, jn;
        jt << d.t, grip.cross(d.t);
        jn << n, arm.cross(n);
        S.noalias() += (R * r.mu[c] * jt) * jn.transpose();
      }
    }
    if (d.closed) add_square(R, n, arm, S);
  }
  held.add_to(S);
  return S;
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
  factor.valid = true;
  ++state.factorisations;
}

void BodyResponse::ensure_factored() {
  parallel_for(
      islands_.size(),
      [&](std::size_t k) {
        if (is_stale(k, factors_[k])) assemble_and_factor(k, Limits::held);
      },
      1);
}

void BodyResponse::solve_island(std::size_t k, const Factor& factor, std::span<Vec6> w) const {
  std::vector<Vec6>& packed = scratch_[k].packed;
  const std::span<const std::uint32_t> members = bodies_of(k);
  for (std::size_t i = 0; i < members.size(); ++i) packed[i] = w[members[i]];
  factor.ldu.solve(packed);
  for (std::size_t i = 0; i < members.size(); ++i) w[members[i]] = packed[i];
}

void BodyResponse::comply(std::span<Vec6> w) const {
  for (std::size_t i = 0; i < w.size(); ++i)
    if (rows_->body_first[i] == rows_->body_first[i + 1] || !bodies_->dynamic[i])
      w[i] = bodies_->accelerate(i, w[i]);
  parallel_for(
      islands_.size(), [&](std::size_t k) { solve_island(k, factors_[k], w); }, 1);
}

double BodyResponse::find_direction(std::size_t k, Limits limits) {
  const Factor& factor = limits == Limits::live ? coupled_[k] : factors_[k];
  if (is_stale(k, factor)) assemble_and_factor(k, limits);
  for (std::uint32_t i : bodies_of(k)) direction_[i] = -gradient_[i];
  solve_island(k, factor, direction_);
  double slope = 0;
  for (std::uint32_t i : bodies_of(k)) slope += gradient_[i].dot(direction_[i]);
  return slope;
}

/// The full step unless E rises at its end; then the root of E' along the direction, by regula
/// falsi (Illinois). Returns whether it was nearly the full step.
bool BodyResponse::step_downhill(std::size_t k, std::span<const Vec6> f, double slope) {
  const std::span<const std::uint32_t> members = bodies_of(k);
  for (std::uint32_t i : members) base_[i] = u_[i];
  const auto slope_at = [&](double s) {
    for (std::uint32_t i : members) u_[i] = base_[i] + s * direction_[i];
    evaluate(k, f, Limits::held);
    double sum = 0;
    for (std::uint32_t i : members) sum += gradient_[i].dot(direction_[i]);
    return sum;
  };
  double lo = 0, hi = 1, at_lo = slope, at_hi = slope_at(1);
  if (at_hi <= 0.1 * std::abs(slope)) return true;
  double s = 1;
  for (int round = 0; round < 20; ++round) {
    s = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
    const double value = slope_at(s);
    if (std::abs(value) <= 0.1 * std::abs(slope)) break;
    if (value < 0) {
      lo = s, at_lo = value, at_hi *= 0.5;
    } else {
      hi = s, at_hi = value, at_lo *= 0.5;
    }
  }
  return s > 0.5;
}

/// A full step with limits that follow; false if that did not take the error down.
bool BodyResponse::step_full(std::size_t k, std::span<const Vec6> f) {
  const std::span<const std::uint32_t> members = bodies_of(k);
  find_direction(k, slips(k) ? Limits::live : Limits::held);
  const double before = error_sq(k);
  for (std::uint32_t i : members) base_[i] = u_[i], u_[i] += direction_[i];
  evaluate(k, f, Limits::live);
  if (error_sq(k) <= 0.7 * before) return true;
  for (std::uint32_t i : members) u_[i] = base_[i];
  evaluate(k, f, Limits::live);
  return false;
}

bool BodyResponse::newton(std::size_t k, std::span<const Vec6> f) {
  Island& state = islands_[k];
  evaluate(k, f, Limits::live);
  bool near = true;
  for (int step = 0; step < max_newton_steps; ++step, ++state.newton_steps) {
    if (error_speed(k) <= goal(k)) return true;
    if (near) {
      near = step_full(k, f);
      continue;
    }
    const double slope = find_direction(k, Limits::held);
    if (!(slope < 0)) return false;
    near = step_downhill(k, f, slope);
    evaluate(k, f, Limits::live);
  }
  return error_speed(k) <= goal(k);
}

/// While multipliers still change much, more than a part of that is not worth Newton's while.
double BodyResponse::goal(std::size_t k) const {
  const ContactRows& r = *rows_;
  const ContactRows::Island& island = r.islands[k];
  double change = 0;
  for (std::size_t c = r.row_begin(island); c < r.row_end(island); ++c)
    change = std::max({change, std::abs(gamma_[c].n - gamma_old_[c].n) / r.mass[c],
                       (gamma_[c].t - gamma_old_[c].t).norm() / r.mass[c]});
  return std::max(tolerance_, 0.1 * change / islands_[k].kappa);
}

bool BodyResponse::respond(std::span<const Vec6> f) {
  for (std::size_t i = 0; i < u_.size(); ++i)
    if (rows_->body_first[i] == rows_->body_first[i + 1])
      u_[i] = bodies_->start[i] + bodies_->accelerate(i, f[i]);
  parallel_for(
      islands_.size(), [&](std::size_t k) { islands_[k].solved = newton(k, f); }, 1);
  return std::all_of(islands_.begin(), islands_.end(), [](const Island& i) { return i.solved; });
}

void BodyResponse::raise(std::size_t k) {
  const ContactRows& r = *rows_;
  const ContactRows::Island& island = r.islands[k];
  const std::size_t begin = r.row_begin(island), end = r.row_end(island);
  const ContactResidual off = contact_residual(r, q_, gamma_, 1, begin, end);
  if (islands_[k].solved && off.mean <= 2 * tolerance_ && off.max <= 20 * tolerance_) return;
  Island& state = islands_[k];
  double error = 0;
  for (std::size_t c = begin; c < end; ++c) {
    const double R = state.kappa * r.mass[c];
    error = std::max({error, std::abs(gamma_[c].n - gamma_old_[c].n) / R,
                      (gamma_[c].t - gamma_old_[c].t).norm() / R});
    gamma_old_[c] = gamma_[c];
  }
  const bool slow = state.last_error > 0 && error > 0.5 * state.last_error;
  if (slow && state.kappa < stiffest) {
    state.kappa *= stiffer;
    factors_[k].valid = coupled_[k].valid = false;
  }
  state.last_error = error;
  if (++state.raises == patience && slow) stop_correcting(k);
}

/// Overlaps that push against each other, as of a body in a gap too narrow for it, cannot be undone
/// and let multipliers grow without end: the island is solved anew with its overlaps left alone.
void BodyResponse::stop_correcting(std::size_t k) {
  const ContactRows& r = *rows_;
  const ContactRows::Island& island = r.islands[k];
  for (std::size_t c = r.row_begin(island); c < r.row_end(island); ++c) {
    yielded_[c] = std::max(0.0, -r.bias[c]);
    gamma_old_[c] = {};
  }
  islands_[k].kappa = softest;
  islands_[k].last_error = 0;
  factors_[k].valid = coupled_[k].valid = false;
}

void BodyResponse::raise_multipliers() {
  parallel_for(
      islands_.size(), [&](std::size_t k) { raise(k); }, 1);
}

void BodyResponse::finish(std::span<const Vec6> f) {
  sum_impulses(*rows_, 0, rows_->pairs.size(), pair_sums_,
               [&](std::size_t c) { return gamma_[c]; });
  for (std::size_t i = 0; i < u_.size(); ++i)
    u_[i] = bodies_->start[i] + bodies_->accelerate(i, f[i] + pair_total(*rows_, pair_sums_, i));
}

int BodyResponse::newton_steps() const {
  int sum = 0;
  for (const Island& i : islands_) sum += i.newton_steps;
  return sum;
}

int BodyResponse::factorisations() const {
  int sum = 0;
  for (const Island& i : islands_) sum += i.factorisations;
  return sum;
}

}  // namespace hydrolith::particles
