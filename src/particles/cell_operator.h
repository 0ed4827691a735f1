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
// w_ij = A_ij / r_ij, S_i = sum_j w_ij (x_j - x_i) (x) (x_j - x_i). Q vanishes for linear p. Where
// two cells do not agree on their face, which happens at the free surface, A_ij in w_ij is the
// mean. There c_ij counts faces and facets with the weights of cells/free_surface.h.
//
// Beside walls and bodies D^T p misses rho N_i^T a, and the push on the solid rho N_i a, with
// N_i = sum_facets A n (x) (f - x_i): moving a particle does not move the wall's face. The
// symmetric part N_f of a facet is mass that goes with the wall (the rest is a force,
// lean_on_walls):
//   M_i = m I - rho sum_facets N_f,    M_K += sum_facets rho B_f^T N_f B_f,  B_f = (I, -[f -
//   X_K]x).
// With it Archimedes holds to a thousandth. N_f = A (d_n n n^T + (n d_t^T + d_t n^T) / 2) with the
// parts of d = f - x_i along the normal and across it; the second term is not positive, so that the
// mass of a body lighter than the sum of those would not be either: there it fades out
// (weigh_slants), and is a force. So m v_i counts too much momentum, that of a mass which
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
#include "particles/edge_flow.h"
#include "particles/model.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace hydrolith::particles {

struct LiquidSystem;

/// Columns of a 3 x 3 matrix.
struct Columns3 {
  Float4 x, y, z;
  Float4 operator*(Float4 d) const { return d[0] * x + d[1] * y + d[2] * z; }
};

/// B = (I, -[r]x): velocity of a body's point at r from its centre.
using PointMotion = Eigen::Matrix<double, 3, 6>;
PointMotion motion_at(const Vec3& r);

/// How far a particle is squeezed between solids along an axis: 0 where no more of its mass goes
/// with them than may (least_mass), 1 where all of it would.
struct Squeeze {
  double share = 0;  // [-]
  Vec3 axis = Vec3::Zero();
};

class CellOperator final : public FaceTaker {
 public:
  /// Gets ready to take the faces of cells around these positions.
  void start(const State& s, double h, int dimensions);
  void make_room(std::size_t faces, std::size_t expected) override;
  void take(std::uint32_t i, std::uint32_t first, std::span<const CellFace> faces) override;

  /// Everything that follows from the cells, whose faces have been taken: operator, links, masses,
  /// diagonal of `system`.
  void assemble(const Model& m, const State& s, const Cells& cells, LiquidSystem& system);

  /// Then: rows near sharp edges (edge_flow.h). `edges`: of every shape.
  void mend_edges(const Model& m, const State& s, const Cells& cells, const CellBuilder& builder,
                  std::span<const std::vector<SharpEdge>> edges, LiquidSystem& system);

