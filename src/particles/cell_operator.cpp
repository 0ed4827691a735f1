#include "particles/cell_operator.h"

#include "core/double4.h"
#include "core/parallel.h"
#include "particles/liquid_system.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace hydrolith::particles {

namespace {

constexpr double least_mass = 0.25;   // [-] of a particle's mass that stays with it beside walls
constexpr float nearest_pair = 0.4f;  // [h] particles count as at least so far apart
constexpr float same_spot = 0.02f;    // [h] where they rub: only against dividing by zero
constexpr std::uint32_t nowhere = UINT32_MAX;
constexpr double smallest_face = 1e-10;  // [h^(d-1)]
constexpr float largest_number = 32000;  // of 16 bits with a sign

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

Mat3 matrix(const Columns3& c) {
  Mat3 A;
  A << c.x.xyz(), c.y.xyz(), c.z.xyz();
  return A;
}

Columns3 columns(const Mat3& A) {
  return {Float4(Vec3(A.col(0))), Float4(Vec3(A.col(1))), Float4(Vec3(A.col(2)))};
}

/// Three floats of an array that goes on behind them, in one load; the fourth means nothing.
Float4 load(const Vec3f& v) {
  Float4 f;
  std::memcpy(&f.lanes, v.data(), sizeof f);
  return f;
}

/// Likewise three numbers of 16 bits.
template <class Small3>
Float4 load(const Small3& v) {
  using Words = std::int16_t __attribute__((vector_size(8)));
  using Numbers = std::int32_t __attribute__((vector_size(16)));
  Words words;
  std::memcpy(&words, &v, sizeof words);
  return Float4(__builtin_convertvector(__builtin_convertvector(words, Numbers), Float4::Lanes));
}

/// To the nearest whole number, half to even: opposite numbers stay opposite.
template <class Small3>
Small3 rounded(Float4 v) {
  using Bits = std::int32_t __attribute__((vector_size(16)));
  const Bits bits = std::bit_cast<Bits>((v + Float4(0x1.8p23f)).lanes);
  return {static_cast<std::int16_t>(bits[0]), static_cast<std::int16_t>(bits[1]),
          static_cast<std::int16_t>(bits[2])};
}

float largest(Float4 v) { return std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])}); }

/// (d, 1)
Float4 with_one(Float4 d) { return d + Float4(0, 0, 0, 1); }

/// w of a pair that is too near, from its A / r.
float mark_near(float conductance, float r_sq) {
  return -conductance * std::max(std::sqrt(r_sq), same_spot) / nearest_pair;
}

double face_unit(double h, int dimensions) { return dimensions == 2 ? h : h * h; }

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

void CellOperator::start(const State& s, double h, int dimensions) {
  h_ = h;
  dimensions_ = dimensions;
  x_ = s.x;
  if (!x_.empty()) origin_ = x_[0];
}

void CellOperator::make_room(std::size_t faces, std::size_t expected) {
  const auto resize = [&](auto&... columns) {
    const auto one = [&](auto& column) {
      // One more, for loads that read beyond the last.
      if (column.capacity() <= faces) column.reserve(std::max(faces, expected) + 1);
      column.resize(faces + 1);
    };
    (one(columns), ...);
  };
  resize(c_, c_in_, k_, k_in_, a_, a_in_, w_, excess_);
  if (neighbour_.capacity() < faces) neighbour_.reserve(std::max(faces, expected));
  neighbour_.resize(faces);
  // What is read beyond the last is multiplied by nought: it must be a number.
  c_[faces] = c_in_[faces] = Vec3f::Zero();
}

