#include "hybrid/coupled_system.h"

#include "core/parallel.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

namespace {

constexpr double softness = 1e-8;  // [-] added to the diagonal of contacts, so that redundant ones
                                   //     have one answer; 1e-3 would be real compliance

Vec6 wrench_of(const Vec3& direction, const Vec3& arm) {
  Vec6 w;
  w << direction, arm.cross(direction);
  return w;
}

void add(const MprgpReport& solve, CoupledReport& report) {
  report.iterations += solve.iterations;
  report.residual = solve.residual;
  report.converged = solve.converged;
}

/// A unit vector square to n.
Vec3 any_tangent(const Vec3& n) {
  const Vec3 e = std::abs(n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitZ();
  return (e - n.dot(e) * n).normalized();
}

}  // namespace

CoupledSystem::CoupledSystem(const HybridSpec& options, double dx, int dimensions, double gravity)
    : options_(options),
      dx_(dx),
      alpha_(1 / std::pow(dx, dimensions)),
      weight_(gravity),
      dimensions_(dimensions),
      per_contact_(dimensions == 3 ? 3 : 2) {}

// --- The operator -------------------------------------------------------------------------------

/// acceleration = M_r^-1 K x / alpha of dynamic bodies, zero for all others.
void CoupledSystem::accelerations(std::span<const double> x) {
  std::fill(wrench_.begin(), wrench_.end(), Vec6(Vec6::Zero()));
  parallel_for(
      fluid_->forces.size(),
      [&](std::size_t n) {
        const BodyForceColumns& F = fluid_->forces[n];
        if (!bodies_->dynamic[F.body]) return;
        wrench_[F.body] = ordered_sum(F.column.size(), Vec6(Vec6::Zero()), [&](std::size_t k) {
          return Vec6(x[F.column[k]] * F.value[k]);
        });
      },
      1);
  const std::size_t first = fluid_->size();
  for (std::size_t r = 0; r < contact_rows(); ++r) {
    const Contact& c = contacts_[r / per_contact_];
    const double force = x[first + r];
    wrench_[c.a] += force * on_a_[r];
    wrench_[c.b] += force * on_b_[r];
  }
  for (std::size_t i = 0; i < wrench_.size(); ++i)
    acceleration_[i] = bodies_->dynamic[i] ? Vec6(bodies_->accelerate(i, wrench_[i]) / alpha_)
                                           : Vec6(Vec6::Zero());
}

void CoupledSystem::multiply(std::span<const double> x, std::span<double> y) {
  const std::size_t n = fluid_->size();
  if (n > 0) fluid_->multiply(x.first(n), y.first(n));
  accelerations(x);
  for (const BodyForceColumns& F : fluid_->forces) {
    if (!bodies_->dynamic[F.body]) continue;
    const Vec6& a = acceleration_[F.body];
    parallel_for(
        F.column.size(), [&](std::size_t k) { y[F.column[k]] += F.value[k].dot(a); }, 1024);
  }
  for (std::size_t r = 0; r < contact_rows(); ++r) {
    const Contact& c = contacts_[r / per_contact_];
    y[n + r] = on_a_[r].dot(acceleration_[c.a]) + on_b_[r].dot(acceleration_[c.b]) +
               softness * diagonal_c_[r] * x[n + r];
  }
}

void CoupledSystem::precondition(std::span<const double> r, std::span<double> out) {
  const std::size_t np = fluid_->pressures, n = fluid_->size();
  if (np > 0) multigrid_.apply(r.first(np), out.first(np));
  parallel_for(
      fluid_->stresses, [&](std::size_t s) { out[np + s] = r[np + s] / fluid_->diagonal_s[s]; },
      4096);
  for (std::size_t k = 0; k < contact_rows(); ++k) out[n + k] = r[n + k] / diagonal_c_[k];
}

// --- Contacts -----------------------------------------------------------------------------------

void CoupledSystem::start(const ContactRows& rows, const Contacts& contacts, double dt) {
  const std::size_t n = fluid_->size();
  const double per_force = alpha_ * dx_;  // c of a force [N]
  contacts_.clear(), bias_.clear();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Vec3& normal = rows.normal[k];
    Contact c{.a = rows.a[k],
              .b = rows.b[k],
              .mu = rows.mu[k],
              .n = normal,
              .t1 = Vec3::Zero(),
              .t2 = Vec3::Zero(),
              .arm_a = rows.arm_a[k],
              .arm_b = rows.arm_b[k],
              .grip_a = rows.grip_a[k],
              .grip_b = rows.grip_b[k]};
    c.t1 = dimensions_ == 3 ? any_tangent(normal) : Vec3(-normal.y(), normal.x(), 0);
    c.t2 = normal.cross(c.t1);
    contacts_.push_back(c);
    bias_.push_back(rows.bias[k]);
  }
  z.resize(n + contact_rows());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Vec3 guess = contacts.impulse[rows.source[k]] * (per_force / dt);
    double* c = &z[n + k * per_contact_];
    c[0] = std::max(0.0, guess.dot(contacts_[k].n));
    c[1] = guess.dot(contacts_[k].t1);
    if (dimensions_ == 3) c[2] = guess.dot(contacts_[k].t2);
  }
}

