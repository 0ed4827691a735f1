#pragma once
// Pressure, contact and friction of one step as one system, and the solvers for it. All end in the
// same solution; they differ in how fast.

#include "contact/body_response.h"
#include "contact/contact_step.h"
#include "particles/coarse_cells.h"
#include "particles/interface_pressure.h"
#include "particles/liquid_system.h"

#include <span>
#include <vector>

namespace hydrolith::particles {

/// The system of one step.
struct System : ContactSystem {
  LiquidSystem liquid;
  double gravity = 0;  // [m/s^2]
};

struct SolverOptions {
  Coupling coupling = Coupling::monolithic;
  SolverMethod method = SolverMethod::automatic;
  double volume_tolerance = 1e-4;    ///< [-] of weak and interlinked coupling
  double tolerance = 1e-5;           ///< [-] mean Fischer-Burmeister error, and contact error
  double velocity_tolerance = 0.03;  ///< [-] error of the liquid's velocities in units of g dt
  int min_iterations = 1, max_iterations = 500;
  double relaxation = 0.5;  ///< [-] of all but the default solver
};

struct SolveReport {
  int iterations = 0;  // applications of the liquid's operator, or rounds of the bodies
  int contact_iterations = 0;  // of bodies that are solved after the liquid (weak coupling)
  double residual_mean = 0, residual_max = 0;  // [-]
  bool converged = false;
  int newton_steps = 0, factorisations = 0;
};

/// Pressures in the units of LiquidSystem, impulses of contacts, velocities of bodies.
struct Solution {
  std::vector<float> x;              // in: the guess
  std::vector<NormalTangent> gamma;  // [N s] per row
  std::vector<Vec3> spin;            // [N m s] per row; empty if nothing resists turning
  std::vector<Vec6> u;               // per body
  std::vector<Vec6> push;            // [N s], [N m s] impulse of the liquid on every body
};

/// Vectors of the solvers, kept from step to step.
struct SolverWorkspace {
  BodyResponse response;
  CoarseCells coarse;
  std::vector<Float4> a;
  std::vector<float> diagonal, base, g, d, Ad, r, z;
  std::vector<Vec6> f, fd, u;
  std::vector<Vec6> pair_sums, wrench;
  std::vector<NormalTangent> q, row_r, row_d;  // per row: velocity, residual, direction
  std::vector<double> tangent_mass;            // [kg] per row
  std::vector<double> share;                   // [-] per row: n_R
  std::vector<double> active_rows;             // [-] per body
};

/// Contacts are cheap to solve well and a step of gravity is small: their mean error must be this
/// part of the tolerance, their largest the tolerance itself.
constexpr double contact_share = 0.1;
inline bool contacts_converged(const ContactResidual& error, double tolerance) {
  return error.mean <= contact_share * tolerance && error.max <= tolerance;
}

/// A_ii with the bodies' part, as a preconditioner wants it. A light body gives way to many
/// particles at once: its share counts as often as particles touch it (a quarter of them, at
/// least once).
void stiffen_diagonal(const LiquidSystem& liquid, const BodyColumns& bodies,
                      std::vector<float>& diagonal);

/// Fischer-Burmeister error of 0 <= b, a >= 0.
inline double fischer_burmeister(double a, double b) { return a + b - std::sqrt(a * a + b * b); }

/// Active-set conjugate gradients with coarse cells for the liquid; augmented-Lagrangian Newton for
/// the bodies inside every iteration.
SolveReport solve_monolith(const System& system, const SolverOptions& options,
                           std::span<const Vec3> x, std::span<const float> last_pressure,
                           SolverWorkspace& w, Solution& solution);

/// Weak and interlinked coupling (Gissler et al. 2019, algorithms 1 and 3).
SolveReport solve_gissler2019(const System& system, InterfacePressure& interface,
                              const SolverOptions& options, SolverWorkspace& w, Solution& solution);

/// Projected relaxed Jacobi (Probst & Teschner 2023 algorithm 3) and NNCG (algorithm 2).
SolveReport solve_probst2023(const System& system, const SolverOptions& options, bool accelerated,
                             SolverWorkspace& w, Solution& solution);

}  // namespace hydrolith::particles