/// c_ij = A_ij (x_j - f_ij) / r_ij = A n / 2 + A (middle - f) / r. The second part swings wildly
/// where two particles nearly meet; it is symmetric, so that constant pressure pushes nobody
/// however it is bounded.
void CellOperator::take(std::uint32_t i, std::uint32_t first, std::span<const CellFace> faces) {
  const double per_h = 1 / h_, per_face = 1 / face_unit(h_, dimensions_);
  const double lattice = dimensions_ == 2 ? 1.0 / 3 : 5.0 / 12;
  const Vec3 x = x_[i];
  for (std::uint32_t e = first; const CellFace& face : faces) {
    const Vec3 half = 0.5 * per_h * (x_[face.neighbour] - x);
    const double area = per_face * face.area, push = per_face * face.push;
    const double per_r = 0.5 / half.norm(), bounded = std::min(per_r, 1.0 / nearest_pair);
    const Vec3 c = per_r * push * half + bounded * (push * half - per_face * per_h * face.moment);
    const double conductance = area > smallest_face ? area * std::min(per_r, 1.0 / same_spot) : 0;
    neighbour_[e] = face.neighbour;
    w_[e] = std::bit_cast<float>(nowhere);
    c_[e] = c.cast<float>();
    a_[e] = static_cast<float>(conductance);
    a_in_[e] = static_cast<float>(per_face * per_h * per_h * face.spread - lattice * area);
    ++e;
  }
}

void CellOperator::assemble(const Model& m, const State& s, const Cells& cells,
                            LiquidSystem& system) {
  reference_mass_ = system.mass;
  const std::size_t n = cells.size();
  reserve(n);
  parallel_for(
      n,
      [&](std::size_t i) {
        first_[i] = cells.first[i];
        last_[i] = cells.last[i];
        at_[i] = Float4(Vec3(1 / h_ * (s.x[i] - origin_)));
        lightness_[i] =
            static_cast<float>(system.mass / (s.volume[i] * m.scene.liquids[s.liquid[i]].density));
      },
      4096);
  weigh_walls(m, s, cells);
  link_bodies(s, cells, system);
  parallel_for(n, [&](std::size_t i) { pair_up(static_cast<std::uint32_t>(i)); });
  parallel_for(n, [&](std::size_t i) { fit_neighbours(i, s, cells); });
  parallel_for(n, [&](std::size_t i) { repair_row(i); });
  parallel_for(n, [&](std::size_t i) { write_row(i, system); });
  edges_.clear();
}

/// The diagonal takes the squares of what comes in, not its products with the row.
void CellOperator::mend_edges(const Model& m, const State& s, const Cells& cells,
                              const CellBuilder& builder,
                              std::span<const std::vector<SharpEdge>> edges, LiquidSystem& system) {
  edges_.assemble(m, s, cells, builder, edges, *this);
  edges_.sum_pieces(edge_sums_,
                    [&](const EdgeFlow::Entry& e) { return lightly(e.particle, Float4(e.z)); });
  edges_.for_each_particle([&](std::uint32_t i, std::span<const std::uint32_t> own) {
    for (const std::uint32_t e : own) {
      const float t = edges_.entries()[e].t;
      system.diagonal[i] += t * t * edge_sums_[edges_.piece_of(e)];
    }
  });
}

void CellOperator::reserve(std::size_t n) {
  first_.resize(n), last_.resize(n);
  at_.resize(n), c_sum_.resize(n), k_sum_.resize(n), k_unit_.resize(n), body_.resize(n);
  facets_.resize(n), lightness_.resize(n), fit_.resize(n);
  inverse_.resize(n), row_error_.resize(n), gradients_.resize(n), repair_.resize(n);
  q_.resize(n), z_.resize(n);
}

/// Where the entry of (j, i) is. Neighbours come in ascending order, so that it is the one after
/// all those below i; nowhere if j does not see i.
std::uint32_t CellOperator::find_opposite(std::uint32_t i, std::uint32_t j) const {
  const std::uint32_t begin = first_[j], end = last_[j];
  const std::uint32_t* of_j = neighbour_.data();
  std::uint32_t at = begin;
  for (std::uint32_t e = begin; e < end; ++e) at += of_j[e] < i;
  return at < end && of_j[at] == i ? at : nowhere;
}

/// Where the opposite of every entry is, until the two are joined: in w, looked for from the lower
/// of both particles.
void CellOperator::pair_up(std::uint32_t i) {
  // Memory is asked for before it is needed: the lists of the next particle's neighbours.
  if (i + 1 < size())
    for (std::uint32_t e = last_[i + 1]; e-- > first_[i + 1] && neighbour_[e] > i + 1;)
      __builtin_prefetch(&neighbour_[first_[neighbour_[e]]]);
  for (std::uint32_t e = last_[i]; e-- > first_[i] && neighbour_[e] > i;) {
    const std::uint32_t back = find_opposite(i, neighbour_[e]);
    if (back == nowhere) continue;
    w_[e] = std::bit_cast<float>(back);
    w_[back] = std::bit_cast<float>(e);
  }
}