/// J^T / dx, b_c and the diagonal of A_cc for the present tangents.
void CoupledSystem::write_rows() {
  const std::size_t n = fluid_->size();
  on_a_.resize(contact_rows()), on_b_.resize(contact_rows());
  diagonal_c_.resize(contact_rows());
  for (std::size_t r = 0; r < contact_rows(); ++r) {
    const Contact& c = contacts_[r / per_contact_];
    const std::size_t which = r % per_contact_;
    const Vec3& e = which == 0 ? c.n : which == 1 ? c.t1 : c.t2;
    on_a_[r] = wrench_of(e, which == 0 ? c.arm_a : c.grip_a) / dx_;
    on_b_[r] = -wrench_of(e, which == 0 ? c.arm_b : c.grip_b) / dx_;
    const double bias = which == 0 ? bias_[r / per_contact_] : 0;
    b_[n + r] = -(on_a_[r].dot(start_[c.a]) + on_b_[r].dot(start_[c.b]) + bias / dx_) / dt_;
    double diagonal = 0;
    if (bodies_->dynamic[c.a]) diagonal += on_a_[r].dot(bodies_->accelerate(c.a, on_a_[r]));
    if (bodies_->dynamic[c.b]) diagonal += on_b_[r].dot(bodies_->accelerate(c.b, on_b_[r]));
    diagonal_c_[r] = diagonal / alpha_;
  }
}

/// Turns the first tangent of every contact into the direction of its friction force, or of the
/// force that would oppose its motion where it slides or has no force yet.
void CoupledSystem::turn_tangents(bool first) {
  const std::size_t n = fluid_->size();
  if (!first) accelerations(z);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& c = contacts_[k];
    double* f = &z[n + k * 3];
    const Vec3 force = f[1] * c.t1 + f[2] * c.t2;
    const double limit = c.mu * f[0];
    Vec3 direction = force;
    if (force.norm() > 0.999 * limit) {
      // Relative acceleration of the tangents over the step: b_c is minus the rest.
      const auto relative = [&](std::size_t r) {
        double v = -b_[n + r];
        if (!first) v += on_a_[r].dot(acceleration_[c.a]) + on_b_[r].dot(acceleration_[c.b]);
        return v;
      };
      const Vec3 slip = relative(3 * k + 1) * c.t1 + relative(3 * k + 2) * c.t2;
      if (slip.norm() > 0) direction = -slip;
    }
    if (direction.norm() < 1e-300) continue;
    c.t1 = direction.normalized();
    c.t2 = c.n.cross(c.t1);
    f[1] = force.dot(c.t1), f[2] = force.dot(c.t2);
  }
}

