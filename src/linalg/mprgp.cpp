#include "linalg/mprgp.h"

#include "core/check.h"
#include "core/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith {

namespace {

constexpr std::size_t grain = 4096;
constexpr double infinite = std::numeric_limits<double>::infinity();
using At = MprgpWorkspace::At;

double dot(std::span<const double> a, std::span<const double> b) {
  return ordered_sum(a.size(), 0.0, [&](std::size_t i) { return a[i] * b[i]; });
}

/// The problem, the point and all that belongs to it.
class Search {
 public:
  Search(const LinearMap& A, const LinearMap& M, std::span<const double> diagonal,
         std::span<const double> b, const Bounds& bounds, std::span<double> x, MprgpWorkspace& w)
      : A_(A), M_(M), diagonal_(diagonal), b_(b), bounds_(bounds), x_(x), w_(w), n_(b.size()) {
    for (auto* v : {&w.g, &w.phi, &w.z, &w.p, &w.q, &w.x_before, &w.g_before}) v->resize(n_);
    w.at.resize(tail());
  }

  MprgpReport run(const MprgpOptions& options);

 private:
  std::size_t tail() const { return bounds_.lower.size(); }
  double clamped(std::size_t k, double value) const {
    return std::clamp(value, bounds_.lower[k], bounds_.upper[k]);
  }
  bool is_free(std::size_t i) const {
    return i < bounds_.first || w_.at[i - bounds_.first] == At::neither;
  }

  void project();
  void find_gradient();
  void split_gradient();
  void precondition();
  double chopped(std::size_t k) const;
  double room_along_p() const;
  bool step_in_face();
  void step_by_cg(double alpha);
  bool expand(double alpha, double room);
  void go_to_first_bound(double room);
  void project_gradient_of_tail();
  bool let_bounds_go();

  const LinearMap &A_, &M_;
  std::span<const double> diagonal_, b_;
  const Bounds& bounds_;
  std::span<double> x_;
  MprgpWorkspace& w_;
  std::size_t n_;