float CellOperator::conductance_of_near(float w, Float4 way) {
  return -w * nearest_pair / std::max(std::sqrt(dot(way, way)), same_spot);
}

/// What both cells say of the face at entry e. A face that the other cell lacks, because it
/// is cut otherwise there, is free surface: force and divergence must stay adjoint.
void CellOperator::join(std::size_t i, std::uint32_t e, std::uint32_t back) {
  if (back == nowhere) {
    c_[e] = c_in_[e] = Vec3f::Zero();
    w_[e] = excess_[e] = 0;
    return;
  }
  const Float4 d = way(i, neighbour_[e]);
  const float conductance = 0.5f * (a_[e] + a_[back]), r_sq = dot(d, d);
  c_in_[e] = c_[back];
  w_[e] = r_sq < nearest_pair * nearest_pair ? mark_near(conductance, r_sq) : conductance;
  excess_[e] = 0.5f * (a_in_[e] + a_in_[back]);
}

/// Sums over the neighbours: S_i^-1; where a cell is closed and its neighbours lie well around it
/// also the row error E_i and a_ij = w_ij (1 / s_0 - mu . Sc^-1 (d_ij - mu)), s_0 = sum w,
/// mu = sum w d / s_0, Sc = S - s_0 mu mu^T. Elsewhere rows stay as they are.
void CellOperator::fit_neighbours(std::size_t i, const State& s, const Cells& cells) {
  const double per_h = 1 / h_, per_face = 1 / face_unit(h_, dimensions_);
  const std::span<const CellFacet> facets = cells.facets_of(i);
  Vec3 covered = Vec3::Zero();
  for (const CellFacet& f : facets) covered += per_face * f.push * f.normal;
  facets_[i] = covered.cast<float>();
  body_[i] = std::any_of(facets.begin(), facets.end(), [&](const CellFacet& f) {
    return s.bodies.kind[f.surface] != BodyKind::fixed;
  });
  Columns3 squares, moments;  // of w (d, 1) (x) d, and of c (x) d
  Float4 sum, c_sum(facets_[i]);
  const auto add = [&](std::uint32_t e) {
    const Float4 c = load(c_[e]), d = way(i, neighbour_[e]), wd = weight(e) * with_one(d);
    squares.x += d[0] * wd, squares.y += d[1] * wd, squares.z += d[2] * wd;
    moments.x += d[0] * c, moments.y += d[1] * c, moments.z += d[2] * c;
    sum += wd;
    c_sum += c;
  };
  // Memory is asked for before it is needed: the opposite faces of some entries at a time.
  constexpr std::uint32_t some = 16;
  std::array<std::uint32_t, some> back;
  for (std::uint32_t begin = first_[i]; begin < last_[i]; begin += some) {
    const std::uint32_t count = std::min(some, last_[i] - begin);
    for (std::uint32_t k = 0; k < count; ++k) {
      back[k] = std::bit_cast<std::uint32_t>(w_[begin + k]);
      if (back[k] == nowhere) continue;
      __builtin_prefetch(&c_[back[k]]);
      __builtin_prefetch(&a_[back[k]]);
      __builtin_prefetch(&a_in_[back[k]]);
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      join(i, begin + k, back[k]);
      if (back[k] != nowhere) add(begin + k);
    }
  }
  c_sum_[i] = first_three(c_sum);
  fit_[i] = Float4();
  inverse_[i] = row_error_[i] = {};
  const Mat3 S = matrix(squares);
  if (!is_round(S, dimensions_, 0.02, 0.002)) return;
  inverse_[i] = columns(inverse(S, dimensions_));
  if (cells.open[i] > 0) return;
  const double s0 = sum[3];
  const Vec3 mu = sum.xyz() / s0;
  const Mat3 Sc = S - s0 * mu * mu.transpose();
  if (!is_round(Sc, dimensions_, 0.005, 0.0005)) return;
  Mat3 E = matrix(moments);
  for (const CellFacet& f : facets) E += per_face * f.normal * (per_h * f.moment).transpose();
  const double V = cells.volume[i] * per_face * per_h;
  for (int c = 0; c < dimensions_; ++c) E(c, c) -= V;
  const Vec3 t = inverse(Sc, dimensions_) * mu;
  fit_[i] = Float4(Vec3(-t)) + Float4(0, 0, 0, static_cast<float>(1 / s0 + t.dot(mu)));
  row_error_[i] = columns(E);
}

