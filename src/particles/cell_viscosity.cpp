#include "particles/cell_viscosity.h"

#include "contact/bodies_step.h"
#include "core/parallel.h"
#include "particles/cell_liquid.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

constexpr double nearest_pair = 0.02;  // [h] two particles on one spot have no normal
constexpr double tolerance = 1e-5;     // [-] of the change of velocity
constexpr double round_off = 1e-13;    // [-] of all velocities: less is not worth an iteration

double distance_from(const CellSurface& surface, const Vec3& x, double h) {
  SurfaceIndex::Nearest near;
  return surface.index->nearest(surface.pose.inverse() * x, 2 * h, near) ? near.distance : 0;
}

}  // namespace

void CellViscosity::Columns::assign(std::size_t particles, std::size_t n) {
  liquid.assign(particles, Vec3::Zero());
  bodies.assign(n, Vec6::Zero());
}

void CellViscosity::assemble(const Model& m, const State& s, const Cells& cells,
                             std::span<const CellSurface> surfaces, const LiquidSystem& system) {
  h_ = m.scene.spacing;
  pairs_.clear(), walls_.clear(), links_.clear(), bodies_.clear();
  if (std::none_of(m.scene.liquids.begin(), m.scene.liquids.end(),
                   [](const LiquidSpec& l) { return l.viscosity > 0; }))
    return;
  join_pairs(m, s, cells, *system.cells);
  join_solids(m, s, cells, surfaces, system);
  add_couples(m, s, cells);
  weigh_bodies(m, s, system);
}

void CellViscosity::join_pairs(const Model& m, const State& s, const Cells& cells,
                               const CellOperator& op) {
  const std::size_t n = cells.size();
  first_.assign(cells.first.begin(), cells.first.end());
  pairs_.resize(cells.faces.size());
  k_sum_.resize(n), mass_.resize(n);
  parallel_for(n, [&](std::size_t i) {
    const LiquidSpec& liquid = m.scene.liquids[s.liquid[i]];
    mass_[i] = s.volume[i] * liquid.density;
    k_sum_[i] = 0;
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
      const CellFace& face = cells.faces[e];
      const std::uint32_t j = face.neighbour;
      const double other = m.scene.liquids[s.liquid[j]].viscosity, sum = liquid.viscosity + other;
      const double eta = sum > 0 ? 2 * liquid.viscosity * other / sum : 0;
      const double r = std::max((s.x[j] - s.x[i]).norm(), nearest_pair * h_);
      const std::uint32_t back = op.opposite(e);
      const double area =
          back != CellOperator::nowhere ? 0.5 * (face.area + cells.faces[back].area) : 0;
      // Everything but which is i and which is j is symmetric: the same bits on both sides.
      pairs_[e] = {j, static_cast<float>(eta * area / r)};
      k_sum_[i] += pairs_[e].k;
    }
  });
}

void CellViscosity::join_solids(const Model& m, const State& s, const Cells& cells,
                                std::span<const CellSurface> surfaces, const LiquidSystem& system) {
  bodies_.resize(s.bodies.size());
  wall_of_.assign(cells.size(), -1);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!cells.facets_of(i).empty()) {
      wall_of_[i] = static_cast<std::int32_t>(walls_.size());
      walls_.push_back({});
    }
  // Facets of a cell come body by body, so that every run of one body is a link.
  std::vector<std::uint32_t> facet_of_link;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (wall_of_[i] < 0) continue;
    WallCell& wall = walls_[static_cast<std::size_t>(wall_of_[i])];
    wall.first_link = static_cast<std::uint32_t>(links_.size());
    for (std::uint32_t f = cells.facet_first[i]; f < cells.facet_first[i + 1]; ++f) {
      const std::uint32_t body = cells.facets[f].surface;
      if (f == cells.facet_first[i] || body != links_.back().body) {
        links_.push_back({.particle = static_cast<std::uint32_t>(i), .body = body});
        facet_of_link.push_back(f);
      }
    }
    wall.last_link = static_cast<std::uint32_t>(links_.size());
  }
  facet_of_link.push_back(static_cast<std::uint32_t>(cells.facets.size()));
  std::vector<Mat3> stick(links_.size(), Mat3::Zero());
  std::vector<Mat6> of_body(links_.size(), Mat6::Zero());
  parallel_for(
      links_.size(),
      [&](std::size_t l) {
        Link& link = links_[l];
        const std::size_t i = link.particle;
        const double eta = m.scene.liquids[s.liquid[i]].viscosity;
        const bool slip = m.scene.bodies[link.body].slip;
        const double solid =
            std::max(distance_from(surfaces[link.body], s.x[i], h_), least_distance * h_);
        for (std::uint32_t f = facet_of_link[l]; f < facet_of_link[l + 1]; ++f) {
          const CellFacet& facet = cells.facets[f];
          const double area = facet.area.norm();
          if (!(area > 0) || facet.taken_back) continue;
          const Vec3 n = facet.area / area;
          const Mat3 P = slip ? Mat3(n * n.transpose()) : Mat3(Mat3::Identity());
          const Mat3 kP = eta * area / std::max(facet.centre.dot(n), solid) * P;
          const auto B = motion_at(s.x[i] + facet.centre - s.bodies.x[link.body]);
          stick[l] += kP;
          link.C += kP * B;
          of_body[l] += B.transpose() * kP * B;
        }
      },
      32);
  for (std::size_t l = 0; l < links_.size(); ++l) {
    Body& body = bodies_[links_[l].body];
    body.S += of_body[l];
    body.links.push_back(static_cast<std::uint32_t>(l));
    walls_[static_cast<std::size_t>(wall_of_[links_[l].particle])].S += stick[l];
  }
  parallel_for(cells.size(), [&](std::size_t i) {
    if (wall_of_[i] < 0) return;
    WallCell& wall = walls_[static_cast<std::size_t>(wall_of_[i])];
    wall.mass = system.mass * system.cells->mass(i);
    wall.inverse_mass = wall.mass.inverse();
  });
}