  double phi_sq_ = 0, beta_sq_ = 0;  // |phi|^2, |beta|^2
  double beta_promise_ = 0;          // sum beta_i^2 / A_ii
  double phi_z_ = 0;                 // phi.z
  double phi_z_before_ = 0;          // of the last CG step; 0: start anew
  MprgpReport report_;
};

void Search::project() {
  for (std::size_t k = 0; k < tail(); ++k) {
    double& x = x_[bounds_.first + k];
    x = clamped(k, x);
  }
}

/// g = A x - b
void Search::find_gradient() {
  A_(x_, w_.g);
  parallel_for(
      n_, [&](std::size_t i) { w_.g[i] -= b_[i]; }, grain);
}

/// beta of the unknown k of the tail
double Search::chopped(std::size_t k) const {
  const double g = w_.g[bounds_.first + k];
  if (w_.at[k] == At::lower) return std::min(g, 0.0);
  if (w_.at[k] == At::upper) return std::max(g, 0.0);
  return 0;
}

/// The face of x, phi, and the sizes of phi and beta.
void Search::split_gradient() {
  beta_sq_ = beta_promise_ = 0;
  for (std::size_t k = 0; k < tail(); ++k) {
    const double x = x_[bounds_.first + k], lower = bounds_.lower[k], upper = bounds_.upper[k];
    w_.at[k] = lower == upper || !(diagonal_[k] > 0) ? At::held
               : x <= lower                          ? At::lower
               : x >= upper                          ? At::upper
                                                     : At::neither;
    const double beta = chopped(k);
    beta_sq_ += beta * beta;
    if (beta != 0) beta_promise_ += beta * beta / diagonal_[k];
  }
  phi_sq_ = ordered_sum(n_, 0.0, [&](std::size_t i) {
    w_.phi[i] = is_free(i) ? w_.g[i] : 0;
    return w_.phi[i] * w_.phi[i];
  });
}

/// z = P_F M phi
void Search::precondition() {
  M_(w_.phi, w_.z);
  for (std::size_t k = 0; k < tail(); ++k)
    if (w_.at[k] != At::neither) w_.z[bounds_.first + k] = 0;
  phi_z_ = dot(w_.phi, w_.z);
}

/// The largest alpha for which x - alpha p keeps the bounds.
double Search::room_along_p() const {
  double room = infinite;
  for (std::size_t k = 0; k < tail(); ++k) {
    const double x = x_[bounds_.first + k], p = w_.p[bounds_.first + k];
    if (p > 0) room = std::min(room, (x - bounds_.lower[k]) / p);
    if (p < 0) room = std::min(room, (x - bounds_.upper[k]) / p);
  }
  return room;
}

/// p <- z + (phi.z / phi.z before) p, alpha = phi.z / p.A p
bool Search::step_in_face() {
  if (!(phi_z_ > 0)) return false;
  const double ratio = phi_z_before_ > 0 ? phi_z_ / phi_z_before_ : 0;
  parallel_for(
      n_, [&](std::size_t i) { w_.p[i] = w_.z[i] + (ratio == 0 ? 0 : ratio * w_.p[i]); }, grain);
  A_(w_.p, w_.q);
  const double pq = dot(w_.p, w_.q), room = room_along_p();
  // Without curvature f falls up to the first bound.
  const double alpha = pq > 0 ? phi_z_ / pq : room;
  if (!(alpha < infinite)) return false;
  if (alpha >= room) return expand(alpha, room);
  step_by_cg(alpha);
  return true;
}

void Search::step_by_cg(double alpha) {
  parallel_for(
      n_,
      [&](std::size_t i) {
        x_[i] -= alpha * w_.p[i];
        w_.g[i] -= alpha * w_.q[i];
      },
      grain);
  phi_z_before_ = phi_z_;
}

/// x <- P(x - alpha p). With s = the change of x, f changes by s.(g before + g after) / 2, which
/// keeps its digits where the difference of two f would not.
bool Search::expand(double alpha, double room) {
  ++report_.expansions;
  phi_z_before_ = 0;
  std::copy(x_.begin(), x_.end(), w_.x_before.begin());
  w_.g_before.swap(w_.g);
  parallel_for(
      n_, [&](std::size_t i) { x_[i] -= alpha * w_.p[i]; }, grain);
  project();
  find_gradient();
  const double change = ordered_sum(n_, 0.0, [&](std::size_t i) {
    return (x_[i] - w_.x_before[i]) * (w_.g_before[i] + w_.g[i]);
  });
  if (change < 0) return true;
  ++report_.fallbacks;
  std::copy(w_.x_before.begin(), w_.x_before.end(), x_.begin());
  w_.g.swap(w_.g_before);
  go_to_first_bound(room);
  project_gradient_of_tail();
  return true;
}

/// x <- x - room p, with the unknowns that arrive exactly at their bound.
void Search::go_to_first_bound(double room) {
  for (std::size_t k = 0; k < tail(); ++k) {
    double &x = x_[bounds_.first + k], p = w_.p[bounds_.first + k];
    if (p > 0 && (x - bounds_.lower[k]) / p <= room) x = bounds_.lower[k], p = 0;
    if (p < 0 && (x - bounds_.upper[k]) / p <= room) x = bounds_.upper[k], p = 0;
    x = clamped(k, x - room * p);
  }
  parallel_for(
      bounds_.first, [&](std::size_t i) { x_[i] -= room * w_.p[i]; }, grain);
  parallel_for(
      n_, [&](std::size_t i) { w_.g[i] -= room * w_.q[i]; }, grain);
}

/// s = P(x - g / diagonal) - x in the tail, x <- x + min(1, -s.g / s.A s) s
void Search::project_gradient_of_tail() {
  std::fill(w_.p.begin(), w_.p.end(), 0.0);
  double slope = 0;
  for (std::size_t k = 0; k < tail(); ++k) {
    const std::size_t i = bounds_.first + k;
    if (!(diagonal_[k] > 0)) continue;
    w_.p[i] = clamped(k, x_[i] - w_.g[i] / diagonal_[k]) - x_[i];
    slope += w_.p[i] * w_.g[i];
  }
  if (!(slope < 0)) return;
  A_(w_.p, w_.q);
  const double curvature = dot(w_.p, w_.q);
  const double tau = curvature > -slope ? -slope / curvature : 1;
  for (std::size_t k = 0; k < tail(); ++k)
    x_[bounds_.first + k] = clamped(k, x_[bounds_.first + k] + tau * w_.p[bounds_.first + k]);
  parallel_for(
      n_, [&](std::size_t i) { w_.g[i] += tau * w_.q[i]; }, grain);
}

/// p = beta / diagonal; x <- x - min(beta.p / p.A p, room) p
bool Search::let_bounds_go() {
  ++report_.proportionings;
  phi_z_before_ = 0;
  std::fill(w_.p.begin(), w_.p.end(), 0.0);
  for (std::size_t k = 0; k < tail(); ++k)
    if (const double beta = chopped(k); beta != 0) w_.p[bounds_.first + k] = beta / diagonal_[k];
  A_(w_.p, w_.q);
  const double pq = dot(w_.p, w_.q), room = room_along_p();
  const double alpha = pq > 0 ? beta_promise_ / pq : infinite;
  if (!(std::min(alpha, room) < infinite)) return false;
  if (alpha >= room) {
    go_to_first_bound(room);
  } else {
    step_by_cg(alpha);
    project();
    phi_z_before_ = 0;
  }
  return true;
}

MprgpReport Search::run(const MprgpOptions& options) {
  project();
  double size = std::sqrt(dot(b_, b_));
  find_gradient();
  if (size == 0) size = std::sqrt(dot(w_.g, w_.g));
  while (true) {
    split_gradient();
    const double remaining = std::sqrt(phi_sq_ + beta_sq_);
    report_.residual = size > 0 ? remaining / size : 0;
    report_.converged = report_.residual <= options.tolerance;
    if (report_.converged || report_.iterations >= options.max_iterations) return report_;
    precondition();
    const bool proportional = beta_promise_ <= phi_z_;
    if (!(proportional ? step_in_face() : let_bounds_go())) return report_;
    ++report_.iterations;
  }
}

}  // namespace