/// k_ij = E*_i w_ij S_i^-1 d_ij with Q^T E* = E, so that D - Q^T C is exact for all linear fields.
/// Q^T = 1 - a^T: E* = E + a^T E + (a^T)^2 E + ..., of which a few terms take the rough part of E,
/// nearly all of it: one in the plane, where more take more energy, two in space, where they brake
/// less. E* S^-1 is left in units in which all k_ij fit into 16 bits.
void CellOperator::repair_row(std::size_t i) {
  k_unit_[i] = repair_[i] = 0;
  gradients_[i] = {};
  if (!(fit_[i][3] > 0)) return;
  Columns3 E = row_error_[i];
  if (dimensions_ == 3)
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) {
      const std::uint32_t j = neighbour_[e];
      const Float4 back = way(j, i);
      const float a = weight(e) * dot(with_one(back), fit_[j]);
      const Columns3& other = row_error_[j];
      E.x += a * other.x, E.y += a * other.y, E.z += a * other.z;
    }
  const Columns3 ES{E * inverse_[i].x, E * inverse_[i].y, E * inverse_[i].z};
  float most = 0, repair = 0;
  Float4 sum;
  for (std::uint32_t e = first_[i]; e < last_[i]; ++e) {
    const std::uint32_t j = neighbour_[e];
    const Float4 k = ES * (weight(e) * way(i, j));
    most = std::max(most, largest(k));
    sum += k;
    repair += lightly(j, k);
  }
  if (!(most > 0)) return;
  k_unit_[i] = most / largest_number;
  repair_[i] = repair + lightly(i, sum);
  const float per_unit = largest_number / most;
  gradients_[i] = {per_unit * ES.x, per_unit * ES.y, per_unit * ES.z};
}

/// a and k of both directions, and A_ii without the bodies. With b = c - k and R_j what C_j weighs,
///   A_ii ~ |sum_j b_ij + facets|^2 / m_i + sum_j |b_ij|^2 / m_j + sum_j a_ji^2 R_j:
/// of the neighbours' repair the squares alone: 0.84 to 1.43 of the true one in 98 % of the cells
/// of a splash, 0.6 to 3.9 in all. Without them it was down to a twelfth beside badly shaped cells.
void CellOperator::write_row(std::size_t i, LiquidSystem& system) {
  Float4 k_sum;
  float total = 0;
  for (std::uint32_t e = first_[i]; e < last_[i]; ++e) {
    const std::uint32_t j = neighbour_[e];
    const Float4 d = way(i, j), back = way(j, i);
    const float w = weight(e);
    a_[e] = w * dot(with_one(d), fit_[i]);
    a_in_[e] = w * dot(with_one(back), fit_[j]);
    k_[e] = rounded<Small3>(gradients_[i] * (w * d));
    k_in_[e] = rounded<Small3>(gradients_[j] * (w * back));
    const Float4 k(k_[e].x, k_[e].y, k_[e].z, 0);
    k_sum += k;
    total +=
        lightly(j, first_three(load(c_[e])) - k_unit_[i] * k) + a_in_[e] * a_in_[e] * repair_[j];
  }
  k_sum_[i] = k_sum;
  system.diagonal[i] = lightly(i, c_sum_[i] - k_unit_[i] * k_sum) + total;
}

