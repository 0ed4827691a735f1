#pragma once
// The liquid's divergence and its adjoint force on Voronoi cells: exact on both sides.
//
// A divergence D and its force D^T p must each be consistent. Where the force is not exact for
// constant and linear pressure, liquid at rest boils and Archimedes fails; where the divergence is
// not (nearly) exact for linear velocities, shear under pressure is resisted. With cells of volume
// V_i, faces of area A_ij and centroid f_ij, and r_ij = |x_j - x_i|,
//   c_ij = dV_i/dx_j = A_ij (x_j - f_ij) / r_ij
//   (D v)_i = sum_j c_ij . (v_j - v_i) + sum_K facets of K in the cell: A n . (u_K(f) - v_i).
// Cells fill space, so constant p gives no force, and by Gauss p = a . x gives -V_i a: columns are
// exact at any disorder. Rows are exact for translation, rotation and dilation; of shear they miss
//   E_i = sum_j c_ij (x) (x_j - x_i) + sum_facets A n (x) (f - x_i) - V_i I,
// which is given back without touching the columns:
//   D' = D - Q^T C,   (C v)_i = sum_j k_ij . (v_j - v_i),   k_ij = E_i w_ij S_i^-1 (x_j - x_i)
//   (Q p)_i = p_i - sum_j a_ij p_j: p_i less its weighted linear fit to the neighbours,
// w_ij = A_ij / r_ij, S_i = sum_j w_ij (x_j - x_i) (x) (x_j - x_i). Q vanishes for linear p.
//
// Beside walls and bodies D^T p misses rho N_i a, N_i = sum_facets N_f, N_f = sym A n (x) (f -
// x_i): moving a particle does not move the wall's face. That part of the cell's mass goes with the
// wall:
//   M_i = m I - rho N_i,    M_K += sum_facets rho B_f^T N_f B_f,  B_f = (I, -[f - X_K]x).
// With it Archimedes holds to a thousandth. So m v_i counts too much momentum, that of a mass which
// goes with u_K and not with v_i:
//   excess_K = sum_facets rho B_f^T N_f (v_i - B_f u_K).
// Within a step sum_i m v_i + sum_K (M_K u_K - excess_K) is kept. When N changes from one step to
// the next, by particles that pass, the change of the excess is handed to the body: a mass that
// joins it brings its momentum along.
//
// Lengths in h, masses in that of a reference particle, as in LiquidSystem.

#include "cells/cells.h"
#include "core/float4.h"
#include "linalg/block_ldu.h"
#include "particles/model.h"

#include <span>
#include <vector>

namespace hydrolith::particles {

struct LiquidSystem;

/// B = (I, -[r]x): velocity of a body's point at r from its centre.
using PointMotion = Eigen::Matrix<double, 3, 6>;
PointMotion motion_at(const Vec3& r);

class CellOperator {
 public:
  /// Everything that follows from the cells: operator, links, masses, diagonal of `system`.
  void assemble(const Model& m, const State& s, const Cells& cells, LiquidSystem& system);

  /// Part of a cell's cap that liquid too thin for cells holds: as if a wall at rest stood there.
  /// `area` [h^(d-1)], out of the cell.
  void close(std::size_t i, const Vec3& area, LiquidSystem& system);

  std::size_t size() const { return first_.empty() ? 0 : first_.size() - 1; }

  /// a = -M^-1 D'^T x
  void accelerate(std::span<const float> x, std::span<Float4> a) const;
  /// out = -D' a, bodies at rest; returns the ordered sum of weight_i out_i.
  double diverge(std::span<const Float4> a, std::span<const float> weight,
                 std::span<float> out) const;
  /// v -= speed a, with a in double and pairs exactly opposite.
  void apply_pressure(std::span<const float> x, double speed, std::span<Vec3> v) const;
  /// a . M_i b in units of the reference mass.
  float weigh(std::size_t i, Float4 a, Float4 b) const;

  /// (D P)_i of coarse functions: calls add(particle k, gradient) for every k that particle i's
  /// acceleration depends on; the row repair is left out.
  template <class Add>
  void for_each_push(std::size_t i, Add&& add) const {
    add(i, Float4() - c_sum_[i]);
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) add(in_[e].j, in_[e].c_only());
  }

  /// Whether cell i touches a dynamic or kinematic body.
  bool beside_body(std::size_t i) const { return body_[i] != 0; }
  /// Where the face of (j, i) is, for face e of (i, j); none if j does not see i.
  std::uint32_t opposite(std::uint32_t e) const { return opposite_[e]; }
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  float lightness(std::size_t i) const { return lightness_[i]; }
  /// M_i [reference mass]
  Mat3 mass(std::size_t i) const {
    return wall_of_[i] < 0 ? Mat3(Mat3::Identity() / lightness_[i])
                           : walls_[static_cast<std::size_t>(wall_of_[i])].mass;
  }

