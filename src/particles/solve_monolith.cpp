// The default solver.
//
// Eliminating the bodies leaves a convex problem in the liquid's unknowns alone,
//   minimise 1/2 x^T A x + c^T x + Phi*(L x),  x >= 0,
// where the gradient of Phi* is what the bodies answer to the liquid's impulses (BodyResponse) and
// its Hessian H^-1. It is solved by projected conjugate gradients: Polak-Ribiere, a tangent
// projection of the direction that leaves room for the step, a Jacobi plus coarse preconditioner.
// With g the gradient and D the diagonal, an unknown x > 0 with g > D x leaves for the bound: it
// goes straight there and is no part of the residual. As part of it, near zero with a large g, it
// could hardly move, yet spoilt conjugacy and the length of the steps for all others.
// Each iteration costs one application of A and one call of the bodies' Newton method, which finds
// nothing to do while no contact changes its state.

#include "particles/solve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

constexpr int most_raises = 60;  // of the multipliers; contacts that need more are left as they are

// The coarse level costs as much as two or three iterations, and a guess that is good needs only a
// few. So it is built when the start is this far from the goal, or after this many directions.
constexpr double far_from_goal = 30;
constexpr int patience = 5;

constexpr double most_negative = 0.1;  // [-] of all errors: pressures below zero that may wait

// On cells the operator hardly sees pressures that alternate from row to row of a lattice. What
// calm steps leave of such errors adds up until it is above the tolerance, and then comes as a
// pulse: 120 Pa in a tank 0.3 m deep. So the first few iterations, which are all that calm liquid
// takes, go on to this part of the tolerance.
constexpr double calm_share = 0.3;
constexpr int calm_iterations = 8;

// Without a guess all errors have the same sign, and add up from the surface down: at the tolerance
// of later steps the force on a body in still water is 1 % off, and a tank starts at 4 mm/s.
constexpr double cold_share = 0.1;  // [-] of both tolerances

enum class Unknown { bound, free, leaving };
Unknown state_of(float x, float g, float D) {
  if (!(D > 0)) return Unknown::bound;
  if (x > 0) return g > D * x ? Unknown::leaving : Unknown::free;
  return g < 0 ? Unknown::free : Unknown::bound;
}

struct Sums {
  double error = 0, largest = 0, rz = 0, old_rz = 0;
  Sums operator+(const Sums& o) const {
    return {error + o.error, std::max(largest, o.largest), rz + o.rz, old_rz + o.old_rz};
  }
};

class MonolithSolve {
 public:
  MonolithSolve(const System& system, const SolverOptions& options, SolverWorkspace& w, Solution& s)
      : sys_(system), opt_(options), w_(w), s_(s), n_(system.liquid.size()) {}

  SolveReport run(std::span<const Vec3> x, std::span<const float> last_pressure) {
    positions_ = x;
    last_pressure_ = last_pressure;
    const bool cold =
        sys_.liquid.cells && n_ > 0 &&
        std::all_of(last_pressure.begin(), last_pressure.end(), [](float p) { return p == 0; });
    if (cold) opt_.tolerance *= cold_share, opt_.velocity_tolerance *= cold_share;
    speed_goal_ = std::max(opt_.velocity_tolerance * sys_.gravity * sys_.liquid.dt,
                           opt_.tolerance * sys_.liquid.h / sys_.liquid.dt);
    start();
    while (!finished()) iterate();
    finish();
    return report_;
  }

 private:
  bool has_bodies() const { return sys_.bodies.size() > 0; }
  bool coupled() const { return has_bodies() && !sys_.liquid.links.empty(); }
  /// The liquid's gradient: A x + c, with the bodies' motion where there are any.
  std::span<const float> gradient() const { return coupled() ? w_.g : w_.base; }

  void start() {
    const double h_dt = sys_.liquid.h / sys_.liquid.dt;
    w_.response.start(sys_.bodies, sys_.rows, sys_.contacts.impulse,
                      0.5 * contact_share * opt_.tolerance * h_dt);
    for (auto* v : {&w_.base, &w_.g, &w_.d, &w_.Ad, &w_.r, &w_.z}) v->resize(n_);
    w_.a.resize(n_);
    w_.f.assign(sys_.bodies.size(), Vec6::Zero());
    w_.fd.assign(sys_.bodies.size(), Vec6::Zero());
    answer();
    if (n_ == 0) return;
    stiffen_diagonal(sys_.liquid, sys_.bodies, w_.diagonal);
    w_.coarse.clear();
    warm_start();
  }