/// M_i = m I - rho N_i. rho is that of the liquid, less where an open cell is not full of it, and
/// where a particle would keep less than least_mass of its mass.
void CellOperator::weigh_wall(const Model& m, const State& s, const Cells& cells, WallCell& wall) {
  const std::size_t i = wall.particle;
  Mat3 N = Mat3::Zero();
  for (const CellFacet& f : cells.facets_of(i)) N += moved_with(f);
  const double mass = reference_mass_ / lightness_[i], most_moved = (1 - least_mass) * mass;
  double rho = m.scene.liquids[s.liquid[i]].density;
  if (cells.open[i] > 0 && cells.volume[i] * rho > mass) rho = mass / cells.volume[i];
  if (Eigen::LLT<Mat3>(most_moved * Mat3::Identity() - rho * N).info() != Eigen::Success) {
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(N);
    const double most = eigen.eigenvalues()[2];
    wall.squeeze = {std::clamp((rho * most - most_moved) / (mass - most_moved), 0.0, 1.0),
                    eigen.eigenvectors().col(2)};
    rho = std::min(rho, most_moved / most);
  }
  wall.density = rho;
  wall.mass = (mass * Mat3::Identity() - rho * N) / reference_mass_;
  wall.inverse = wall.mass.inverse();
}

/// N_f [m^3] of d = f - x_i. What is not positive of it counts only by the body's share.
Mat3 CellOperator::moved_with(const CellFacet& f) const {
  const Vec3 n = f.area * f.normal;
  const double ahead = f.normal.dot(f.centre), share = slant_[f.surface];
  const Mat3 slanted = n * (share * (f.centre - ahead * f.normal)).transpose();
  return (ahead > 0 ? ahead : share * ahead) * n * f.normal.transpose() +
         0.5 * (slanted + slanted.transpose());
}

/// 1 for bodies half as heavy as what is not positive of all their facets, 0 at a quarter of it.
void CellOperator::weigh_slants(const Model& m, const State& s, const Cells& cells) {
  slant_.assign(s.bodies.size(), 0);
  for (const CellFacet& f : cells.facets) {
    const double ahead = f.normal.dot(f.centre);
    const double slanted = 0.5 * (f.centre - ahead * f.normal).norm() + std::max(0.0, -ahead);
    slant_[f.surface] += m.scene.liquids[s.liquid[f.particle]].density * std::abs(f.area) * slanted;
  }
  for (std::size_t k = 0; k < slant_.size(); ++k) {
    const bool heavy = s.bodies.kind[k] != BodyKind::dynamic || !(slant_[k] > 0);
    slant_[k] = heavy ? 1 : std::clamp((s.bodies.mass[k] / slant_[k] - 0.25) / 0.25, 0.0, 1.0);
  }
}

void CellOperator::weigh_walls(const Model& m, const State& s, const Cells& cells) {
  weigh_slants(m, s, cells);
  walls_.clear();
  wall_of_.assign(cells.size(), -1);
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    if (cells.facets_of(i).empty()) continue;
    wall_of_[i] = static_cast<std::int32_t>(walls_.size());
    walls_.push_back({.particle = i});
  }
  parallel_for(
      walls_.size(), [&](std::size_t k) { weigh_wall(m, s, cells, walls_[k]); }, 32);
  entrained_.assign(s.bodies.size(), Mat6::Zero());
  for (const WallCell& wall : walls_)
    for (const CellFacet& f : cells.facets_of(wall.particle)) {
      const PointMotion B = motion_of(s, f);
      entrained_[f.surface].noalias() += B.transpose() * (wall.density * moved_with(f)) * B;
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
      const Vec3 arm = s.x[i] - s.bodies.x[f.surface];
      link->G += (f.push / unit * f.normal).cast<float>();
      link->T += ((f.push * arm + f.moment).cross(f.normal) / unit).cast<float>();
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

/// f . M_i^-1 f
float CellOperator::lightly(std::size_t i, Float4 f) const {
  return wall_of_[i] < 0 ? lightness_[i] * dot(f, f) : dot(f, lighten(i, f));
}

/// q = Q x, in units of k.
void CellOperator::take_off_fit(std::span<const float> x) const {
  parallel_for(size(), [&](std::size_t i) {
    float fit = 0;
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) fit += a_[e] * x[neighbour_[e]];
    q_[i] = k_unit_[i] * (x[i] - fit);
  });
}

