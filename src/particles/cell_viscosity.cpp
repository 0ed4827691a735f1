#include "particles/cell_viscosity.h"

#include "contact/bodies_step.h"
#include "core/double4.h"
#include "core/parallel.h"
#include "particles/cell_liquid.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

constexpr double tolerance = 1e-5;   // [-] of the change of velocity
constexpr double round_off = 1e-13;  // [-] of all velocities: less is not worth an iteration

}  // namespace

void CellViscosity::assemble(const Model& m, const State& s, const CellLiquid& c,
                             const LiquidSystem& system) {
  op_ = nullptr;
  if (std::none_of(m.scene.liquids.begin(), m.scene.liquids.end(),
                   [](const LiquidSpec& l) { return l.viscosity > 0; }))
    return;
  op_ = &c.op;
  h_ = m.scene.spacing;
  tabulate(m, s);
  join_solids(m, s, c, system);
  add_couples(m, s, c.cells);
  weigh_bodies(m, s, system);
}

/// eta_ij of every two liquids; masses.
void CellViscosity::tabulate(const Model& m, const State& s) {
  const std::vector<LiquidSpec>& liquids = m.scene.liquids;
  liquids_ = liquids.size();
  table_.clear();
  for (const LiquidSpec& a : liquids)
    for (const LiquidSpec& b : liquids) {
      const double sum = a.viscosity + b.viscosity;
      const double eta = sum > 0 ? 2 * a.viscosity * b.viscosity / sum : 0;
      table_.push_back(static_cast<float>(eta * (m.scene.dimensions == 2 ? 1 : h_)));
    }
  liquid_.clear();
  if (liquids_ > 1) liquid_.assign(s.liquid.begin(), s.liquid.end());
  mass_.resize(s.particles());
  parallel_for(s.particles(),
               [&](std::size_t i) { mass_[i] = s.volume[i] * liquids[s.liquid[i]].density; });
}

/// Every touch is a link.
void CellViscosity::join_solids(const Model& m, const State& s, const CellLiquid& c,
                                const LiquidSystem& system) {
  bodies_.assign(s.bodies.size(), {});
  links_.assign(c.touches.size(), {});
  of_body_.assign(c.touches.size(), Mat6::Zero());
  walls_.assign(c.op.walls(), {});
  parallel_for(
      walls_.size(),
      [&](std::size_t k) {
        WallCell& wall = walls_[k];
        wall.first_link = c.touch_first[k];
        wall.last_link = c.touch_first[k + 1];
        for (std::uint32_t l = wall.first_link; l < wall.last_link; ++l)
          join_solid(m, s, c, l, wall.S);
        wall.mass = system.mass * c.op.mass(c.touches[wall.first_link].particle);
        wall.inverse_mass = wall.mass.inverse();
      },
      32);
  for (std::uint32_t l = 0; l < links_.size(); ++l) {
    Body& body = bodies_[links_[l].body];
    body.S += of_body_[l];
    body.links.push_back(l);
  }
}

/// Link l, and what it adds to S of its cell.
void CellViscosity::join_solid(const Model& m, const State& s, const CellLiquid& c, std::uint32_t l,
                               Mat3& S) {
  const Touch& touch = c.touches[l];
  Link& link = links_[l];
  link.particle = touch.particle;
  link.body = touch.solid;
  const std::size_t i = link.particle;
  const double eta = m.scene.liquids[s.liquid[i]].viscosity;
  const bool slip = m.scene.bodies[link.body].slip;
  const double solid = std::max(touch.distance, least_distance * h_);
  for (std::uint32_t f = touch.first; f < touch.last; ++f) {
    const CellFacet& facet = c.cells.facets[f];
    const double area = facet.area;
    if (!(area > 0) || facet.taken_back) continue;
    const Vec3& n = facet.normal;
    const Mat3 P = slip ? Mat3(n * n.transpose()) : Mat3(Mat3::Identity());
    const Mat3 kP = eta * area / std::max(facet.centre.dot(n), solid) * P;
    const auto B = motion_at(s.x[i] + facet.centre - s.bodies.x[link.body]);
    S += kP;
    link.C += kP * B;
    of_body_[l] += B.transpose() * kP * B;
  }
}

void CellViscosity::add_couples(const Model& m, const State& s, const Cells& cells) {
  std::vector<Mat3> D(bodies_.size(), Mat3::Zero());
  for (const CellFacet& f : cells.facets) {
    if (m.scene.bodies[f.surface].slip) continue;
    const double eta = m.scene.liquids[s.liquid[f.particle]].viscosity;
    const Vec3 r = s.x[f.particle] + f.centre - s.bodies.x[f.surface];
    const Mat3 nr = -f.area * f.normal * r.transpose();  // the area points into the solid
    D[f.surface] += eta * (nr.trace() * Mat3::Identity() - 0.5 * (nr + nr.transpose()));
  }
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    if (m.scene.dimensions == 2) {  // bodies turn about z alone
      const double about_z = D[k](2, 2);
      D[k].setZero();
      D[k](2, 2) = about_z;
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(D[k]);
    const Mat3& Q = eigen.eigenvectors();
    const Vec3 resists = eigen.eigenvalues().cwiseMax(0), drives = eigen.eigenvalues().cwiseMin(0);
    bodies_[k].S.bottomRightCorner<3, 3>() += Q * resists.asDiagonal() * Q.transpose();
    bodies_[k].couple = -(Q * drives.asDiagonal() * Q.transpose() * s.bodies.omega[k]);
  }
}

