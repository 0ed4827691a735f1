#include "particles/cell_operator.h"

#include "core/parallel.h"
#include "particles/liquid_system.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

constexpr double closed = 1e-9;          // [h^(d-1)] a cell with less cap than this is an inner one
constexpr double least_mass = 0.25;      // [-] of a particle's mass that stays with it beside walls
constexpr double nearest_pair = 0.4;     // [h] particles count as at least so far apart
constexpr double smallest_face = 1e-10;  // [h^(d-1)]

/// Neighbours that lie well enough around a particle for a linear fit: det S against tr S.
bool is_round(const Mat3& S, int dimensions, double in_2d, double in_3d) {
  const double trace = dimensions == 2 ? S(0, 0) + S(1, 1) : S.trace();
  const double det = dimensions == 2 ? S(0, 0) * S(1, 1) - S(0, 1) * S(1, 0) : S.determinant();
  return det > (dimensions == 2 ? in_2d * trace * trace : in_3d * trace * trace * trace);
}

/// Inverse in the plane or in space.
Mat3 inverse(Mat3 S, int dimensions) {
  if (dimensions == 2) S(2, 2) = 1;
  Mat3 inverse = S.inverse();
  if (dimensions == 2) inverse(2, 2) = 0;
  return inverse;
}

/// N_f [m^3]
Mat3 moved_with(const CellFacet& f) {
  const Mat3 N = f.area * f.centre.transpose();
  return 0.5 * (N + N.transpose());
}

/// B_f
PointMotion motion_of(const State& s, const CellFacet& f) {
  return motion_at(s.x[f.particle] + f.centre - s.bodies.x[f.surface]);
}

}  // namespace

PointMotion motion_at(const Vec3& r) {
  PointMotion B;
  B << Mat3::Identity(),
      (Mat3() << 0, r.z(), -r.y(), -r.z(), 0, r.x(), r.y(), -r.x(), 0).finished();
  return B;
}

void CellOperator::assemble(const Model& m, const State& s, const Cells& cells,
                            LiquidSystem& system) {
  const double h = system.h;
  dimensions_ = system.dimensions;
  reference_mass_ = system.mass;
  const std::size_t n = cells.size();
  lightness_.resize(n);
  parallel_for(n, [&](std::size_t i) {
    lightness_[i] =
        static_cast<float>(system.mass / (s.volume[i] * m.scene.liquids[s.liquid[i]].density));
  });
  const std::size_t pairs = cells.faces.size();
  first_.assign(cells.first.begin(), cells.first.end());
  out_.resize(pairs), in_.resize(pairs), w_.resize(pairs), d_.resize(pairs);
  neighbour_.resize(pairs), opposite_.resize(pairs);
  c_sum_.resize(n), k_sum_.resize(n), facets_.resize(n), body_.resize(n);
  fit_.resize(n), row_error_.resize(n), repaired_.resize(n);
  find_opposite(cells);
  parallel_for(n, [&](std::size_t i) { fit_neighbours(i, copy_pairs(i, s, cells, h), cells, h); });
  repair_rows();
  reflect();
  weigh_walls(m, s, cells);
  link_bodies(s, cells, system);
  write_diagonal(system);
}

/// Where the entry of (j, i) is, for that of (i, j); none if j does not see i. Neighbours come in
/// ascending order, so that it is the one after all those below i.
void CellOperator::find_opposite(const Cells& cells) {
  parallel_for(
      cells.faces.size(), [&](std::size_t e) { neighbour_[e] = cells.faces[e].neighbour; }, 4096);
  parallel_for(size(), [&](std::size_t i) {
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
      const std::uint32_t j = neighbour_[e], end = first_[j + 1];
      std::uint32_t at = first_[j];
      for (std::uint32_t k = at; k < end; ++k) at += neighbour_[k] < i;
      opposite_[e] = at < end && neighbour_[at] == i ? at : nowhere;
    }
  });
}