MprgpReport mprgp(const LinearMap& A, const LinearMap& M, std::span<const double> diagonal_of_tail,
                  std::span<const double> b, const Bounds& bounds, const MprgpOptions& options,
                  std::span<double> x, MprgpWorkspace& w) {
  const std::size_t tail = bounds.lower.size();
  require(x.size() == b.size(), "mprgp: {} unknowns, but a right-hand side of {}", x.size(),
          b.size());
  require(bounds.upper.size() == tail && diagonal_of_tail.size() == tail &&
              (tail == 0 || bounds.first + tail == x.size()),
          "mprgp: bounds of {} and {} unknowns from {} on, {} diagonals, {} unknowns in all", tail,
          bounds.upper.size(), bounds.first, diagonal_of_tail.size(), x.size());
  for (std::size_t k = 0; k < tail; ++k)
    require(bounds.lower[k] <= bounds.upper[k], "mprgp: unknown {} shall be >= {} and <= {}",
            bounds.first + k, bounds.lower[k], bounds.upper[k]);
  if (tail > 0) return Search(A, M, diagonal_of_tail, b, bounds, x, w).run(options);
  const Bounds none{.first = x.size(), .lower = {}, .upper = {}};
  return Search(A, M, {}, b, none, x, w).run(options);
}

}  // namespace hydrolith