void CellViscosity::weigh_bodies(const Model& m, const State& s, const LiquidSystem& system) {
  BodyColumns columns;
  write_bodies(m, s, columns);
  const std::span<const Mat6> entrained = system.cells->entrained();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Body& body = bodies_[k];
    body.unknown = columns.dynamic[k] && !body.links.empty();
    if (!body.unknown) continue;
    body.mass = columns.mass[k] + entrained[k];
    body.inverse_mass = body.mass.inverse();
  }
}

namespace {

/// k (w_i - w_j), exactly opposite for j.
void add_drag(float k, const Vec3& wi, const Vec3& wj, Vec3& sum) { sum += k * (wi - wj); }
void add_drag(float k, Float4 wi, Float4 wj, Double4& sum) { sum += Double4(k * (wi - wj)); }

const Vec3& vector(const Vec3& v) { return v; }
Vec3 vector(Float4 v) { return v.xyz(); }
const Vec3& vector_sum(const Vec3& v) { return v; }
Vec3 vector_sum(const Double4& v) { return v.xyz(); }

}  // namespace

/// (K w)_i
template <class Column>
Vec3 CellViscosity::drag(std::size_t i, const Column& w, std::span<const Vec6> u) const {
  constexpr bool floats = std::is_same_v<std::remove_cvref_t<decltype(w[0])>, Float4>;
  std::conditional_t<floats, Double4, Vec3> pairs{};
  if constexpr (!floats) pairs.setZero();
  for (std::uint32_t e = op_->first(i); e < op_->last(i); ++e) {
    const std::uint32_t j = op_->neighbour(e);
    add_drag(k(e, i, j), w[i], w[j], pairs);
  }
  Vec3 sum = vector_sum(pairs);
  if (free(i)) return sum;
  sum += wall(i).S * vector(w[i]);
  for (std::uint32_t l = wall(i).first_link; l < wall(i).last_link; ++l)
    sum -= links_[l].C * u[links_[l].body];
  return sum;
}

/// (K w)_K
template <class Column>
Vec6 CellViscosity::drag_body(std::size_t k, const Column& w, std::span<const Vec6> u) const {
  Vec6 sum = bodies_[k].S * u[k];
  for (const std::uint32_t l : bodies_[k].links)
    sum -= links_[l].C.transpose() * vector(w[links_[l].particle]);
  return sum;
}

void CellViscosity::forces(std::span<const Vec3> w, std::span<const Vec6> u,
                           std::span<Vec3> on_liquid, std::span<Vec6> on_bodies) const {
  parallel_for(w.size(), [&](std::size_t i) { on_liquid[i] = -drag(i, w, u); });
  parallel_for(
      u.size(),
      [&](std::size_t k) {
        on_bodies[k] = -drag_body(k, w, u);
        on_bodies[k].tail<3>() += bodies_[k].couple;
      },
      1);
}

/// M_i v
Vec3 CellViscosity::weighted(std::size_t i, const Vec3& v) const {
  return free(i) ? Vec3(mass_[i] * v) : Vec3(wall(i).mass * v);
}

/// Of particle i, its residual J - M x.
CellViscosity::Sums CellViscosity::sums_of(std::size_t i, double dt) const {
  const Vec3 Mx = weighted(i, x_[i]), r = J_[i] - Mx;
  const double change = x_[i].dot(Mx);
  if (free(i)) {
    const double r_sq = r.squaredNorm();
    return {r_sq / (mass_[i] + dt * k_sum_[i]), r_sq / mass_[i], change};
  }
  return {r.dot(wall(i).inverse * r), r.dot(wall(i).inverse_mass * r), change};
}

CellViscosity::Sums CellViscosity::sums_of_bodies() const {
  Sums sums;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& body = bodies_[k];
    if (!body.unknown) continue;
    const Vec6 Mx = body.mass * x_u_[k], r = J_u_[k] - Mx;
    sums = sums + Sums{r.dot(body.inverse * r), r.dot(body.inverse_mass * r), x_u_[k].dot(Mx),
                       u_[k].dot(body.mass * u_[k])};
  }
  return sums;
}