/// c_ij = A_ij (x_j - f_ij) / r_ij, w_ij = A_ij / r_ij. A face that the other cell lacks, because
/// its cap ends before it, is free surface: force and divergence must stay adjoint.
CellOperator::Fit CellOperator::copy_pairs(std::size_t i, const State& s, const Cells& cells,
                                           double h) {
  const double per_h = 1 / h, per_face = dimensions_ == 2 ? per_h : per_h * per_h;
  const std::span<const CellFacet> facets = cells.facets_of(i);
  Vec3 total = Vec3::Zero();
  for (const CellFacet& f : facets) total += per_face * f.area;
  facets_[i] = total.cast<float>();
  body_[i] = std::any_of(facets.begin(), facets.end(), [&](const CellFacet& f) {
    return s.bodies.kind[f.surface] != BodyKind::fixed;
  });
  Fit sums;
  Float4 sum(facets_[i]);
  const Vec3 x = s.x[i];
  for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
    const CellFace& face = cells.faces[e];
    const Vec3 d = per_h * (s.x[face.neighbour] - x);
    const double area = opposite_[e] != nowhere ? per_face * face.area : 0;
    const double r = d.norm(), bounded = std::max(r, nearest_pair);
    // c = A n / 2 + A (middle - f) / r. The second part swings wildly where two particles nearly
    // meet; it is symmetric, so that constant pressure pushes nobody however it is bounded.
    const Vec3 aside = 0.5 * d - per_h * face.centre;
    const double w = area / bounded;
    const Vec3f c = (0.5 * area / r * d + w * aside).cast<float>();
    out_[e] = {c.x(), c.y(), c.z(), face.neighbour, 0, 0, 0, 0};
    w_[e] = area > smallest_face ? static_cast<float>(w) : 0;
    d_[e] = d.cast<float>();
    sum += out_[e].c_only();
    // Of what has been rounded, so that the fits below are exact for it.
    const Eigen::Vector4d to(d_[e].x(), d_[e].y(), d_[e].z(), 1), push(c.x(), c.y(), c.z(), 0);
    sums.weighted.noalias() += (w_[e] * to) * to.transpose();
    sums.moments.noalias() += push * to.transpose();
  }
  c_sum_[i] = sum;
  return sums;
}

/// S_i^-1; where a cell is closed and its neighbours lie well around it also the row error E_i and
/// a_ij = w_ij (1 / s_0 - mu . Sc^-1 (d_ij - mu)), s_0 = sum w, mu = sum w d / s_0,
/// Sc = S - s_0 mu mu^T. Elsewhere rows stay as they are.
void CellOperator::fit_neighbours(std::size_t i, const Fit& sums, const Cells& cells, double h) {
  const double per_h = 1 / h, per_face = dimensions_ == 2 ? per_h : per_h * per_h;
  const Mat3 S = sums.weighted.topLeftCorner<3, 3>();
  repaired_[i] = 0;
  row_error_[i] = {};
  fit_[i].setZero();
  if (!is_round(S, dimensions_, 0.02, 0.002)) return;
  fit_[i] = inverse(S, dimensions_);
  if (cells.open[i] * per_face > closed) return;
  const double s0 = sums.weighted(3, 3);
  const Vec3 mu = sums.weighted.topRightCorner<3, 1>() / s0;
  const Mat3 Sc = S - s0 * mu * mu.transpose();
  if (!is_round(Sc, dimensions_, 0.005, 0.0005)) return;
  Mat3 E = sums.moments.topLeftCorner<3, 3>();
  for (const CellFacet& f : cells.facets_of(i))
    E += per_face * f.area * (per_h * f.centre).transpose();
  const double V = cells.volume[i] * per_face * per_h;
  for (int c = 0; c < dimensions_; ++c) E(c, c) -= V;
  const Vec3 t = inverse(Sc, dimensions_) * mu;
  const double whole = 1 / s0 + t.dot(mu);
  for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e)
    out_[e].a = static_cast<float>(w_[e] * (whole - t.dot(d_[e].cast<double>())));
  for (int c = 0; c < 3; ++c) row_error_[i].row[c] = Float4(Vec3(E.row(c)));
  repaired_[i] = 1;
}

