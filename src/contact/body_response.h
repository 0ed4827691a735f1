#pragma once
// What bodies in frictional contact do under given impulses: an augmented-Lagrangian Newton method
// in body space (6 unknowns a body), called inside the liquid's iteration.
//
// For multipliers gamma_old, stiffnesses R and limits of friction rho let
//   gamma_n(u) = max(0, gamma_old_n - R q_n),    gamma_t(u) = P_|.|<=rho (gamma_old_t - R q_t),
// q = J u + (bias, 0). Wanted is u with M (u - u*) = f + J^T gamma(u) and rho = mu gamma_n(u): the
// form of Coulomb's law of Alart & Curnier (1991). Raising the multipliers, gamma_old <- gamma,
// then leads to the exact solution of the contact problem whatever R is; R sets only how fast.
//
// Far from the solution the limits are held during a Newton step, which then goes downhill on the
// convex energy E(u) = 1/2 |u - u*|_M^2 - f . u + sum_c |gamma_c|^2 / (2 R_c) with the symmetric
// Hessian H = M + J^T D J, by a line search. Near it the limits are part of the derivative, which
// is no longer symmetric: full steps, quadratic convergence; a step that does not halve the error
// is taken back.
//
// Angular impulses against turning (spin_rows.h) are a third part of gamma, s(u) = P(s_old - R_s
// w), with limits that are held or follow gamma_n likewise.
//
// Bodies that touch each other form islands, which are solved apart: each has its own stiffness,
// line search and factor, and stops when it is done.

#include "contact/contact_rows.h"

#include <span>
#include <vector>

namespace hydrolith {

class BodyResponse {
 public:
  /// Takes over the bodies and rows of a step; multipliers start from `guess` (impulse per row).
  /// `speed_tolerance` [m/s]: Newton stops when no point of a body is off by more.
  void start(const BodyColumns& bodies, const ContactRows& rows, std::span<const Vec3> guess,
             double speed_tolerance);

  /// u for the impulses f on the bodies [N s], [N m s]. False: Newton did not get there.
  bool respond(std::span<const Vec6> f);

  /// Makes sure there is a factor of H for comply.
  void ensure_factored();
  /// w <- H^-1 w with the factors in use.
  void comply(std::span<Vec6> w) const;

  /// gamma_old <- gamma in islands with a contact off by more than Newton's tolerance; stiffens
  /// where the error falls too slowly, softens where Newton failed, and gives up undoing overlaps
  /// that cannot be undone.
  void raise_multipliers();

  /// Error of gamma and u in the exact complementarity, in units of `speed` [m/s].
  ContactResidual residual(double speed) const {
    return contact_residual(*rows_, q_, gamma_, speed, 0, rows_->size(), spin_, u_);
  }

  /// u from the multipliers, u = u* + M^-1 (f + J^T gamma), so that momentum is exact. Where Newton
  /// failed last they are those of the answer before.
  void finish(std::span<const Vec6> f);

  std::span<const Vec6> velocity() const { return u_; }
  std::span<const NormalTangent> multipliers() const { return gamma_; }
  /// Angular impulse per row [N m s]; none if nothing resists turning.
  std::span<const Vec3> spins() const { return spin_; }
  /// Whether an island has used up the Newton steps it may have.
  bool exhausted() const;
  int newton_steps() const;
  int factorisations() const;

 private:
  struct Island {
    double kappa = 10;      // [-] R = kappa * effective mass
    double stiffest = 1e5;  // [-] it may become; less where Newton has failed
    double last_error = 0;  // of the last raise
    bool solved = false;
    int raises = 0, newton_steps = 0, steps_before = 0, factorisations = 0;
  };
  /// How gamma depends on q: dgamma = -R (closed n n^T + (1 - n n^T)) dq when it sticks (slide 1);
  /// in slip the tangent part is only across its direction t, slide = rho / |y_t|, and along t
  /// mu times the normal one where limits follow.
  struct Curvature {
    bool closed = false;
    double slide = 0;
    Vec3 t = Vec3::Zero();
  };
  /// The same of an angular impulse: ds = -R_s by_w dw + by_gamma_n dgamma_n.
  struct SpinCurvature {
    Mat3 by_w = Mat3::Zero();
    Vec3 by_gamma_n = Vec3::Zero();  // [m]
  };
  /// Limits as they are, or following gamma_n.
  enum class Limits { held, live };

  /// A factor of H, and the curvatures it was made with.
  struct Factor {
    BlockLdu ldu;
    std::vector<Curvature> used;
    std::vector<SpinCurvature> used_spin;
    bool valid = false;
  };

  std::span<const std::uint32_t> bodies_of(std::size_t island) const;
  /// Error of the equation of motion at u_.
  void evaluate(std::size_t island, std::span<const Vec6> f, Limits limits);
  void resist_turning(std::size_t island, Limits limits);
  double error_speed(std::size_t island) const;  // [m/s] of M^-1 times it
  double error_sq(std::size_t island) const;     // [J] in the norm of M^-1
  double goal(std::size_t island) const;         // [m/s]
  bool slips(std::size_t island) const;
  bool is_stale(std::size_t island, const Factor& factor) const;
  bool is_spin_stale(std::size_t island, const Factor& factor) const;
  double change(std::size_t row) const;  // [m/s] of the multipliers, over the effective mass
  Mat6 pair_stiffness(const ContactRows::Pair& pair, double kappa, Limits limits) const;
  void add_spin_stiffness(const ContactRows::Pair& pair, double kappa, Limits limits,
                          Mat6& S) const;
  void assemble_and_factor(std::size_t island, Limits limits);
  void solve_island(std::size_t island, const Factor& factor, std::span<Vec6> w) const;
  /// direction_ = -H^-1 gradient_; returns the slope of E along it.
  double find_direction(std::size_t island, Limits limits);
  bool step_full(std::size_t island, std::span<const Vec6> f);
  bool step_downhill(std::size_t island, std::span<const Vec6> f, double slope);
  bool newton(std::size_t island, std::span<const Vec6> f);
  bool solve(std::size_t island, std::span<const Vec6> f);
  void raise(std::size_t island);
  void soften(std::size_t island);
  void keep_multipliers(std::size_t island);
  void stop_correcting(std::size_t island);

  const BodyColumns* bodies_ = nullptr;
  const ContactRows* rows_ = nullptr;
  double tolerance_ = 0;  // [m/s]
  std::vector<Island> islands_;
  std::vector<Factor> factors_, coupled_;  // per island: limits held, limits following
  struct Scratch {
    std::vector<BlockLdu::Edge> edges;
    std::vector<Mat6> diagonal, off_diagonal, transposed;
    std::vector<Vec6> packed;
  };
  mutable std::vector<Scratch> scratch_;  // per island

  std::vector<Vec6> u_, base_, gradient_, direction_, pair_sums_;  // per body, per pair
  std::vector<Vec6> answer_;                                       // the last u Newton got to
  std::vector<Mat6> pair_blocks_;
  std::vector<NormalTangent> gamma_old_, gamma_, q_;  // per row
  std::vector<double> limit_;                         // [N s] rho
  std::vector<double> yielded_;                       // [m/s] of the bias given up
  std::vector<Curvature> now_;                        // at u_
  std::vector<Vec3> spin_old_, spin_;    // [N m s] per row, if anything resists turning
  std::vector<double> held_normal_;      // [N s] gamma_n of their limits
  std::vector<SpinCurvature> spin_now_;  // at u_
  std::vector<std::uint32_t> slot_;      // body -> block row of its island
};

}  // namespace hydrolith
