#pragma once
// MPRGP, "modified proportioning with reduced gradient projections": conjugate gradients under
// bounds,
//   minimise f(x) = x.A x / 2 - b.x,   lower <= x <= upper,
// A symmetric and positive semidefinite, b such that f has a minimum.
//
// Dostal & Schoberl 2005, "Minimizing quadratic functions subject to bound constraints with the
// rate of convergence and finite termination". With g = A x - b, F the unknowns not at a bound:
//   phi  = g in F, else 0                  free gradient
//   beta = what of g pulls away from bounds, else 0     chopped gradient
// While phi outweighs beta, conjugate gradients run in the face F; a step beyond a bound is
// projected (expansion), and where beta outweighs phi bounds are let go along beta (proportioning).
// Departures:
// - Expansion by the projected CG step x <- P(x - alpha p), after Kruzik, Horak, Cermak, Pospisil &
//   Pecha 2020, "Active set expansion strategies in MPRGP algorithm": needs no largest eigenvalue.
//   If f does not fall, the step ends at the first bound and a projected gradient step of the tail,
//   scaled by the diagonal, follows.
// - The face is preconditioned by z = P_F M P_F phi.
// - The two gradients are weighed by what they promise f, sum beta_i^2 / A_ii <= Gamma^2 phi.z with
//   Gamma = 1, since pressures and impulses have different units.
// Convergence is measured without the preconditioner: |phi + beta|, 2-norm. Without bounds all this
// is conjugate_gradient, bit for bit.

#include "linalg/linear_map.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

/// Of the unknowns first, first + 1, ...; all before are free.
struct Bounds {
  std::size_t first = 0;
  std::vector<double> lower, upper;  // may be infinite; lower = upper holds an unknown
};

struct MprgpOptions {
  double tolerance = 1e-8;    ///< of |phi + beta| / |b| [-]; for b = 0 / |A x| at the start
  int max_iterations = 1000;  ///< reaching it is reported
};

struct MprgpReport {
  int iterations = 0;      // steps of all three kinds
  int expansions = 0;      // of them: ended by bounds
  int fallbacks = 0;       // of the expansions: the projected step did not lower f
  int proportionings = 0;  // of them: let bounds go
  double residual = 0;     // as in the options
  bool converged = false;
};

/// Keeps its memory from call to call.
struct MprgpWorkspace {
  enum class At : std::uint8_t { neither, lower, upper, held };
  std::vector<double> g, phi, z, p, q, x_before, g_before;
  std::vector<At> at;  // of the tail
};

/// Starts from x, brought between the bounds; f never rises from there. `diagonal_of_tail`: A_ii of
/// the unknowns with bounds; where it is 0 the unknown has no say and stays. M: symmetric, positive
/// definite approximation of A^-1 for all unknowns.
MprgpReport mprgp(const LinearMap& A, const LinearMap& M, std::span<const double> diagonal_of_tail,
                  std::span<const double> b, const Bounds& bounds, const MprgpOptions& options,
                  std::span<double> x, MprgpWorkspace& w);

}  // namespace hydrolith