/// k_ij = E*_i w_ij S_i^-1 d_ij with Q^T E* = E, so that D - Q^T C is exact for all linear fields.
/// Q^T = 1 - a^T: E* = E + a^T E + (a^T)^2 E + ..., of which a few terms take the rough part of E,
/// nearly all of it.
void CellOperator::repair_rows() {
  const int terms = dimensions_ - 1;  // more take more energy in the plane, less brake in space
  if (terms > 1) term_ = row_error_;
  for (int k = 1; k < terms; ++k) {
    next_.resize(size());
    parallel_for(size(), [&](std::size_t i) {
      Matrix3x4 sum;
      if (repaired_[i])
        for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
          if (!(w_[e] > 0)) continue;
          const float a = out_[opposite_[e]].a;
          const Matrix3x4& E = term_[neighbour_[e]];
          for (int c = 0; c < 3; ++c) sum.row[c] += a * E.row[c];
        }
      next_[i] = sum;
      for (int c = 0; c < 3; ++c) row_error_[i].row[c] += sum.row[c];
    });
    term_.swap(next_);
  }
  parallel_for(size(), [&](std::size_t i) {
    Float4 sum;
    if (repaired_[i]) {
      Mat3 E;
      for (int c = 0; c < 3; ++c) E.row(c) = row_error_[i].row[c].xyz();
      const Eigen::Matrix3f ES = (E * fit_[i]).cast<float>();
      const Float4 x(Vec3f(ES.col(0))), y(Vec3f(ES.col(1))), z(Vec3f(ES.col(2)));
      for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
        const Float4 k = w_[e] * (d_[e].x() * x + d_[e].y() * y + d_[e].z() * z);
        out_[e].kx = k[0], out_[e].ky = k[1], out_[e].kz = k[2];
        sum += k;
      }
    }
    k_sum_[i] = sum;
  });
}

void CellOperator::reflect() {
  parallel_for(
      out_.size(),
      [&](std::size_t e) {
        in_[e] = opposite_[e] != nowhere ? out_[opposite_[e]] : Entry{};
        in_[e].j = out_[e].j;
      },
      4096);
}

/// rho is that of the liquid, less where an open cell is not full of it, and where a particle would
/// keep less than least_mass of its mass.
void CellOperator::weigh_walls(const Model& m, const State& s, const Cells& cells) {
  walls_.clear();
  wall_of_.assign(cells.size(), -1);
  entrained_.assign(s.bodies.size(), Mat6::Zero());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::span<const CellFacet> facets = cells.facets_of(i);
    if (facets.empty()) continue;
    Mat3 N = Mat3::Zero();
    for (const CellFacet& f : facets) N += moved_with(f);
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(N);
    const double mass = reference_mass_ / lightness_[i], most = eigen.eigenvalues().maxCoeff();
    double rho = m.scene.liquids[s.liquid[i]].density;
    if (cells.open[i] > 0) rho = std::min(rho, mass / cells.volume[i]);
    if (rho * most > (1 - least_mass) * mass) rho = (1 - least_mass) * mass / most;
    const Vec3 left = (mass - rho * eigen.eigenvalues().array()) / reference_mass_;
    const Mat3& Q = eigen.eigenvectors();
    wall_of_[i] = static_cast<std::int32_t>(walls_.size());
    walls_.push_back({.particle = static_cast<std::uint32_t>(i),
                      .density = rho,
                      .mass = Q * left.asDiagonal() * Q.transpose(),
                      .inverse = Q * left.cwiseInverse().asDiagonal() * Q.transpose()});
    for (const CellFacet& f : facets) {
      const PointMotion B = motion_of(s, f);
      entrained_[f.surface].noalias() += B.transpose() * (rho * moved_with(f)) * B;
    }
  }
}

