#pragma once
// Preconditioned conjugate gradients (Hestenes & Stiefel 1952) for A x = b, A symmetric and
// positive semidefinite, b in its range.

#include "linalg/linear_map.h"

#include <span>
#include <vector>

namespace hydrolith {

struct CgOptions {
  double tolerance = 1e-6;   ///< of |b - A x| / |b|, 2-norm [-]
  int max_iterations = 200;  ///< reaching it is reported
};

struct CgReport {
  int iterations = 0;   // products with A, the first residual's not counted
  double residual = 0;  // |b - A x| / |b|, as the recurrence knows it; 0 for b = 0
  bool converged = false;
};

/// Keeps its memory from call to call.
struct CgWorkspace {
  std::vector<double> r, z, p, q;
};

/// Starts from the x given. M must be symmetric and positive (semi)definite and the same in every
/// call. For b = 0 the answer is x = 0. Stops, not converged, when A or M prove indefinite.
CgReport conjugate_gradient(const LinearMap& A, const LinearMap& M, std::span<const double> b,
                            std::span<double> x, const CgOptions& options, CgWorkspace& w);

}  // namespace hydrolith
