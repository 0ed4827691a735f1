// Weak and interlinked coupling of a liquid and of bodies with a relaxed Jacobi solver each:
// Gissler et al. 2019, "Interlinked SPH pressure solvers for strong fluid-rigid coupling".
//
// Liquid (IISPH, Ihmsen et al. 2014; the constant-density solve of DFSPH, Bender & Koschier 2017,
// is the same iteration on the same operator). With C the predicted constraint of LiquidSystem,
//   x <- max(0, x - omega C / D)
// Bodies (eq. 8, 10). A row of a contact carries the pressure of one sample against one other body
// in units of impulse; its diagonal b_r is one over the row's mass, s_r is in q_n:
//   gamma_n <- max(0, gamma_n - omega / num_contacts q_n m_n)
// Weak (algorithm 1): C is that of bodies that keep their predicted velocities; then they get the
// liquid's impulses; then contacts are solved.
// Interlinked (algorithm 3): both updates in every iteration, from the velocities
//   u = u* + M^-1 (L x + J^T gamma)
// that both pressures would give the bodies.
// Friction is explicit (section 3.4.2), from the velocities before contacts push; see
// explicit_friction.
//
// Where we depart from the paper
// - a row belongs to one pair of bodies, so that sums of three bodies do not add up;
// - the liquid's diagonal knows the bodies in interlinked coupling (stiffen_diagonal): with the
//   liquid's own, light bodies diverge. The paper does not say what it does.

#include "particles/solve.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

/// Sum and maximum of errors.
struct Errors {
  double sum = 0, max = 0, count = 0;
  Errors operator+(const Errors& o) const {
    return {sum + o.sum, std::max(max, o.max), count + o.count};
  }
  double mean() const { return count > 0 ? sum / count : 0; }
};

class Gissler2019Solve {
 public:
  Gissler2019Solve(const System& system, InterfacePressure& interface, const SolverOptions& options,
                   SolverWorkspace& w, Solution& s)
      : liquid_(system.liquid),
        bodies_(system.bodies),
        rows_(system.rows),
        interface_(interface),
        opt_(options),
        w_(w),
        s_(s) {}

  SolveReport run() {
    start();
    if (opt_.coupling == Coupling::weak)
      run_weak();
    else
      run_interlinked();
    return report_;
  }

 private:
  void start() {
    const std::size_t n = liquid_.size();
    s_.gamma.assign(rows_.size(), {});
    s_.push.assign(bodies_.size(), Vec6::Zero());
    s_.u = bodies_.start;
    w_.g.resize(n), w_.r.resize(n), w_.a.resize(n);
    w_.q.assign(rows_.size(), {});
    w_.wrench.assign(bodies_.size(), Vec6::Zero());
    w_.active_rows.resize(bodies_.size());
    set_diagonal();
    parallel_for(
        n, [&](std::size_t i) { s_.x[i] = w_.diagonal[i] > 0 ? 0.5f * s_.x[i] : 0; }, 4096);
  }

  /// D_i; zero for particles that shall have no pressure. Samples with a pressure of their own push
  /// bodies twice as hard.
  void set_diagonal() {
    const std::vector<float>& own = liquid_.diagonal;
    if (opt_.coupling == Coupling::interlinked)
      stiffen_diagonal(liquid_, bodies_, w_.diagonal);
    else
      w_.diagonal.assign(own.begin(), own.end());
    const float pushes = interface_.any() ? 2 : 1;
    parallel_for(
        own.size(),
        [&](std::size_t i) {
          w_.diagonal[i] = own[i] > 0 ? own[i] + pushes * (w_.diagonal[i] - own[i]) : 0;
        },
        4096);
    interface_.stiffen(liquid_, w_.diagonal);
  }

  void run_weak() {
    if (liquid_.size() > 0) {
      bool done = false;
      for (iterations_ = 0; !done;) {
        evaluate_liquid();
        add_body_motion(liquid_, bodies_.start, w_.g);
        liquid_error_ = relax_liquid();
        done = finished(liquid_error_.mean());
        if (!done) s_.x.swap(w_.r);
      }
      report_.iterations = iterations_;
      report_.converged = converged_;
      push();
    }
    move_bodies();
    explicit_friction();
    if (rows_.size() > 0) {
      bool done = false;
      for (iterations_ = 0; !done;) {
        move_bodies();
        contact_error_ = measure_contacts();
        done = finished(contact_error_.mean());
        if (!done) relax_contacts();
      }
      report_.contact_iterations = iterations_;
      if (liquid_.size() == 0) report_.iterations = iterations_;
      report_.converged = converged_ && (liquid_.size() == 0 || report_.converged);
    } else if (liquid_.size() == 0) {
      report_.converged = true;
    }
    report_errors();
  }

  void run_interlinked() {
    explicit_friction();
    bool done = false;
    for (iterations_ = 0; !done;) {
      evaluate_liquid();
      push();
      move_bodies();
      add_body_motion(liquid_, s_.u, w_.g);
      contact_error_ = measure_contacts();
      liquid_error_ = relax_liquid();
      done = finished(std::max(liquid_error_.mean(), contact_error_.mean()));
      if (done) break;
      s_.x.swap(w_.r);
      relax_contacts();
    }
    report_.iterations = iterations_;
    report_.converged = converged_;
    report_errors();
  }