  std::size_t size() const { return first_.size(); }
  std::size_t pairs() const { return neighbour_.size(); }

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
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) add(neighbour_[e], Float4(c_in_[e]));
  }

  /// Cells that touch solids, and which of them cell i is, or -1.
  std::size_t walls() const { return walls_.size(); }
  std::int32_t wall_of(std::size_t i) const { return wall_of_[i]; }
  /// Whether cell i touches a dynamic or kinematic body.
  bool beside_body(std::size_t i) const { return body_[i] != 0; }
  float lightness(std::size_t i) const { return lightness_[i]; }
  /// M_i [reference mass]
  Mat3 mass(std::size_t i) const {
    return wall_of_[i] < 0 ? Mat3(Mat3::Identity() / lightness_[i])
                           : walls_[static_cast<std::size_t>(wall_of_[i])].mass;
  }

  Squeeze squeeze(std::size_t i) const {
    return wall_of_[i] < 0 ? Squeeze{} : walls_[static_cast<std::size_t>(wall_of_[i])].squeeze;
  }
  /// [m/s] of particle i by an impulse [kg m/s]: M_i^-1 p.
  Vec3 change_of_velocity(std::size_t i, const Vec3& impulse) const;
  /// [kg/m^3] rho of the wall mass of cell wall_of(i).
  double wall_density(std::size_t wall) const { return walls_[wall].density; }
  /// [-] The part of a facet's slanted moments that counts as mass: 1, but less where they far
  /// outweigh the body.
  double slant(std::size_t body) const { return slant_[body]; }
  /// Masses [kg], [kg m^2] that go with the bodies, one 6 x 6 matrix a body.
  std::span<const Mat6> entrained() const { return entrained_; }
  /// Momentum [kg m/s], [kg m^2/s] of that liquid at its particles' velocities less that at the
  /// bodies'; one a body.
  void find_excess(const State& s, const Cells& cells, std::vector<Vec6>& out) const;

  // --- neighbours: entries first(i) .. last(i) of particle i ----------------------------------

  std::uint32_t first(std::size_t i) const { return first_[i]; }
  std::uint32_t last(std::size_t i) const { return last_[i]; }
  std::uint32_t neighbour(std::uint32_t e) const { return neighbour_[e]; }
  /// [h] How far a particle that is now at x [m] has come since the cells were cut.
  double moved(std::size_t i, const Vec3& x) const {
    return ((x - origin_) / h_ - at_[i].xyz()).norm();
  }
  /// [h] x_j - x_i, exactly opposite seen from j.
  Float4 way(std::size_t i, std::size_t j) const { return at_[j] - at_[i]; }
  /// w_ij [h^(d-2)], the same bits seen from j; zero if one of the cells lacks the face. Particles
  /// count as at least 0.4 h apart.
  float weight(std::uint32_t e) const { return std::abs(w_[e]); }
  /// A_ij / r_ij likewise, with the distance that they have.
  float conductance(std::uint32_t e, std::size_t i, std::size_t j) const {
    return w_[e] >= 0 ? w_[e] : conductance_of_near(w_[e], way(i, j));
  }
  /// [h^(d+1)] integral of |y - x_i|^2 - r^2 over the face, r^2 that of a lattice; seen from j too.
  float excess(std::uint32_t e) const { return excess_[e]; }

  // --- rows, for velocities v(j), solids at rest: D' v = plain - rough + sum_j fitted rough_j

  /// (D v)_i
  template <class V>
  float plain_divergence(std::size_t i, V&& v) const {
    Float4 sum = Float4() - c_sum_[i] * v(static_cast<std::uint32_t>(i));
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e) sum += load_c(e) * v(neighbour_[e]);
    return sum[0] + sum[1] + sum[2];
  }
  /// (C v)_i
  template <class V>
  float roughness(std::size_t i, V&& v) const {
    if (k_unit_[i] == 0) return 0;
    Float4 sum = Float4() - k_sum_[i] * v(static_cast<std::uint32_t>(i));
    for (std::uint32_t e = first_[i]; e < last_[i]; ++e)
      sum += Float4(k_[e].x, k_[e].y, k_[e].z, 0) * v(neighbour_[e]);
    return k_unit_[i] * (sum[0] + sum[1] + sum[2]);
  }
  /// a_ji of the entry (i, j)
  float fitted(std::uint32_t e) const { return a_in_[e]; }

  /// L_i = grad v [m/s per h], least squares over the neighbours; zero where they are too few.
  void gradients(std::span<const Vec3> v);
  const Columns3& gradient(std::size_t i) const { return gradients_[i]; }
  /// [m/s] The velocities that the gradients are of.
  Float4 velocity(std::size_t i) const { return velocity_[i]; }

 private:
  /// k_ij in multiples of its particle's unit.
  struct Small3 {
    std::int16_t x, y, z;
  };
  struct WallCell {
    std::uint32_t particle = 0;
    double density = 0;                                        // [kg/m^3] rho
    Mat3 mass = Mat3::Identity(), inverse = Mat3::Identity();  // [reference mass]
    Squeeze squeeze = {};
  };

  Float4 load_c(std::uint32_t e) const { return Float4(c_[e]); }
  static float conductance_of_near(float w, Float4 way);
  void reserve(std::size_t particles);
  std::uint32_t find_opposite(std::uint32_t i, std::uint32_t j) const;
  void pair_up(std::uint32_t i);
  void join(std::size_t i, std::uint32_t e, std::uint32_t back);
  void fit_neighbours(std::size_t i, const State& s, const Cells& cells);
  void repair_row(std::size_t i);
  void write_row(std::size_t i, LiquidSystem& system);
  Mat3 moved_with(const CellFacet& f) const;
  void weigh_slants(const Model& m, const State& s, const Cells& cells);
  void weigh_wall(const Model& m, const State& s, const Cells& cells, WallCell& wall);
  void weigh_walls(const Model& m, const State& s, const Cells& cells);
  void link_bodies(const State& s, const Cells& cells, LiquidSystem& system);
  void take_off_fit(std::span<const float> x) const;
  Float4 lighten(std::size_t i, Float4 f) const;
  float lightly(std::size_t i, Float4 f) const;

  int dimensions_ = 3;
  double h_ = 0;                // [m]
  Vec3 origin_ = Vec3::Zero();  // [m] the first particle
  double reference_mass_ = 1;   // [kg]
  std::span<const Vec3> x_;     // [m] while faces are taken
  // Of every pair; in: what j has for i, at the same place.
  std::vector<std::uint32_t> neighbour_;
  std::vector<Vec3f> c_, c_in_;   // c_ij
  std::vector<Small3> k_, k_in_;  // [k_unit of i], [of j]
  // a_ij; until rows are written A_ij / r_ij and the excess as cell i sees them.
  std::vector<float> a_, a_in_;
  std::vector<float> w_;       // w_ij; negative if the pair is too near
  std::vector<float> excess_;  // of both cells
  // Of every particle.
  std::vector<std::uint32_t> first_, last_;
  std::vector<Float4> at_;        // [h] position from the origin
  std::vector<Float4> c_sum_;     // sum_j c_ij + facets of the cell
  std::vector<Float4> k_sum_;     // sum_j k_ij
  std::vector<float> k_unit_;     // [-]
  std::vector<float> repair_;     // [-] sum_j |k_ij|^2 / m_j + |sum_j k_ij|^2 / m_i
  std::vector<char> body_;        // whether a cell touches a body that is not at rest for good
  std::vector<Vec3f> facets_;     // sum of the cell's facets A n
  std::vector<float> lightness_;  // reference mass / m_i
  std::vector<Float4> fit_;       // a_ij = w_ij (d_ij, 1) . fit_i; zero where rows are not repaired
  std::vector<Columns3> inverse_;    // S_i^-1, zero where it is poor
  std::vector<Columns3> row_error_;  // E_i; E*_i S_i^-1 once the rows are repaired
  std::vector<Columns3> gradients_;  // E*_i while rows are repaired, then L_i
  std::vector<Float4> velocity_;
  std::vector<double> slant_;  // [-] per body
  std::vector<WallCell> walls_;
  std::vector<std::int32_t> wall_of_;  // particle -> walls_, or -1
  std::vector<Mat6> entrained_;
  EdgeFlow edges_;
  mutable std::vector<float> edge_sums_;
  mutable std::vector<double> edge_pushes_;
  mutable std::vector<float> q_, z_;
};

}  // namespace hydrolith::particles
