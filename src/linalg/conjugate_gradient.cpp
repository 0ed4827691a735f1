#include "linalg/conjugate_gradient.h"

#include "core/check.h"
#include "core/parallel.h"

#include <cmath>

namespace hydrolith {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return ordered_sum(a.size(), 0.0, [&](std::size_t i) { return a[i] * b[i]; });
}

}  // namespace

CgReport conjugate_gradient(const LinearMap& A, const LinearMap& M, std::span<const double> b,
                            std::span<double> x, const CgOptions& options, CgWorkspace& w) {
  const std::size_t n = b.size();
  require(x.size() == n, "conjugate_gradient: {} unknowns, but a right-hand side of {}", x.size(),
          n);
  for (auto* v : {&w.r, &w.z, &w.p, &w.q}) v->resize(n);
  const double b_norm = std::sqrt(dot(b, b));
  CgReport report;
  if (b_norm == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    report.converged = true;
    return report;
  }
  A(x, w.q);
  double rr = ordered_sum(n, 0.0, [&](std::size_t i) {
    w.r[i] = b[i] - w.q[i];
    return w.r[i] * w.r[i];
  });
  double rz = 0;
  while (true) {
    report.residual = std::sqrt(rr) / b_norm;
    report.converged = report.residual <= options.tolerance;
    if (report.converged || report.iterations >= options.max_iterations) return report;
    // beta = r.z / (r.z of the step before), p <- z + beta p
    M(w.r, w.z);
    const double rz_new = dot(w.r, w.z);
    if (!(rz_new > 0)) return report;
    const double beta = report.iterations == 0 ? 0 : rz_new / rz;
    rz = rz_new;
    parallel_for(
        n, [&](std::size_t i) { w.p[i] = w.z[i] + (beta == 0 ? 0 : beta * w.p[i]); }, 4096);
    // alpha = r.z / p.A p, x <- x + alpha p, r <- r - alpha A p
    A(w.p, w.q);
    const double pq = dot(w.p, w.q);
    if (!(pq > 0)) return report;
    const double alpha = rz / pq;
    rr = ordered_sum(n, 0.0, [&](std::size_t i) {
      x[i] += alpha * w.p[i];
      w.r[i] -= alpha * w.q[i];
      return w.r[i] * w.r[i];
    });
    ++report.iterations;
  }
}

}  // namespace hydrolith