  bool finished(double error) {
    ++iterations_;
    converged_ = error <= opt_.volume_tolerance;
    return (converged_ && iterations_ >= opt_.min_iterations) || iterations_ >= opt_.max_iterations;
  }

  void report_errors() {
    report_.residual_mean = std::max(liquid_error_.mean(), contact_error_.mean());
    report_.residual_max = std::max(liquid_error_.max, contact_error_.max);
  }

  /// g = A x
  void evaluate_liquid() {
    if (liquid_.size() == 0) return;
    accelerate(liquid_, s_.x, w_.a);
    interface_.accelerate(liquid_, s_.x, w_.a);
    diverge(liquid_, w_.a, s_.x, w_.g);
  }

  /// r = the next x, from C = g + c; returns the compression that the present one leaves.
  Errors relax_liquid() {
    const auto omega = static_cast<float>(opt_.relaxation);
    return ordered_sum(liquid_.size(), Errors{}, [&](std::size_t i) -> Errors {
      const float C = w_.g[i] + liquid_.rest[i], D = w_.diagonal[i], x = s_.x[i];
      w_.r[i] = D > 0 ? std::max(0.0f, x - omega * C / D) : 0;
      const double error = D > 0 ? std::max(0.0f, -C) : 0;
      return {error, error, 1};
    });
  }

  /// Impulses of the liquid on dynamic bodies.
  void push() {
    push_bodies(liquid_, s_.x, s_.push);
    interface_.push_bodies(liquid_, s_.x, s_.push);
  }

  /// u = u* + M^-1 (push + J^T gamma)
  void move_bodies() {
    sum_impulses(rows_, w_.pair_sums, w_.wrench, [&](std::size_t c) { return s_.gamma[c]; });
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      s_.u[i] = bodies_.start[i] + bodies_.accelerate(i, s_.push[i] + w_.wrench[i]);
  }

  /// q_n of all rows, num_contacts of all bodies; returns by how many spacings samples in contact
  /// would come too close.
  Errors measure_contacts() {
    const double speed = liquid_.speed();
    parallel_for(rows_.size(), [&](std::size_t c) { w_.q[c] = relative_velocity(rows_, c, s_.u); });
    std::fill(w_.active_rows.begin(), w_.active_rows.end(), 0.0);
    Errors errors;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      if (w_.q[c].n >= 0 && s_.gamma[c].n <= 0) continue;
      for (const std::uint32_t body : {rows_.a[c], rows_.b[c]})
        if (bodies_.dynamic[body]) w_.active_rows[body] += 1;
      const double error = std::max(0.0, -w_.q[c].n) / speed;
      errors = errors + Errors{error, error, 1};
    }
    return errors;
  }

  double num_contacts(std::size_t c) const {
    return std::max({1.0, w_.active_rows[rows_.a[c]], w_.active_rows[rows_.b[c]]});
  }

  void relax_contacts() {
    parallel_for(rows_.size(), [&](std::size_t c) {
      const double step = opt_.relaxation / num_contacts(c) * rows_.mass[c] * w_.q[c].n;
      s_.gamma[c].n = std::max(0.0, s_.gamma[c].n - step);
    });
  }

  /// Section 3.4.2: of the velocities u before contacts push, the normal one gives an estimate of
  /// the impulse that would stop it, the tangential one the direction of friction and a bound, what
  /// all samples together need to stop it:
  ///   gamma_t = -t min(mu m_n max(0, -q_n), m_t |q_t|) / num_contacts
  /// Nothing holds a body afterwards: what contacts and liquid do to it later in the step is not
  /// opposed, so it creeps at any friction.
  void explicit_friction() {
    measure_contacts();
    parallel_for(rows_.size(), [&](std::size_t c) {
      const NormalTangent& q = w_.q[c];
      const double speed = q.t.norm();
      if (!(speed > 0) || q.n >= 0) return;
      const Vec3 e = along_grain(rows_, c, q.t / speed);
      const double tangent_mass =
          1 / (inverse_effective_mass(bodies_, rows_.a[c], e, rows_.grip_a[c]) +
               inverse_effective_mass(bodies_, rows_.b[c], e, rows_.grip_b[c]));
      const double impulse =
          std::min(rows_.mu[c] * rows_.mass[c] * -q.n, tangent_mass * speed) / num_contacts(c);
      s_.gamma[c].t = -impulse / speed * q.t;
    });
  }

  const LiquidSystem& liquid_;
  const BodyColumns& bodies_;
  const ContactRows& rows_;
  InterfacePressure& interface_;
  const SolverOptions& opt_;
  SolverWorkspace& w_;
  Solution& s_;
  SolveReport report_;
  Errors liquid_error_, contact_error_;
  int iterations_ = 0;
  bool converged_ = false;
};

}  // namespace

SolveReport solve_gissler2019(const System& system, InterfacePressure& interface,
                              const SolverOptions& options, SolverWorkspace& w,
                              Solution& solution) {
  return Gissler2019Solve(system, interface, options, w, solution).run();
}

}  // namespace hydrolith::particles