  /// Bodies answer w_.f.
  void answer() {
    newton_ok_ = !has_bodies() || w_.response.respond(w_.f);
    if (coupled()) w_.response.ensure_factored();
  }

  /// Bodies answer w_.f; the liquid's gradient follows.
  void respond() {
    answer();
    if (!coupled()) return;
    parallel_for(
        n_, [&](std::size_t i) { w_.g[i] = w_.base[i]; }, 4096);
    add_body_motion(sys_.liquid, w_.response.velocity(), w_.g);
  }

  /// x = alpha x_last, alpha = clip(-x . g(0) / x . (g(x) - g(0)), 0, 1): the best multiple of the
  /// guess, and never more than it. Both products follow from a = B x, as A = B^T B, and from the
  /// bodies' velocities; so the gradient takes one pass over the pairs, for v* and the guess alike.
  void warm_start() {
    const double pushed = ordered_sum(n_, 0.0, [&](std::size_t i) {
      w_.d[i] = 0;
      if (!(s_.x[i] > 0) || w_.diagonal[i] <= 0) s_.x[i] = 0;
      return s_.x[i];
    });
    double alpha = 0;
    if (pushed > 0) {
      accelerate(sys_.liquid, s_.x, w_.a);
      ++report_.iterations;
      alpha = best_multiple();
    }
    const auto scale = static_cast<float>(alpha);
    parallel_for(
        n_,
        [&](std::size_t i) {
          s_.x[i] *= scale;
          w_.a[i] = scale > 0 ? scale * w_.a[i] : Float4();
        },
        4096);
    constrain(sys_.liquid, w_.a, w_.base);
    for (Vec6& f : w_.f) f *= alpha;
    respond();
  }

  /// alpha of the guess x, with a = B x; the bodies have answered no push yet, and then have that
  /// of the whole guess.
  double best_multiple() {
    const LiquidSystem& l = sys_.liquid;
    struct Products {
      double slope = 0, curvature = 0;
      Products operator+(const Products& o) const {
        return {slope + o.slope, curvature + o.curvature};
      }
    };
    Products p = ordered_sum(n_, Products{}, [&](std::size_t i) -> Products {
      return {static_cast<double>(s_.x[i]) * l.still[i] - weigh(l, i, l.v[i], w_.a[i]),
              weigh(l, i, w_.a[i], w_.a[i])};
    });
    push_bodies(l, s_.x, w_.f);
    if (coupled()) {
      const auto work = [&] {
        double sum = 0;
        for (std::size_t k = 0; k < w_.f.size(); ++k) sum += w_.f[k].dot(w_.response.velocity()[k]);
        return sum / (l.impulse() * l.speed());
      };
      const double before = work();
      answer();
      p.slope += before;
      p.curvature += work() - before;
    }
    return p.curvature > 0 ? std::clamp(-p.slope / p.curvature, 0.0, 1.0) : 0.0;
  }

  /// Free set, residual r = -g on it, preconditioned residual z; errors.
  void precondition() {
    const std::span<const float> gradient = this->gradient();
    const Sums sums = ordered_sum(n_, Sums{}, [&](std::size_t i) -> Sums {
      const float g = gradient[i], x = s_.x[i], D = w_.diagonal[i];
      const float old = w_.r[i];
      const bool is_free = state_of(x, g, D) == Unknown::free;
      const float r = is_free ? -g : 0;
      w_.r[i] = r;
      w_.z[i] = is_free ? r / D : 0;
      const double fb = std::abs(fischer_burmeister(g, static_cast<double>(D) * x));
      return {fb, fb, static_cast<double>(r) * w_.z[i], static_cast<double>(old) * w_.z[i]};
    });
    report_.residual_mean = n_ > 0 ? sums.error / static_cast<double>(n_) : 0;
    report_.residual_max = sums.largest;
    rz_ = sums.rz;
    old_rz_now_ = sums.old_rz;
    if (w_.coarse.size() == 0) return;
    rc_old_.swap(rc_);
    w_.coarse.restrict_to(w_.r, rc_);
    y_ = rc_;
    w_.coarse.solve(y_);
    rz_ += y_.dot(rc_);
    if (rc_old_.size() == rc_.size()) old_rz_now_ += y_.dot(rc_old_);
  }