void CellOperator::find_excess(const State& s, const Cells& cells, std::vector<Vec6>& out) const {
  out.assign(s.bodies.size(), Vec6::Zero());
  for (const WallCell& wall : walls_)
    for (const CellFacet& f : cells.facets_of(wall.particle)) {
      Vec6 u;
      u << s.bodies.v[f.surface], s.bodies.omega[f.surface];
      const PointMotion B = motion_of(s, f);
      out[f.surface].noalias() +=
          B.transpose() * (wall.density * moved_with(f) * (s.v[wall.particle] - B * u));
    }
}

/// L_iK = sum of facets (A n, (f - X_K) x A n)
void CellOperator::link_bodies(const State& s, const Cells& cells, LiquidSystem& system) {
  const double unit = std::pow(system.h, system.dimensions - 1);
  system.links.clear();
  system.wall_links.clear();
  for (std::size_t k = 0; k < cells.facets.size();) {
    const std::uint32_t i = cells.facets[k].particle;
    const std::size_t links = system.links.size(), walls = system.wall_links.size();
    for (; k < cells.facets.size() && cells.facets[k].particle == i; ++k) {
      const CellFacet& f = cells.facets[k];
      const bool dynamic = s.bodies.kind[f.surface] == BodyKind::dynamic;
      std::vector<BodyLink>& list = dynamic ? system.links : system.wall_links;
      const auto begin = list.begin() + static_cast<std::ptrdiff_t>(dynamic ? links : walls);
      auto link =
          std::find_if(begin, list.end(), [&](const BodyLink& l) { return l.body == f.surface; });
      if (link == list.end()) link = list.insert(list.end(), BodyLink{i, f.surface});
      const Vec3 arm = s.x[i] + f.centre - s.bodies.x[f.surface];
      link->G += (f.area / unit).cast<float>();
      link->T += (arm.cross(f.area) / unit).cast<float>();
    }
  }
  index_links(s.bodies.size(), system);
}

/// a = M_i^-1 f
Float4 CellOperator::lighten(std::size_t i, Float4 f) const {
  return wall_of_[i] < 0
             ? lightness_[i] * f
             : Float4(Vec3(walls_[static_cast<std::size_t>(wall_of_[i])].inverse * f.xyz()));
}

Vec3 CellOperator::change_of_velocity(std::size_t i, const Vec3& impulse) const {
  const Vec3 p = impulse / reference_mass_;
  return wall_of_[i] < 0 ? Vec3(lightness_[i] * p)
                         : Vec3(walls_[static_cast<std::size_t>(wall_of_[i])].inverse * p);
}

float CellOperator::own_part(std::size_t i) const {
  const Float4 own = c_sum_[i] - k_sum_[i];
  return dot(own, lighten(i, own));
}

/// A_ii without the bodies, and of the repair of rows only what the cell itself adds:
/// |sum_j b_ij + facets|^2 / m_i + sum_j |b_ij|^2 / m_j,  b = c - k.
void CellOperator::write_diagonal(LiquidSystem& system) const {
  parallel_for(size(), [&](std::size_t i) {
    float total = own_part(i);
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
      const Float4 b = out_[e].c_only() - out_[e].k_only();
      total += dot(b, lighten(out_[e].j, b));
    }
    system.diagonal[i] = total;
  });
}

void CellOperator::close(std::size_t i, const Vec3& area, LiquidSystem& system) {
  const float before = own_part(i);
  facets_[i] += area.cast<float>();
  c_sum_[i] += Float4(Vec3f(area.cast<float>()));
  system.diagonal[i] += own_part(i) - before;
}

/// -(D'^T x)_i with q = Q x at hand.
Float4 CellOperator::push(std::size_t i, std::span<const float> x) const {
  Float4 sum = x[i] * c_sum_[i] - q_[i] * k_sum_[i];
  for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
    const Entry& in = in_[e];
    sum -= x[in.j] * in.c_only() - q_[in.j] * in.k_only();
  }
  return sum;
}