/// x = 0, J = -dt K w*; blocks of M + dt K on its diagonal.
CellViscosity::Sums CellViscosity::start(std::span<const Vec3> w, double dt) {
  const std::size_t n = w.size(), bodies = u_.size();
  for (auto* column : {&x_, &J_, &Kp_}) column->resize(n);
  k_sum_.resize(n), p_.resize(n);
  for (auto* column : {&x_u_, &J_u_, &p_u_, &Kp_u_}) column->assign(bodies, Vec6::Zero());
  for (std::size_t k = 0; k < bodies; ++k) {
    Body& body = bodies_[k];
    if (body.unknown) body.inverse = Mat6(body.mass + dt * body.S).inverse();
    J_u_[k] = -dt * drag_body(k, w, u_);
    J_u_[k].tail<3>() += dt * body.couple;
  }
  const Sums sums = ordered_sum(n, Sums{}, [&](std::size_t i) -> Sums {
    k_sum_[i] = 0;
    for (std::uint32_t e = op_->first(i); e < op_->last(i); ++e)
      k_sum_[i] += k(e, i, op_->neighbour(e));
    if (!free(i)) {
      WallCell& wall = walls_[static_cast<std::size_t>(op_->wall_of(i))];
      wall.inverse = Mat3(wall.mass + dt * (wall.S + k_sum_[i] * Mat3::Identity())).inverse();
    }
    x_[i].setZero();
    p_[i] = Float4();
    J_[i] = -dt * drag(i, w, u_);
    Sums own = sums_of(i, dt);
    own.all = w[i].dot(weighted(i, w[i]));
    return own;
  });
  return sums + sums_of_bodies();
}

/// p = B r + beta p
void CellViscosity::turn(double beta, double dt) {
  parallel_for(p_.size(), [&](std::size_t i) {
    const Vec3 r = J_[i] - weighted(i, x_[i]);
    const Vec3 z = free(i) ? Vec3(r / (mass_[i] + dt * k_sum_[i])) : Vec3(wall(i).inverse * r);
    p_[i] = Float4(Vec3(z + beta * p_[i].xyz()));
  });
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& body = bodies_[k];
    if (body.unknown) p_u_[k] = body.inverse * (J_u_[k] - body.mass * x_u_[k]) + beta * p_u_[k];
  }
}

/// K p, returns p . (M + dt K) p
double CellViscosity::curve(double dt) {
  double sum = ordered_sum(p_.size(), 0.0, [&](std::size_t i) {
    const Vec3 p = p_[i].xyz();
    Kp_[i] = drag(i, p_, p_u_);
    return p.dot(weighted(i, p) + dt * Kp_[i]);
  });
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Kp_u_[k] = drag_body(k, p_, p_u_);
    if (bodies_[k].unknown) sum += p_u_[k].dot(bodies_[k].mass * p_u_[k] + dt * Kp_u_[k]);
  }
  return sum;
}

/// x += alpha p, J -= alpha dt K p
CellViscosity::Sums CellViscosity::advance(double alpha, double dt) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    x_u_[k] += alpha * p_u_[k];
    J_u_[k] -= alpha * dt * Kp_u_[k];
  }
  const Sums sums = ordered_sum(p_.size(), Sums{}, [&](std::size_t i) -> Sums {
    x_[i] += alpha * p_[i].xyz();
    J_[i] -= alpha * dt * Kp_[i];
    return sums_of(i, dt);
  });
  return sums + sums_of_bodies();
}

/// (M + dt K) x = -dt K w*, by conjugate gradients with blocks of the diagonal.
ViscosityReport CellViscosity::solve(std::span<const Vec3> w, double dt, int most) {
  ViscosityReport report;
  Sums sums = start(w, dt);
  const double all = sums.all;
  double before = 0;
  for (;; ++report.iterations) {
    if (sums.error <= tolerance * tolerance * sums.change ||
        sums.error <= round_off * round_off * all)
      return report;
    if (report.iterations == most || !std::isfinite(sums.error)) break;
    turn(before > 0 ? sums.rz / before : 0, dt);
    before = sums.rz;
    sums = advance(before / curve(dt), dt);
  }
  report.converged = false;
  return report;
}

// The impulses are J = -dt K w with the w found, pairs exactly opposite, in place of M (w - w*):
// momentum is kept to round-off however far the solve got. The difference of the two is M^-1 r.
ViscosityReport CellViscosity::apply(const Model& m, std::span<const Vec3> w, double dt, State& s) {
  for (BodyForces& f : s.forces) f.viscosity = {};
  if (empty()) return {};
  const std::size_t bodies = s.bodies.size();
  u_.resize(bodies);
  for (std::size_t k = 0; k < bodies; ++k) u_[k] << s.bodies.v[k], s.bodies.omega[k];
  const ViscosityReport report = solve(w, dt, m.scene.solver.max_iterations);
  parallel_for(s.particles(), [&](std::size_t i) {
    s.v[i] += free(i) ? Vec3(J_[i] / mass_[i]) : Vec3(wall(i).inverse_mass * J_[i]);
  });
  for (std::size_t k = 0; k < bodies; ++k) {
    const Vec3 impulse = J_u_[k].head<3>(), turn = J_u_[k].tail<3>();
    s.forces[k].viscosity = {impulse / dt, turn / dt};
    if (s.bodies.kind[k] == BodyKind::dynamic) apply_impulse(s.bodies, k, impulse, turn);
  }
  return report;
}

}  // namespace hydrolith::particles
