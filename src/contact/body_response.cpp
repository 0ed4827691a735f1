#include "contact/body_response.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {
constexpr int max_newton_steps = 60;    // in one answer
constexpr int most_newton_steps = 300;  // of an island in a step of the simulation
constexpr int patience = 20;            // raises after which overlaps are left alone
constexpr double softest = 10;          // [-] kappa

/// Speed of the fastest point of a body with velocities u.
double point_speed(const Vec6& u, double reach) {
  return u.head<3>().norm() + reach * u.tail<3>().norm();
}

}  // namespace

void BodyResponse::start(const BodyColumns& bodies, const ContactRows& rows,
                         std::span<const Vec3> guess, double speed_tolerance) {
  bodies_ = &bodies;
  rows_ = &rows;
  tolerance_ = speed_tolerance;
  const std::size_t n = bodies.size(), count = rows.size(), islands = rows.islands.size();
  u_ = answer_ = bodies.start;
  for (auto* column : {&gradient_, &direction_, &base_}) column->resize(n);
  pair_sums_.resize(2 * rows.pairs.size());
  pair_blocks_.resize(4 * rows.pairs.size());
  gamma_old_.resize(count), gamma_.resize(count), q_.resize(count), limit_.resize(count);
  yielded_.assign(count, 0), now_.resize(count);
  spin_old_ = rows.spin.guess;
  const std::size_t spins = spin_old_.size();
  spin_.resize(spins), spin_now_.resize(spins), held_normal_.resize(spins);
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
          const Vec3 gt = against_grain(rows, c, g - gn * rows.normal[c]);
          gamma_old_[c] = project_on_cone({gn, gt}, rows.mu[c]).value;
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
  if (!r.spin.empty()) resist_turning(k, limits);
  for (std::uint32_t i : bodies_of(k))
    gradient_[i] =
        bodies_->mass[i] * (u_[i] - bodies_->start[i]) - f[i] - pair_total(r, pair_sums_, i);
}