void CoupledSystem::set_bounds() {
  const std::size_t n = fluid_->size();
  bounds_.first = n;
  bounds_.lower.assign(contact_rows(), 0);
  bounds_.upper.assign(contact_rows(), unlimited);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const double* f = &z[n + k * per_contact_];
    const double limit = contacts_[k].mu * f[0];
    const std::size_t r = k * per_contact_;
    bounds_.lower[r + 1] = -limit, bounds_.upper[r + 1] = limit;
    if (dimensions_ == 2) continue;
    double rest = limit;
    if (options_.friction == FrictionCone::cone) {
      const double along = std::clamp(f[1], -limit, limit);
      rest = std::sqrt(std::max(0.0, limit * limit - along * along));
    }
    bounds_.lower[r + 2] = -rest, bounds_.upper[r + 2] = rest;
  }
}

/// How far bounds are from mu times the normal forces found: the sum over contacts that feel their
/// bound, relative to the sum of all limits.
double CoupledSystem::bound_error() const {
  const std::size_t n = fluid_->size();
  double error = 0, limits = 0;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const double* f = &z[n + k * per_contact_];
    const double limit = contacts_[k].mu * f[0], used = bounds_.upper[k * per_contact_ + 1];
    limits += limit;
    double tangent = std::abs(f[1]);
    if (dimensions_ == 3)
      tangent = options_.friction == FrictionCone::cone ? std::hypot(f[1], f[2])
                                                        : std::max(tangent, std::abs(f[2]));
    // A force inside both the old and the new limit is right whatever the bound was.
    if (tangent < 0.999 * used && tangent <= limit) continue;
    error += std::max(std::abs(limit - used), tangent - limit);
  }
  return limits > 0 ? error / limits : 0;
}

// --- Solving ------------------------------------------------------------------------------------

MprgpReport CoupledSystem::solve_once() {
  const LinearMap A = [this](std::span<const double> x, std::span<double> y) { multiply(x, y); };
  const LinearMap M = [this](std::span<const double> r, std::span<double> out) {
    precondition(r, out);
  };
  // Liquid in free fall has a right-hand side of round-off: nothing finer than the weight of one
  // cell has to be resolved.
  const double load =
      std::sqrt(ordered_sum(b_.size(), 0.0, [&](std::size_t i) { return b_[i] * b_[i]; }));
  const double coarser = load > 0 ? std::max(1.0, weight_ / (dx_ * load)) : 1;
  return mprgp(
      A, M, diagonal_c_, b_, bounds_,
      {.tolerance = coarser * options_.tolerance, .max_iterations = options_.max_iterations}, z,
      mprgp_);
}

/// Kaufman et al. 2008: normal forces with friction held, then friction with normal forces held.
/// Returns how much the two have changed forces, relative to the largest.
double CoupledSystem::solve_staggered(CoupledReport& report) {
  const std::size_t n = fluid_->size();
  last_.assign(z.begin() + static_cast<std::ptrdiff_t>(n), z.end());
  for (std::size_t r = 0; r < contact_rows(); ++r)
    if (r % per_contact_ != 0)
      bounds_.lower[r] = bounds_.upper[r] =
          std::clamp(z[n + r], bounds_.lower[r], bounds_.upper[r]);
  add(solve_once(), report);
  set_bounds();
  for (std::size_t r = 0; r < contact_rows(); r += per_contact_)
    bounds_.lower[r] = bounds_.upper[r] = z[n + r];
  add(solve_once(), report);
  double change = 0, largest = 0;
  for (std::size_t r = 0; r < contact_rows(); ++r) {
    change = std::max(change, std::abs(z[n + r] - last_[r]));
    largest = std::max(largest, std::abs(z[n + r]));
  }
  return largest > 0 ? change / largest : 0;
}

