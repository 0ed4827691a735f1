#pragma once
// What bodies in frictional contact do under given impulses: an augmented-Lagrangian Newton method
// in body space (6 unknowns a body), called inside the liquid's iteration.
//
// For multipliers gamma_old and stiffnesses R (normal and tangent alike) it minimises
//   E(u) = 1/2 |u - u*|_M^2 - f . u + sum_c |gamma_c|^2 / (2 R_c),
//   gamma_c(u) = P_K(gamma_old - R (q + (s, 0))),    q = J u + (bias, 0),
// where s is the lagged shift mu |q_t|. E is convex and once differentiable; H = M + J^T D J is its
// generalised Hessian. Raising the multipliers, gamma_old <- gamma, and the shift leads to the
// exact solution of the contact problem whatever R is; R sets only how fast.

#include "particles/contact_rows.h"

#include <span>
#include <vector>

namespace hydrolith::particles {

class BodyResponse {
 public:
  /// Takes over the bodies and rows of a step; multipliers start from `guess` (impulse per row).
  /// `speed_tolerance` [m/s]: Newton stops when no point of a body is off by more.
  void start(const BodyColumns& bodies, const ContactRows& rows, std::span<const Vec3> guess,
             double speed_tolerance);

  /// u for the impulses f on the bodies [N s], [N m s]. False: Newton did not get there.
  bool respond(std::span<const Vec6> f);

  /// Makes sure there is a factor of H for comply.
  void ensure_factored() {
    if (!factored_) assemble_and_factor();
  }
  /// w <- H^-1 w with the factor in use.
  void comply(std::span<Vec6> w) const;

  /// gamma_old <- gamma, s <- mu |q_t|; stiffens when the error falls too slowly.
  void raise_multipliers();

  /// Error of gamma and u in the exact complementarity, in units of `speed` [m/s].
  ContactResidual residual(double speed) const {
    return contact_residual(*rows_, q_, gamma_, speed);
  }

  /// u from the multipliers, u = u* + M^-1 (f + J^T gamma), so that momentum is exact.
  void finish(std::span<const Vec6> f);

  std::span<const Vec6> velocity() const { return u_; }
  std::span<const NormalTangent> multipliers() const { return gamma_; }
  int newton_steps() const { return newton_steps_; }
  int factorisations() const { return factorisations_; }
  double stiffness() const { return kappa_; }

 private:
  /// Gradient of E at u_ and the size of M^-1 times it [m/s].
  double evaluate(std::span<const Vec6> f);
  double directional(std::span<const Vec6> d) const;
  void assemble_and_factor();
  bool factor_is_stale() const;
  void step_along(std::span<const Vec6> f, double slope);

  const BodyColumns* bodies_ = nullptr;
  const ContactRows* rows_ = nullptr;
  double kappa_ = 100;     // [-] R = kappa * effective mass
  double tolerance_ = 0;   // [m/s]
  double last_error_ = 0;  // of the last raise
  int newton_steps_ = 0, factorisations_ = 0;
  bool factored_ = false;

  std::vector<Vec6> u_, base_, gradient_, direction_, wrench_, pair_sums_;
  std::vector<NormalTangent> gamma_old_, gamma_, q_;
  std::vector<double> shift_;  // [m/s] lagged mu |q_t|
  struct Curvature {
    ConeState state = ConeState::open;
    double across = 0;      // mu gamma_n / |y_t| in slip
    Vec3 t = Vec3::Zero();  // direction of slip
  };
  std::vector<Curvature> now_, used_;  // at u_, and in the factor
  std::vector<std::uint32_t> slot_;    // body -> block row
  std::vector<std::uint32_t> bodies_of_slot_;
  std::vector<BlockCholesky::Edge> edges_;
  std::vector<Mat6> diagonal_, off_diagonal_, pair_blocks_;
  BlockCholesky cholesky_;
  mutable std::vector<Vec6> packed_;
};

}  // namespace hydrolith::particles