/// s(u), added to the sums of the pairs.
void BodyResponse::resist_turning(std::size_t k, Limits limits) {
  const ContactRows& r = *rows_;
  const ContactRows::Island& island = r.islands[k];
  for (std::size_t c = r.row_begin(island); c < r.row_end(island); ++c) {
    if (limits == Limits::live) held_normal_[c] = gamma_[c].n;
    const double R = islands_[k].kappa * r.spin.mass[c];
    const SpinProjection p =
        project_spin(spin_old_[c] - R * relative_spin(u_[r.a[c]], u_[r.b[c]]), r.normal[c],
                     r.spin.torsional[c], r.spin.rolling[c], held_normal_[c]);
    spin_[c] = p.value;
    spin_now_[c].by_w = p.by_y;
    spin_now_[c].by_gamma_n = now_[c].closed ? p.by_gamma_n : Vec3(Vec3::Zero());
  }
  add_spins(r, island.pair_begin, island.pair_end, spin_, pair_sums_);
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
  if (rows_->spin.empty()) return false;
  for (std::size_t c = rows_->row_begin(island); c < rows_->row_end(island); ++c)
    if (!spin_now_[c].by_gamma_n.isZero(0)) return true;
  return false;
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
  for (int round = 0; round < 8; ++round) {
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

/// u, if Newton gets there; else the last one it got to.
bool BodyResponse::solve(std::size_t k, std::span<const Vec6> f) {
  const bool solved = newton(k, f);
  for (std::uint32_t i : bodies_of(k))
    if (solved)
      answer_[i] = u_[i];
    else
      u_[i] = answer_[i];
  if (!solved) evaluate(k, f, Limits::live);
  return solved;
}

bool BodyResponse::newton(std::size_t k, std::span<const Vec6> f) {
  Island& state = islands_[k];
  evaluate(k, f, Limits::live);
  bool near = true;
  for (int step = 0; step < max_newton_steps; ++step, ++state.newton_steps) {
    if (error_speed(k) <= goal(k)) return true;
    if (state.newton_steps >= most_newton_steps) return false;
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
  double most = 0;
  for (std::size_t c = r.row_begin(island); c < r.row_end(island); ++c)
    most = std::max(most, change(c));
  return std::max(tolerance_, 0.1 * most / islands_[k].kappa);
}

double BodyResponse::change(std::size_t c) const {
  const double m = rows_->mass[c];
  const double linear =
      std::max(std::abs(gamma_[c].n - gamma_old_[c].n), (gamma_[c].t - gamma_old_[c].t).norm()) / m;
  if (rows_->spin.empty()) return linear;
  return std::max(linear, (spin_[c] - spin_old_[c]).norm() / std::sqrt(rows_->spin.mass[c] * m));
}

bool BodyResponse::respond(std::span<const Vec6> f) {
  for (std::size_t i = 0; i < u_.size(); ++i)
    if (rows_->body_first[i] == rows_->body_first[i + 1])
      u_[i] = bodies_->start[i] + bodies_->accelerate(i, f[i]);
  parallel_for(
      islands_.size(), [&](std::size_t k) { islands_[k].solved = solve(k, f); }, 1);
  return std::all_of(islands_.begin(), islands_.end(), [](const Island& i) { return i.solved; });
}

/// Newton did not get there: R (u - u_true) of such an answer is no impulse to go on from. The
/// multipliers stay, and a softer island, which is smoother, is solved; it does not become as stiff
/// again.
void BodyResponse::soften(std::size_t k) {
  Island& state = islands_[k];
  state.stiffest = state.kappa = std::max(softest, 0.2 * state.kappa);
  state.last_error = 0;
  state.steps_before = state.newton_steps;
  factors_[k].valid = coupled_[k].valid = false;
}

void BodyResponse::raise(std::size_t k) {
  const ContactRows& r = *rows_;
  const ContactRows::Island& island = r.islands[k];
  const std::size_t begin = r.row_begin(island), end = r.row_end(island);
  const ContactResidual off = contact_residual(r, q_, gamma_, 1, begin, end, spin_, u_);
  Island& state = islands_[k];
  if (!state.solved) return soften(k);
  if (off.mean <= 2 * tolerance_ && off.max <= 20 * tolerance_) return;
  double error = 0;
  for (std::size_t c = begin; c < end; ++c) {
    error = std::max(error, change(c) / state.kappa);
    gamma_old_[c] = gamma_[c];
    if (!r.spin.empty()) spin_old_[c] = spin_[c];
  }
  const bool slow = state.last_error > 0 && error > 0.5 * state.last_error;
  const bool easy = state.newton_steps - state.steps_before <= 8;  // a stiffer one may not be
  state.steps_before = state.newton_steps;
  if (slow && easy && state.kappa < state.stiffest) {
    state.kappa = std::min(state.stiffest, state.kappa * (error > 0.8 * state.last_error ? 10 : 3));
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
    if (!r.spin.empty()) spin_old_[c].setZero();
  }
  islands_[k].kappa = softest;
  islands_[k].last_error = 0;
  factors_[k].valid = coupled_[k].valid = false;
}

/// gamma <- gamma_old, which belong to the last answer.
void BodyResponse::keep_multipliers(std::size_t k) {
  const ContactRows& r = *rows_;
  const ContactRows::Island& island = r.islands[k];
  for (std::size_t c = r.row_begin(island); c < r.row_end(island); ++c) {
    gamma_[c] = gamma_old_[c];
    if (!r.spin.empty()) spin_[c] = spin_old_[c];
  }
}

void BodyResponse::raise_multipliers() {
  parallel_for(
      islands_.size(), [&](std::size_t k) { raise(k); }, 1);
}

void BodyResponse::finish(std::span<const Vec6> f) {
  for (std::size_t k = 0; k < islands_.size(); ++k)
    if (!islands_[k].solved) keep_multipliers(k);
  sum_impulses(*rows_, 0, rows_->pairs.size(), pair_sums_,
               [&](std::size_t c) { return gamma_[c]; });
  if (!rows_->spin.empty()) add_spins(*rows_, 0, rows_->pairs.size(), spin_, pair_sums_);
  for (std::size_t i = 0; i < u_.size(); ++i)
    u_[i] = bodies_->start[i] + bodies_->accelerate(i, f[i] + pair_total(*rows_, pair_sums_, i));
}

bool BodyResponse::exhausted() const {
  return std::any_of(islands_.begin(), islands_.end(),
                     [](const Island& i) { return i.newton_steps >= most_newton_steps; });
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

}  // namespace hydrolith