void CellViscosity::add_couples(const Model& m, const State& s, const Cells& cells) {
  std::vector<Mat3> D(bodies_.size(), Mat3::Zero());
  for (const CellFacet& f : cells.facets) {
    if (m.scene.bodies[f.surface].slip) continue;
    const double eta = m.scene.liquids[s.liquid[f.particle]].viscosity;
    const Vec3 r = s.x[f.particle] + f.centre - s.bodies.x[f.surface];
    const Mat3 nr = -f.area * r.transpose();  // the area points into the solid
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

/// Blocks of M + dt K on its diagonal.
void CellViscosity::invert_blocks(double dt) {
  parallel_for(first_.size() - 1, [&](std::size_t i) {
    if (wall_of_[i] < 0) return;
    WallCell& wall = walls_[static_cast<std::size_t>(wall_of_[i])];
    wall.inverse = Mat3(wall.mass + dt * (wall.S + k_sum_[i] * Mat3::Identity())).inverse();
  });
  for (Body& body : bodies_)
    if (body.unknown) body.inverse = Mat6(body.mass + dt * body.S).inverse();
}

/// (K w)_i
Vec3 CellViscosity::drag(std::size_t i, std::span<const Vec3> w, std::span<const Vec6> u) const {
  Vec3 sum = Vec3::Zero();
  for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e)
    sum += pairs_[e].k * (w[i] - w[pairs_[e].j]);
  if (wall_of_[i] < 0) return sum;
  const WallCell& wall = walls_[static_cast<std::size_t>(wall_of_[i])];
  sum += wall.S * w[i];
  for (std::uint32_t l = wall.first_link; l < wall.last_link; ++l)
    sum -= links_[l].C * u[links_[l].body];
  return sum;
}

/// (K w)_K
Vec6 CellViscosity::drag_body(std::size_t k, std::span<const Vec3> w,
                              std::span<const Vec6> u) const {
  Vec6 sum = bodies_[k].S * u[k];
  for (const std::uint32_t l : bodies_[k].links)
    sum -= links_[l].C.transpose() * w[links_[l].particle];
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

namespace {

/// Products of a pass over everything, summed in fixed blocks.
struct Products {
  double a = 0, b = 0, c = 0;
  Products operator+(const Products& o) const { return {a + o.a, b + o.b, c + o.c}; }
};

}  // namespace

/// (M + dt K) change = -dt K start, by conjugate gradients with blocks of the diagonal.
ViscosityReport CellViscosity::solve(const Columns& start, double dt, int most, Columns& change) {
  const std::size_t n = start.liquid.size(), bodies = start.bodies.size();
  invert_blocks(dt);
  change.assign(n, bodies), p_.assign(n, bodies), q_.assign(n, bodies);
  r_.assign(n, bodies), z_.assign(n, bodies);
  const auto wall = [&](std::size_t i) -> const WallCell& {
    return walls_[static_cast<std::size_t>(wall_of_[i])];
  };
  const auto weigh = [&](std::size_t i, const Vec3& v) {
    return wall_of_[i] < 0 ? mass_[i] * v.squaredNorm() : v.dot(wall(i).mass * v);
  };
  // z = B r, and r.z, r.M^-1 r, change.M change.
  const auto precondition = [&] {
    Products sums = ordered_sum(n, Products{}, [&](std::size_t i) -> Products {
      const Vec3& r = r_.liquid[i];
      const bool free = wall_of_[i] < 0;
      z_.liquid[i] = free ? Vec3(r / (mass_[i] + dt * k_sum_[i])) : Vec3(wall(i).inverse * r);
      return {r.dot(z_.liquid[i]),
              free ? r.squaredNorm() / mass_[i] : r.dot(wall(i).inverse_mass * r),
              weigh(i, change.liquid[i])};
    });
    for (std::size_t k = 0; k < bodies; ++k) {
      if (!bodies_[k].unknown) continue;
      const Vec6 &r = r_.bodies[k], &x = change.bodies[k];
      z_.bodies[k] = bodies_[k].inverse * r;
      sums = sums + Products{r.dot(z_.bodies[k]), r.dot(bodies_[k].inverse_mass * r),
                             x.dot(bodies_[k].mass * x)};
    }
    return sums;
  };
  forces(start.liquid, start.bodies, r_.liquid, r_.bodies);
  double all = ordered_sum(n, 0.0, [&](std::size_t i) {
    r_.liquid[i] *= dt;
    return weigh(i, start.liquid[i]);
  });
  for (std::size_t k = 0; k < bodies; ++k) {
    if (!bodies_[k].unknown) continue;
    r_.bodies[k] *= dt;
    all += start.bodies[k].dot(bodies_[k].mass * start.bodies[k]);
  }
  ViscosityReport report;
  Products sums = precondition();
  double before = 0;
  for (;; ++report.iterations) {
    const double error_sq = sums.b, change_sq = sums.c;
    if (error_sq <= tolerance * tolerance * change_sq || error_sq <= round_off * round_off * all)
      return report;
    if (report.iterations == most || !std::isfinite(error_sq)) break;
    const double beta = before > 0 ? sums.a / before : 0;
    parallel_for(n, [&](std::size_t i) { p_.liquid[i] = z_.liquid[i] + beta * p_.liquid[i]; });
    for (std::size_t k = 0; k < bodies; ++k)
      if (bodies_[k].unknown) p_.bodies[k] = z_.bodies[k] + beta * p_.bodies[k];
    double curvature = ordered_sum(n, 0.0, [&](std::size_t i) {
      const Vec3& p = p_.liquid[i];
      q_.liquid[i] = dt * drag(i, p_.liquid, p_.bodies);
      q_.liquid[i] += wall_of_[i] < 0 ? Vec3(mass_[i] * p) : Vec3(wall(i).mass * p);
      return p.dot(q_.liquid[i]);
    });
    for (std::size_t k = 0; k < bodies; ++k) {
      if (!bodies_[k].unknown) continue;
      q_.bodies[k] = bodies_[k].mass * p_.bodies[k] + dt * drag_body(k, p_.liquid, p_.bodies);
      curvature += p_.bodies[k].dot(q_.bodies[k]);
    }
    const double alpha = sums.a / curvature;
    parallel_for(n, [&](std::size_t i) {
      change.liquid[i] += alpha * p_.liquid[i];
      r_.liquid[i] -= alpha * q_.liquid[i];
    });
    for (std::size_t k = 0; k < bodies; ++k) {
      if (!bodies_[k].unknown) continue;
      change.bodies[k] += alpha * p_.bodies[k];
      r_.bodies[k] -= alpha * q_.bodies[k];
    }
    before = sums.a;
    sums = precondition();
  }
  report.converged = false;
  return report;
}

// The impulses are -dt K w with the w found, pairs exactly opposite, in place of M (w - w*):
// momentum is kept to round-off however far the solve got. The difference of the two is M^-1 r.
ViscosityReport CellViscosity::apply(const Model& m, std::span<const Vec3> w, double dt, State& s) {
  for (BodyForces& f : s.forces) f.viscosity = {};
  if (empty()) return {};
  const std::size_t n = s.particles(), bodies = s.bodies.size();
  start_.liquid.assign(w.begin(), w.end());
  start_.bodies.resize(bodies);
  for (std::size_t k = 0; k < bodies; ++k) start_.bodies[k] << s.bodies.v[k], s.bodies.omega[k];
  const ViscosityReport report = solve(start_, dt, m.scene.solver.max_iterations, change_);
  parallel_for(n, [&](std::size_t i) { change_.liquid[i] += start_.liquid[i]; });
  for (std::size_t k = 0; k < bodies; ++k) change_.bodies[k] += start_.bodies[k];
  forces(change_.liquid, change_.bodies, r_.liquid, r_.bodies);
  parallel_for(n, [&](std::size_t i) {
    const Vec3 impulse = dt * r_.liquid[i];
    s.v[i] += wall_of_[i] < 0
                  ? Vec3(impulse / mass_[i])
                  : Vec3(walls_[static_cast<std::size_t>(wall_of_[i])].inverse_mass * impulse);
  });
  for (std::size_t k = 0; k < bodies; ++k) {
    const Vec3 force = r_.bodies[k].head<3>(), torque = r_.bodies[k].tail<3>();
    s.forces[k].viscosity = {force, torque};
    if (s.bodies.kind[k] == BodyKind::dynamic) apply_impulse(s.bodies, k, dt * force, dt * torque);
  }
  return report;
}

}  // namespace hydrolith::particles
