// The paper's solvers, to compare with: projected relaxed Jacobi (Probst & Teschner 2023 algorithm
// 3) and its acceleration to a nonsmooth nonlinear conjugate gradient method (NNCG, algorithm 2),
// over all unknowns at once: pressures x of the liquid and impulses gamma of the contacts.
//
//   x       <- max(0, x - omega C / D)                                       eq. 4.1a, 4.4b
//   gamma_n <- max(0, gamma_n - omega / n_R q_n m_n)                         eq. 4.1a, 4.4a
//   gamma_t <- prox(gamma_t + omega / n_R lambda*),  lambda* = prox(-m_t q_t)         eq. 4.8
// where prox takes a tangential impulse to the nearest one of length mu gamma_n, and n_R counts the
// rows at work on a body (eq. 4.5).
//
// Where we depart from the paper
// - m_t is one over half the trace of the tangential inverse mass (a matrix of rank two) instead of
//   a third (eq. 4.6), which over-relaxes by 1.5;
// - a contact is one row of two bodies, so n_R is the larger of their counts; a body that cannot
//   move needs none;
// - the liquid's part that hangs on bodies is stiffened (stiffen_diagonal), without which light
//   bodies diverge;
// - beta is the squared ratio of Fletcher and Reeves, and its norm weighs residuals by the
//   preconditioner, so that all terms are energies [J] and pressures and impulses are not mixed;
// - every iterate is projected, so the last one is too, and the direction is the step that was
//   taken.

#include "particles/solve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

/// Nearest impulse of an admissible pressure, and then of admissible friction (eq. 4.2, 3.17b).
NormalTangent admissible(const NormalTangent& y, double mu) {
  const double n = std::max(0.0, y.n), length = y.t.norm();
  if (length <= mu * n) return {n, y.t};
  return {n, Vec3(mu * n / length * y.t)};
}

class Probst2023Solve {
 public:
  Probst2023Solve(const System& system, const SolverOptions& options, bool accelerated,
                  SolverWorkspace& w, Solution& s)
      : liquid_(system.liquid),
        bodies_(system.bodies),
        rows_(system.rows),
        opt_(options),
        accelerated_(accelerated),
        w_(w),
        s_(s) {}

  SolveReport run() {
    start();
    evaluate();
    while (!finished()) {
      relax_liquid();
      relax_contacts();
      advance(next_beta());
      evaluate();
    }
    return report_;
  }

 private:
  /// A cold start: the errors of a guess push bodies apart, those of a cold start let them sink.
  void start() {
    const std::size_t n = liquid_.size();
    s_.x.assign(n, 0);
    s_.gamma.assign(rows_.size(), {});
    s_.push.assign(bodies_.size(), Vec6::Zero());
    s_.u = bodies_.start;
    for (auto* column : {&w_.g, &w_.r, &w_.d}) column->assign(n, 0);
    for (auto* column : {&w_.q, &w_.row_r, &w_.row_d}) column->assign(rows_.size(), {});
    w_.a.resize(n);
    w_.wrench.resize(bodies_.size());
    w_.active_rows.resize(bodies_.size());
    w_.share.assign(rows_.size(), 1);
    stiffen_diagonal(liquid_, bodies_, w_.diagonal);
    weigh_tangents();
  }

  /// m_t = 1 / (1/2 tr J_t M^-1 J_t^T)
  void weigh_tangents() {
    w_.tangent_mass.resize(rows_.size());
    parallel_for(rows_.size(), [&](std::size_t c) {
      const Vec3 t = rows_.normal[c].unitOrthogonal(), s = rows_.normal[c].cross(t);
      double trace = 0;
      for (const Vec3& e : {along_grain(rows_, c, t), along_grain(rows_, c, s)})
        trace += inverse_effective_mass(bodies_, rows_.a[c], e, rows_.grip_a[c]) +
                 inverse_effective_mass(bodies_, rows_.b[c], e, rows_.grip_b[c]);
      w_.tangent_mass[c] = 2 / trace;
    });
  }

  /// C and q of x and gamma (algorithm 4), with the velocities of the bodies,
  /// u = u* + M^-1 (L x + J^T gamma).
  void evaluate() {
    push_bodies(liquid_, s_.x, s_.push);
    sum_impulses(rows_, w_.pair_sums, w_.wrench, [&](std::size_t c) { return s_.gamma[c]; });
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      s_.u[i] = bodies_.start[i] + bodies_.accelerate(i, s_.push[i] + w_.wrench[i]);
    accelerate(liquid_, s_.x, w_.a);
    diverge(liquid_, w_.a, s_.x, w_.g);
    parallel_for(
        liquid_.size(), [&](std::size_t i) { w_.g[i] += liquid_.rest[i]; }, 4096);
    add_body_motion(liquid_, s_.u, w_.g);
    parallel_for(rows_.size(), [&](std::size_t c) { w_.q[c] = relative_velocity(rows_, c, s_.u); });
    ++report_.iterations;
  }