/// q = Q x
void CellOperator::take_off_fit(std::span<const float> x) const {
  q_.resize(size());
  parallel_for(size(), [&](std::size_t i) {
    float fit = 0;
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) fit += out_[e].a * x[out_[e].j];
    q_[i] = x[i] - fit;
  });
}

void CellOperator::accelerate(std::span<const float> x, std::span<Float4> a) const {
  take_off_fit(x);
  parallel_for(size(), [&](std::size_t i) { a[i] = lighten(i, push(i, x)); });
}

double CellOperator::diverge(std::span<const Float4> a, std::span<const float> weight,
                             std::span<float> out) const {
  z_.resize(size());
  parallel_for(size(), [&](std::size_t i) {
    Float4 y = a[i] * c_sum_[i], z = a[i] * k_sum_[i];
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
      const Entry& o = out_[e];
      y -= a[o.j] * o.c_only();
      z -= a[o.j] * o.k_only();
    }
    z_[i] = sum(z);
    out[i] = sum(y) - z_[i];
  });
  return ordered_sum(size(), 0.0, [&](std::size_t i) {
    float given = 0;
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) given += in_[e].a * z_[in_[e].j];
    out[i] += given;
    return static_cast<double>(weight[i]) * out[i];
  });
}

void CellOperator::apply_pressure(std::span<const float> x, double speed, std::span<Vec3> v) const {
  take_off_fit(x);
  parallel_for(size(), [&](std::size_t i) {
    const double xi = x[i], qi = q_[i];
    Vec3 f = xi * facets_[i].cast<double>();
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
      const Entry &o = out_[e], &in = in_[e];
      const double xj = x[o.j], qj = q_[o.j];
      f += xi * Vec3(o.cx, o.cy, o.cz) - xj * Vec3(in.cx, in.cy, in.cz);
      f -= qi * Vec3(o.kx, o.ky, o.kz) - qj * Vec3(in.kx, in.ky, in.kz);
    }
    const Vec3 a = wall_of_[i] < 0
                       ? Vec3(lightness_[i] * f)
                       : Vec3(walls_[static_cast<std::size_t>(wall_of_[i])].inverse * f);
    v[i] -= speed * a;
  });
}

float CellOperator::weigh(std::size_t i, Float4 a, Float4 b) const {
  if (wall_of_[i] < 0) return dot(a, b) / lightness_[i];
  return static_cast<float>(
      a.xyz().dot(walls_[static_cast<std::size_t>(wall_of_[i])].mass * b.xyz()));
}

void CellOperator::gradients(std::span<const Vec3> v) {
  gradients_.resize(size());
  parallel_for(size(), [&](std::size_t i) {
    Mat3 G = Mat3::Zero();
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e)
      G += w_[e] * (v[out_[e].j] - v[i]) * d_[e].cast<double>().transpose();
    gradients_[i] = G * fit_[i];
  });
}

void CellOperator::smooth(std::span<const float> share, std::span<Vec3> v) {
  gradients(v);
  change_.resize(size());
  parallel_for(size(), [&](std::size_t i) {
    Vec3 sum = Vec3::Zero();
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
      const std::uint32_t j = out_[e].j;
      if (body_[i] || body_[j] || opposite_[e] == nowhere) continue;
      const double w = double{w_[e]} + w_[opposite_[e]], mass = 1 / (lightness_[i] + lightness_[j]);
      sum += 0.5 * (share[i] + share[j]) * mass * w *
             (v[j] - v[i] - 0.5 * (gradients_[i] + gradients_[j]) * d_[e].cast<double>());
    }
    change_[i] = 0.5 / dimensions_ * lightness_[i] * sum;
  });
  parallel_for(size(), [&](std::size_t i) { v[i] += change_[i]; });
}

}  // namespace hydrolith::particles