CoupledReport CoupledSystem::solve_unified() {
  CoupledReport report;
  const bool frictional =
      std::any_of(contacts_.begin(), contacts_.end(), [](const Contact& c) { return c.mu > 0; });
  const bool cone = frictional && options_.friction == FrictionCone::cone && dimensions_ == 3;
  for (int k = 0; k < (frictional ? options_.friction_solves : 1); ++k) {
    if (cone) {
      turn_tangents(k == 0);
      write_rows();
    }
    set_bounds();
    double error = 0;
    if (frictional && options_.friction_solve == FrictionSolve::staggered) {
      error = solve_staggered(report);
    } else {
      add(solve_once(), report);
      error = frictional ? bound_error() : 0;
    }
    ++report.solves;
    if (error <= options_.friction_tolerance) break;
  }
  return report;
}

/// Pressure and contact in turn (block Gauss-Seidel): the liquid with contact forces as known
/// impulses on the bodies, then contacts with the liquid's. Equal to the unified solve at
/// convergence (supplement of Takahashi & Batty 2020, section 4).
CoupledReport CoupledSystem::solve_iterative() {
  static const FluidSystem dry;
  const FluidSystem* const liquid = fluid_;
  const std::size_t n = liquid->size();
  if (n == 0 || contacts_.empty()) return solve_unified();
  std::vector<double> p(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(n));
  std::vector<double> c(z.begin() + static_cast<std::ptrdiff_t>(n), z.end());
  std::vector<Contact> held;
  const auto push_bodies = [&](std::span<const double> x) {
    accelerations(x);
    for (std::size_t i = 0; i < start_.size(); ++i)
      start_[i] = bodies_->start[i] + dt_ * acceleration_[i];
  };
  CoupledReport report;
  for (int sweep = 0; sweep < options_.max_sweeps; ++sweep) {
    fluid_ = &dry;
    push_bodies(c);
    contacts_.swap(held), fluid_ = liquid;
    const std::vector<double> before = p;
    z = p;
    load();
    set_bounds();
    add(solve_once(), report);
    p = z;
    push_bodies(p);
    contacts_.swap(held), fluid_ = &dry;
    z = c;
    load();
    const CoupledReport contact = solve_unified();
    c = z;
    report.iterations += contact.iterations;
    ++report.solves;
    double change = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      change = std::max(change, std::abs(p[i] - before[i]));
      size = std::max(size, std::abs(p[i]));
    }
    report.residual = size > 0 ? change / size : 0;
    report.converged = contact.converged && report.residual <= options_.tolerance;
    if (report.residual <= options_.tolerance) break;
  }
  fluid_ = liquid;
  start_ = bodies_->start;
  z = p;
  z.insert(z.end(), c.begin(), c.end());
  write_rows();
  return report;
}

/// b = ((B^T u* - F^T v*) / dt, -(J v* + bias) / (dx dt)).
void CoupledSystem::load() {
  b_.resize(fluid_->size() + contact_rows());
  std::copy(fluid_->b.begin(), fluid_->b.end(), b_.begin());
  for (const BodyForceColumns& F : fluid_->forces) {
    const Vec6 v = start_[F.body] / dt_;
    for (std::size_t k = 0; k < F.column.size(); ++k) b_[F.column[k]] -= F.value[k].dot(v);
  }
  write_rows();
}

/// Whether the liquid pushes no body that can move, and friction is the exact cone.
bool CoupledSystem::is_dry() const {
  if (options_.friction != FrictionCone::cone || options_.friction_solve != FrictionSolve::bounds)
    return false;
  return std::none_of(fluid_->forces.begin(), fluid_->forces.end(), [&](const BodyForceColumns& F) {
    return bodies_->dynamic[F.body] && !F.column.empty();
  });
}