  bool finished() {
    struct Errors {
      double sum = 0, max = 0;
      Errors operator+(const Errors& o) const { return {sum + o.sum, std::max(max, o.max)}; }
    };
    const std::size_t n = liquid_.size();
    const Errors errors = ordered_sum(n, Errors{}, [&](std::size_t i) -> Errors {
      const double D = w_.diagonal[i];
      const double fb = std::abs(fischer_burmeister(w_.g[i], D * s_.x[i]));
      return {fb, fb};
    });
    const double mean = n > 0 ? errors.sum / static_cast<double>(n) : 0;
    const ContactResidual contact = contact_residual(rows_, w_.q, s_.gamma, liquid_.speed());
    report_.residual_mean = std::max(mean, contact.mean);
    report_.residual_max = std::max(errors.max, contact.max);
    report_.converged = mean <= opt_.tolerance && contacts_converged(contact, opt_.tolerance);
    return (report_.converged && report_.iterations >= opt_.min_iterations) ||
           report_.iterations >= opt_.max_iterations;
  }

  /// r = step of eq. 4.1a with 4.4b; none where nothing answers to x.
  void relax_liquid() {
    const auto omega = static_cast<float>(opt_.relaxation);
    parallel_for(
        liquid_.size(),
        [&](std::size_t i) {
          const float D = w_.diagonal[i], x = s_.x[i];
          w_.r[i] = D > 0 ? std::max(0.0f, x - omega * w_.g[i] / D) - x : 0;
        },
        4096);
  }

  /// n_R of eq. 4.5.
  void count_active_rows() {
    std::fill(w_.active_rows.begin(), w_.active_rows.end(), 0.0);
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      if (w_.q[c].n >= 0 && s_.gamma[c].n <= 0) continue;
      if (bodies_.dynamic[rows_.a[c]]) w_.active_rows[rows_.a[c]] += 1;
      if (bodies_.dynamic[rows_.b[c]]) w_.active_rows[rows_.b[c]] += 1;
    }
  }

  /// r = step of eq. 4.1a with 4.4a, then of eq. 4.8 within the new normal impulse.
  void relax_contacts() {
    count_active_rows();
    parallel_for(rows_.size(), [&](std::size_t c) {
      const NormalTangent &q = w_.q[c], &gamma = s_.gamma[c];
      const double n_R = std::max({1.0, w_.active_rows[rows_.a[c]], w_.active_rows[rows_.b[c]]});
      const double omega = opt_.relaxation / n_R, mu = rows_.mu[c];
      const double n = std::max(0.0, gamma.n - omega * rows_.mass[c] * q.n);
      const Vec3 target = admissible({n, Vec3(-w_.tangent_mass[c] * q.t)}, mu).t;
      const NormalTangent next = admissible({n, Vec3(gamma.t + omega * target)}, mu);
      w_.row_r[c] = {next.n - gamma.n, Vec3(next.t - gamma.t)};
      w_.share[c] = n_R;
    });
  }

  /// |r|^2 in the norm of the preconditioner [J].
  double energy_of_residual() const {
    const double unit = liquid_.impulse() * liquid_.speed();
    const double liquid = ordered_sum(liquid_.size(), 0.0, [&](std::size_t i) {
      const double r = w_.r[i];
      return r * r * w_.diagonal[i];
    });
    const double contact = ordered_sum(rows_.size(), 0.0, [&](std::size_t c) {
      const NormalTangent& r = w_.row_r[c];
      return w_.share[c] * (r.n * r.n / rows_.mass[c] + r.t.squaredNorm() / w_.tangent_mass[c]);
    });
    return unit * liquid + contact;
  }

  /// beta of Fletcher and Reeves; a restart when the residual has grown (algorithm 2, lines 14-16).
  double next_beta() {
    if (!accelerated_) return 0;
    const double energy = energy_of_residual();
    restart_ = !(energy <= last_energy_);
    const double beta = restart_ || energy == 0 ? 0 : energy / last_energy_;
    last_energy_ = energy;
    return beta;
  }

  /// x and gamma move by r + beta d as far as is admissible; that step is the next d, or zero after
  /// a restart (lines 15-19).
  void advance(double beta) {
    const double keep = restart_ ? 0 : 1;
    parallel_for(
        liquid_.size(),
        [&](std::size_t i) {
          const float x = s_.x[i];
          s_.x[i] = std::max(0.0f, x + w_.r[i] + static_cast<float>(beta) * w_.d[i]);
          w_.d[i] = static_cast<float>(keep) * (s_.x[i] - x);
        },
        4096);
    parallel_for(rows_.size(), [&](std::size_t c) {
      const NormalTangent now = s_.gamma[c], &r = w_.row_r[c], &d = w_.row_d[c];
      const NormalTangent next =
          admissible({now.n + r.n + beta * d.n, Vec3(now.t + r.t + beta * d.t)}, rows_.mu[c]);
      s_.gamma[c] = next;
      w_.row_d[c] = {keep * (next.n - now.n), Vec3(keep * (next.t - now.t))};
    });
  }

  const LiquidSystem& liquid_;
  const BodyColumns& bodies_;
  const ContactRows& rows_;
  const SolverOptions& opt_;
  bool accelerated_;
  SolverWorkspace& w_;
  Solution& s_;
  SolveReport report_;
  double last_energy_ = std::numeric_limits<double>::infinity();  // [J] |r|^2 an iteration ago
  bool restart_ = false;
};

}  // namespace

SolveReport solve_probst2023(const System& system, const SolverOptions& options, bool accelerated,
                             SolverWorkspace& w, Solution& solution) {
  return Probst2023Solve(system, options, accelerated, w, solution).run();
}

}  // namespace hydrolith::particles