void CellOperator::accelerate(std::span<const float> x, std::span<Float4> a) const {
  take_off_fit(x);
  parallel_for(size(), [&](std::size_t i) {
    Float4 sum = x[i] * c_sum_[i] - q_[i] * k_sum_[i];
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) {
      const std::uint32_t j = neighbour_[e];
      sum -= x[j] * load(c_in_[e]) - q_[j] * load(k_in_[e]);
    }
    a[i] = lighten(i, first_three(sum));
  });
  if (edges_.empty()) return;
  edges_.sum_pieces(edge_sums_, [&](const EdgeFlow::Entry& e) { return e.t * x[e.particle]; });
  edges_.for_each_particle([&](std::uint32_t i, std::span<const std::uint32_t> own) {
    Float4 push;
    for (const std::uint32_t e : own)
      push += edge_sums_[edges_.piece_of(e)] * Float4(edges_.entries()[e].z);
    a[i] += lighten(i, push);
  });
}

double CellOperator::diverge(std::span<const Float4> a, std::span<const float> weight,
                             std::span<float> out) const {
  parallel_for(size(), [&](std::size_t i) {
    Float4 y = a[i] * c_sum_[i], z = a[i] * k_sum_[i];
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) {
      const Float4 aj = a[neighbour_[e]];
      y -= aj * load(c_[e]);
      z -= aj * load(k_[e]);
    }
    z_[i] = k_unit_[i] * sum(z);
    out[i] = sum(y) - z_[i];
  });
  if (!edges_.empty()) {
    edges_.sum_pieces(edge_sums_,
                      [&](const EdgeFlow::Entry& e) { return dot(Float4(e.z), a[e.particle]); });
    edges_.for_each_particle([&](std::uint32_t i, std::span<const std::uint32_t> own) {
      for (const std::uint32_t e : own)
        out[i] += edges_.entries()[e].t * edge_sums_[edges_.piece_of(e)];
    });
  }
  return ordered_sum(size(), 0.0, [&](std::size_t i) {
    float given = 0;
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) given += a_in_[e] * z_[neighbour_[e]];
    out[i] += given;
    return static_cast<double>(weight[i]) * out[i];
  });
}

void CellOperator::apply_pressure(std::span<const float> x, double speed, std::span<Vec3> v) const {
  take_off_fit(x);
  parallel_for(size(), [&](std::size_t i) {
    const double xi = x[i], qi = q_[i];
    Double4 sum;
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) {
      const double xj = x[neighbour_[e]], qj = q_[neighbour_[e]];
      sum += xi * Double4(load(c_[e])) - xj * Double4(load(c_in_[e]));
      sum -= qi * Double4(load(k_[e])) - qj * Double4(load(k_in_[e]));
    }
    const Vec3 f = xi * facets_[i].cast<double>() + sum.xyz();
    const Vec3 a = wall_of_[i] < 0
                       ? Vec3(lightness_[i] * f)
                       : Vec3(walls_[static_cast<std::size_t>(wall_of_[i])].inverse * f);
    v[i] -= speed * a;
  });
  if (edges_.empty()) return;
  edges_.sum_pieces(edge_pushes_,
                    [&](const EdgeFlow::Entry& e) { return double{e.t} * double{x[e.particle]}; });
  edges_.for_each_particle([&](std::uint32_t i, std::span<const std::uint32_t> own) {
    Vec3 f = Vec3::Zero();
    for (const std::uint32_t e : own) f += edge_pushes_[edges_.piece_of(e)] * edges_.exact_z(e);
    v[i] -= speed * reference_mass_ * change_of_velocity(i, f);
  });
}

float CellOperator::weigh(std::size_t i, Float4 a, Float4 b) const {
  if (wall_of_[i] < 0) return dot(a, b) / lightness_[i];
  return static_cast<float>(
      a.xyz().dot(walls_[static_cast<std::size_t>(wall_of_[i])].mass * b.xyz()));
}

void CellOperator::gradients(std::span<const Vec3> v) {
  velocity_.resize(size());
  parallel_for(
      size(), [&](std::size_t i) { velocity_[i] = Float4(v[i]); }, 4096);
  parallel_for(size(), [&](std::size_t i) {
    Columns3 G;
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) {
      const std::uint32_t j = neighbour_[e];
      const Float4 d = way(i, j), change = weight(e) * (velocity_[j] - velocity_[i]);
      G.x += d[0] * change, G.y += d[1] * change, G.z += d[2] * change;
    }
    gradients_[i] = {G * inverse_[i].x, G * inverse_[i].y, G * inverse_[i].z};
  });
}

}  // namespace hydrolith::particles