  bool finished() {
    precondition();
    const double dt = sys_.liquid.dt, h = sys_.liquid.h;
    contact_ = has_bodies() ? w_.response.residual(h / dt) : ContactResidual{};
    const double n = std::max<double>(1, static_cast<double>(n_));
    const double guess = 3 * std::sqrt(std::max(0.0, rz_) / n) * h / dt;
    distance_ = std::max(report_.residual_mean / opt_.tolerance, guess / speed_goal_);
    const double history =
        directions_ >= 4 ? std::sqrt((drops_[0] + drops_[1] + drops_[2] + drops_[3]) / n) * h / dt
                         : std::numeric_limits<double>::infinity();
    const bool calm = sys_.liquid.cells && report_.iterations < calm_iterations;
    const double goal = calm ? calm_share * opt_.tolerance : opt_.tolerance;
    liquid_done_ =
        n_ == 0 || (report_.residual_mean <= goal && std::min(guess, history) <= speed_goal_);
    contacts_done_ = newton_ok_ && contacts_converged(contact_, opt_.tolerance);
    report_.converged = liquid_done_ && contacts_done_;
    const bool enough = report_.iterations >= opt_.min_iterations || (n_ == 0);
    const bool stuck =
        liquid_done_ && !contacts_done_ && (raises_ >= most_raises || w_.response.exhausted());
    return (report_.converged && enough) || stuck || stalled_ ||
           report_.iterations >= opt_.max_iterations;
  }

  void iterate() {
    if (!contacts_done_ && raises_ < most_raises) {
      w_.response.raise_multipliers();
      ++raises_;
      respond();
      if (liquid_done_) {
        ++report_.iterations;
        return;
      }
      precondition();
    }
    if (n_ == 0) {
      ++report_.iterations;
      if (!newton_ok_) respond();
      return;
    }
    if (!coarse_built_ && (distance_ > far_from_goal || directions_ >= patience)) build_coarse();
    descend();
  }

  /// From here on with the coarse level, along a new sequence of directions.
  void build_coarse() {
    w_.coarse.build(sys_.liquid, positions_, last_pressure_, has_bodies() ? &w_.response : nullptr);
    coarse_built_ = true;
    precondition();
    old_rz_ = 0;
  }

  /// d = z + beta d, kept from pushing pressures below zero within a step like the last one;
  /// leaving ones go to zero in such a step. Returns -g . d.
  double next_direction(bool with_coarse) {
    double beta = old_rz_ > 0 ? std::max(0.0, (rz_ - old_rz_now_) / old_rz_) : 0;
    if (!std::isfinite(beta)) beta = 0;
    const auto b = static_cast<float>(beta);
    const auto room = static_cast<float>(alpha_ > 0 ? 1 / alpha_ : 1);
    old_rz_ = rz_;
    const std::span<const float> gradient = this->gradient();
    return ordered_sum(n_, 0.0, [&](std::size_t i) {
      const float x = s_.x[i], g = gradient[i];
      const Unknown state = state_of(x, g, w_.diagonal[i]);
      const float lowest = -std::max(0.0f, x) * room;
      float d = 0;
      if (state == Unknown::leaving) d = lowest;
      if (state == Unknown::free) {
        const float z = with_coarse ? w_.z[i] + w_.coarse.value(i, y_) : w_.z[i];
        d = std::max(lowest, z + b * w_.d[i]);
      }
      w_.d[i] = d;
      return -static_cast<double>(g) * d;
    });
  }

  /// The next direction, and its slope. If it does not lead down: that of the preconditioned
  /// residual; then that of the residual over the diagonal, which does unless nothing is left.
  double downhill() {
    const bool coarse = w_.coarse.size() > 0;
    double slope = next_direction(coarse);
    for (const bool with_coarse : {coarse, false}) {
      if (slope > 0) break;
      old_rz_ = 0, alpha_ = 0;
      slope = next_direction(with_coarse);
    }
    return slope;
  }