  /// [m/s] of particle i by an impulse [kg m/s]: M_i^-1 p.
  Vec3 change_of_velocity(std::size_t i, const Vec3& impulse) const;
  /// Masses [kg], [kg m^2] that go with the bodies, one 6 x 6 matrix a body.
  std::span<const Mat6> entrained() const { return entrained_; }
  /// Momentum [kg m/s], [kg m^2/s] of that liquid at its particles' velocities less that at the
  /// bodies'; one a body.
  void find_excess(const State& s, const Cells& cells, std::vector<Vec6>& out) const;

  // --- velocities of the liquid between neighbours --------------------------------------------

  /// m_i v_i += sum_j s_ij w_ij m_ij / (2 d) [v_j - v_i - (L_i + L_j) / 2 (x_j - x_i)], with s the
  /// mean of both particles' shares, w that of their faces and m the harmonic mean of their masses:
  /// takes what is rough from the velocities, leaves linear fields alone and keeps momentum. Not
  /// beside bodies that move: the flow round their edges is rough by nature.
  void smooth(std::span<const float> share, std::span<Vec3> v);
  /// L_i = grad v, least squares over the neighbours; zero where they are too few.
  void gradients(std::span<const Vec3> v);
  const Mat3& gradient(std::size_t i) const { return gradients_[i]; }

 private:
  struct alignas(32) Entry {
    float cx, cy, cz;
    std::uint32_t j;
    float kx, ky, kz;
    float a;
    Float4 c_only() const { return Float4(cx, cy, cz, 0); }
    Float4 k_only() const { return Float4(kx, ky, kz, 0); }
  };
  struct Matrix3x4 {  // rows of a 3 x 3 matrix
    Float4 row[3];
  };
  struct WallCell {
    std::uint32_t particle = 0;
    double density = 0;                                        // [kg/m^3] rho
    Mat3 mass = Mat3::Identity(), inverse = Mat3::Identity();  // [reference mass]
  };

  void find_opposite(const Cells& cells);
  /// Sums over the neighbours of a particle, with d = (x_j - x_i, 1).
  struct Fit {
    Eigen::Matrix4d weighted = Eigen::Matrix4d::Zero();  // of w d (x) d: S, its moment, s_0
    Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();   // of (c, 0) (x) d
  };
  Fit copy_pairs(std::size_t i, const State& s, const Cells& cells, double h);
  void fit_neighbours(std::size_t i, const Fit& sums, const Cells& cells, double h);
  void repair_rows();
  void reflect();
  void weigh_walls(const Model& m, const State& s, const Cells& cells);
  void link_bodies(const State& s, const Cells& cells, LiquidSystem& system);
  void write_diagonal(LiquidSystem& system) const;
  void take_off_fit(std::span<const float> x) const;
  Float4 lighten(std::size_t i, Float4 f) const;
  float own_part(std::size_t i) const;
  Float4 push(std::size_t i, std::span<const float> x) const;

  int dimensions_ = 3;
  double reference_mass_ = 1;  // [kg]
  std::vector<std::uint32_t> first_;
  std::vector<Entry> out_, in_;  // c_ij, k_ij, a_ij, and c_ji, k_ji, a_ji at the same place
  std::vector<float> w_;         // w_ij
  std::vector<Vec3f> d_;         // [h] x_j - x_i
  std::vector<Float4> c_sum_;    // sum_j c_ij + facets of the cell
  std::vector<Float4> k_sum_;    // sum_j k_ij
  std::vector<char> body_;       // whether a cell touches a body that is not at rest for good
  std::vector<Vec3f> facets_;
  // sum of the cell's facets A n
  std::vector<float> lightness_;  // reference mass / m_i
  std::vector<WallCell> walls_;
  std::vector<std::int32_t> wall_of_;               // particle -> walls_, or -1
  std::vector<std::uint32_t> neighbour_;            // j of every entry
  std::vector<std::uint32_t> opposite_;             // of every entry
  std::vector<Matrix3x4> row_error_, term_, next_;  // E*_i and terms of its series
  std::vector<char> repaired_;
  std::vector<Mat6> entrained_;
  std::vector<Mat3> gradients_, fit_;  // [1/h] L_i; S_i^-1, zero where it is poor
  std::vector<Vec3> change_;
  mutable std::vector<float> q_, z_;
};

}  // namespace hydrolith::particles