/// Liquid and bodies know nothing of each other: each its own solver.
CoupledReport CoupledSystem::solve_apart(const Contacts& contacts, const ContactRows& rows) {
  constexpr int most_raises = 60;
  contacts_.clear();
  z.resize(fluid_->size());
  load();
  CoupledReport report;
  if (!z.empty()) report = solve_unified();
  push_bodies(dt_);
  u = bodies_->start;
  gamma.clear();
  if (rows.size() == 0) return report;
  // In cells a step; ten times the liquid's tolerance, since it is a mean over contacts.
  const double speed = dx_ / dt_, goal = 10 * options_.tolerance;
  const std::vector<Vec6> none(bodies_->size(), Vec6(Vec6::Zero()));
  response_.start(*bodies_, rows, contacts.impulse, 0.05 * goal * speed);
  bool solved = response_.respond(none);
  double error = response_.residual(speed).mean;
  for (int k = 0; k < most_raises && !(solved && error <= goal); ++k) {
    response_.raise_multipliers();
    solved = response_.respond(none);
    error = response_.residual(speed).mean;
  }
  response_.finish(none);
  u.assign(response_.velocity().begin(), response_.velocity().end());
  gamma.assign(response_.multipliers().begin(), response_.multipliers().end());
  report.iterations += response_.newton_steps();
  report.residual = std::max(report.residual, error);
  report.converged = report.converged && solved && error <= goal;
  return report;
}

CoupledReport CoupledSystem::solve(const FluidSystem& fluid, const BodyColumns& bodies,
                                   const Contacts& contacts, const ContactRows& rows, double dt) {
  fluid_ = &fluid, bodies_ = &bodies, dt_ = dt;
  start_ = bodies.start;
  wrench_.resize(bodies.size()), acceleration_.resize(bodies.size());
  if (fluid.pressures > 0) multigrid_.build(fluid.A_pp);
  if (is_dry()) return solve_apart(contacts, rows);
  start(rows, contacts, dt);
  load();
  CoupledReport report;
  if (!z.empty())
    report = options_.coupling == HybridCoupling::unified ? solve_unified() : solve_iterative();
  push_bodies(dt);
  finish(rows, dt);
  return report;
}

void CoupledSystem::solve_pressure(const FluidSystem& fluid, std::span<const double> rhs,
                                   std::span<double> q) {
  const std::size_t n = fluid.pressures;
  conjugate_gradient(
      [&](std::span<const double> x, std::span<double> y) {
        hydrolith::multiply(fluid.A_pp, x, y);
      },
      [&](std::span<const double> r, std::span<double> y) { multigrid_.apply(r, y); }, rhs.first(n),
      q.first(n), {.tolerance = 0.02, .max_iterations = 20}, cg_);
}

/// What the liquid does to the bodies.
void CoupledSystem::push_bodies(double dt) {
  const std::size_t np = fluid_->pressures;
  push.assign(bodies_->size(), Vec6(Vec6::Zero()));
  pressure.assign(bodies_->size(), Vec6(Vec6::Zero()));
  viscous.assign(bodies_->size(), Vec6(Vec6::Zero()));
  for (const BodyForceColumns& F : fluid_->forces)
    for (std::size_t k = 0; k < F.column.size(); ++k)
      (F.column[k] < np ? pressure : viscous)[F.body] += z[F.column[k]] / alpha_ * F.value[k];
  for (std::size_t i = 0; i < bodies_->size(); ++i) push[i] = dt * (pressure[i] + viscous[i]);
}

void CoupledSystem::finish(const ContactRows& rows, double dt) {
  const std::size_t n = fluid_->size();
  accelerations(z);
  u.resize(bodies_->size());
  for (std::size_t i = 0; i < bodies_->size(); ++i)
    u[i] = bodies_->start[i] + dt * acceleration_[i];
  gamma.resize(rows.size());
  const double impulse = dt / (alpha_ * dx_);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double* c = &z[n + k * per_contact_];
    gamma[k].n = impulse * c[0];
    gamma[k].t = impulse * (c[1] * contacts_[k].t1 +
                            (dimensions_ == 3 ? Vec3(c[2] * contacts_[k].t2) : Vec3(Vec3::Zero())));
  }
}

}  // namespace hydrolith::hybrid