  void descend() {
    const double slope = downhill();
    accelerate(sys_.liquid, w_.d, w_.a);
    double dAd = diverge(sys_.liquid, w_.a, w_.d, w_.Ad);
    ++report_.iterations;
    if (coupled()) {
      push_bodies(sys_.liquid, w_.d, w_.fd);
      w_.u = w_.fd;
      w_.response.comply(w_.u);
      for (std::size_t k = 0; k < w_.u.size(); ++k)
        dAd += w_.fd[k].dot(w_.u[k]) / (sys_.liquid.impulse() * sys_.liquid.speed());
    }
    stalled_ = !(slope > 0) || !(dAd > 0);
    if (stalled_) return;
    alpha_ = slope / dAd;
    drops_[static_cast<std::size_t>(directions_++) % 4] = alpha_ * slope;
    if (advance()) return restart();
    for (std::size_t k = 0; k < w_.f.size(); ++k) w_.f[k] += alpha_ * w_.fd[k];
    respond();
  }

  /// x += alpha d, and the gradient with it; returns whether pressures below zero weigh too much.
  bool advance() {
    const auto alpha = static_cast<float>(alpha_);
    const double below = ordered_sum(n_, 0.0, [&](std::size_t i) {
      s_.x[i] += alpha * w_.d[i];
      w_.base[i] += alpha * w_.Ad[i];
      return static_cast<double>(w_.diagonal[i] * std::max(0.0f, -s_.x[i]));
    });
    const double error = std::max(report_.residual_mean, opt_.tolerance);
    return below > most_negative * error * static_cast<double>(n_);
  }

  /// Pressures below zero are set to zero and the gradient computed anew; small ones may wait.
  void restart() {
    parallel_for(
        n_, [&](std::size_t i) { s_.x[i] = std::max(0.0f, s_.x[i]); }, 4096);
    accelerate(sys_.liquid, s_.x, w_.a);
    constrain(sys_.liquid, w_.a, w_.base);
    ++report_.iterations;
    if (has_bodies()) push_bodies(sys_.liquid, s_.x, w_.f);
    respond();
  }

  void finish() {
    parallel_for(
        n_, [&](std::size_t i) { s_.x[i] = std::max(0.0f, s_.x[i]); }, 4096);
    if (has_bodies()) {
      push_bodies(sys_.liquid, s_.x, w_.f);
      w_.response.respond(w_.f);
      w_.response.finish(w_.f);
    }
    s_.u.assign(w_.response.velocity().begin(), w_.response.velocity().end());
    s_.gamma.assign(w_.response.multipliers().begin(), w_.response.multipliers().end());
    s_.push = w_.f;
    report_.residual_mean = std::max(report_.residual_mean, contact_.mean);
    report_.residual_max = std::max(report_.residual_max, contact_.max);
    report_.newton_steps = w_.response.newton_steps();
    report_.factorisations = w_.response.factorisations();
  }

  const System& sys_;
  SolverOptions opt_;
  SolverWorkspace& w_;
  Solution& s_;
  std::size_t n_;
  double speed_goal_ = 0;  // [m/s]
  SolveReport report_;
  ContactResidual contact_;
  std::span<const Vec3> positions_;       // [m]
  std::span<const float> last_pressure_;  // [Pa]
  bool newton_ok_ = true, liquid_done_ = false, contacts_done_ = false, coarse_built_ = false;
  bool stalled_ = false;  // nothing leads down any more: no need to go on to the last iteration
  double distance_ = 0;   // [-] of the errors from their goals
  int raises_ = 0, directions_ = 0;
  double rz_ = 0, old_rz_ = 0, old_rz_now_ = 0, alpha_ = 0;
  std::array<double, 4> drops_{};  // what the last iterations took off the squared error
  Eigen::VectorXd rc_, rc_old_, y_;
};

}  // namespace

SolveReport solve_monolith(const System& system, const SolverOptions& options,
                           std::span<const Vec3> x, std::span<const float> last_pressure,
                           SolverWorkspace& w, Solution& solution) {
  return MonolithSolve(system, options, w, solution).run(x, last_pressure);
}

}  // namespace hydrolith::particles
