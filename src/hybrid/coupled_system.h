#pragma once
// Liquid, bodies and contacts as one system (Takahashi & Batty 2020; 2022 eq. 32 without the
// elastic block, whose place is beside the contacts): unknown are z = (p, s, c),
//   (A_f + K^T M_r^-1 K / alpha) z = b,   K = [F  J^T/dx],   lower <= c <= upper,
//   b_f = (B^T u* - F^T v*) / dt,   b_c = -(J v* + bias) / (dx dt),
// and the bodies' velocities follow from v = v* + dt M_r^-1 K z / alpha. A contact force is
// c dx^(d-1) [N]: c is a pressure like p, and all rows have the same unit. The rigid part is never
// multiplied out: K, M_r^-1 and K^T are applied one after the other.
//
// Normal forces are at least zero. Friction is bounded by mu times the normal force of the solve
// before (a box), so the problem stays a convex quadratic one with bounds for MPRGP; outer solves
// repeat until the bounds agree with the forces. `pyramid`: bounds along two fixed tangents.
// `cone`: before every outer solve the first tangent is turned into the direction of the force, or
// against the motion where it slides, and the second may use what the first leaves of the disc: at
// convergence the exact cone.
//
// Bodies that no liquid touches need none of this: if that holds for all, their contacts are solved
// by the Newton method of contact/body_response.h, which large dry structures need (a card house
// takes it a few steps and MPRGP thousands).

#include "contact/body_response.h"
#include "contact/contact_rows.h"
#include "contact/contact_step.h"
#include "hybrid/fluid_system.h"
#include "linalg/conjugate_gradient.h"
#include "linalg/mprgp.h"
#include "linalg/multigrid.h"
#include "scene/scene.h"

#include <span>
#include <vector>

namespace hydrolith::hybrid {

struct CoupledReport {
  int iterations = 0;   // of MPRGP or conjugate gradients, all solves together
  int solves = 0;       // outer ones
  double residual = 0;  // [-] of the last, relative
  bool converged = true;
};

class CoupledSystem {
 public:
  /// `gravity` [m/s^2] sets what is too small to matter.
  CoupledSystem(const HybridSpec& options, double dx, int dimensions, double gravity);

  /// Solves for z, starting from what it holds for the liquid and from the contacts' own guess, and
  /// writes velocities of bodies and impulses of contacts.
  CoupledReport solve(const FluidSystem& fluid, const BodyColumns& bodies, const Contacts& contacts,
                      const ContactRows& rows, double dt);

  /// A_pp q = rhs, roughly, with the multigrid of the last solve.
  void solve_pressure(const FluidSystem& fluid, std::span<const double> rhs, std::span<double> q);

  std::vector<double> z;                // p, s, c; p and s are the guess before
  std::vector<Vec6> u;                  // [m/s], [rad/s] per body, after
  std::vector<Vec6> push;               // [N s], [N m s] of the liquid on every body
  std::vector<Vec6> pressure, viscous;  // [N], [N m] of the liquid, split
  std::vector<NormalTangent> gamma;     // [N s] per row

 private:
  /// One contact's three rows: a normal and two tangents.
  struct Contact {
    std::uint32_t a, b;
    double mu;
    Vec3 n, t1, t2, arm_a, arm_b, grip_a, grip_b;
  };
  void start(const ContactRows& rows, const Contacts& contacts, double dt);
  void write_rows();
  void load();
  void turn_tangents(bool first);
  void set_bounds();
  double bound_error() const;
  void multiply(std::span<const double> x, std::span<double> y);
  void precondition(std::span<const double> r, std::span<double> out);
  void accelerations(std::span<const double> x);
  CoupledReport solve_unified();
  CoupledReport solve_iterative();
  bool is_dry() const;
  CoupledReport solve_apart(const Contacts& contacts, const ContactRows& rows);
  double solve_staggered(CoupledReport& report);
  MprgpReport solve_once();
  void push_bodies(double dt);
  void finish(const ContactRows& rows, double dt);
  std::size_t contact_rows() const { return contacts_.size() * per_contact_; }

  HybridSpec options_;
  double dx_, alpha_;  // alpha = 1/dx^d
  double weight_;      // [m/s^2]
  int dimensions_;
  std::size_t per_contact_;  // rows: 3, in 2D 2

  const FluidSystem* fluid_ = nullptr;
  const BodyColumns* bodies_ = nullptr;
  double dt_ = 0;            // [s]
  std::vector<Vec6> start_;  // v* of bodies
  std::vector<Contact> contacts_;
  std::vector<Vec6> on_a_, on_b_;  // J^T / dx per row
  std::vector<double> bias_;       // [m/s] per contact
  Multigrid multigrid_;
  BodyResponse response_;
  MprgpWorkspace mprgp_;
  CgWorkspace cg_;
  Bounds bounds_;
  std::vector<double> b_, diagonal_c_, last_;
  std::vector<Vec6> wrench_, acceleration_;  // per body
};

}  // namespace hydrolith::hybrid
