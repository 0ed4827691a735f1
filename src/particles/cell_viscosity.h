#pragma once
// Viscosity of the liquid on Voronoi cells, implicit, with solids that are pushed back.
//
// The straight line between two particles is normal to the face between their cells, so that the
// stress eta dv/dn there needs no more than the two velocities. With d_f the distance of a particle
// from the facet f of solid K, u_K(f) = u + omega x (f - X_K) and P_f = I where liquid sticks to
// the solid, n n^T where it slips along it (BodySpec::slip), the force on cell i is
//   F_i = sum_j k_ij (v_j - v_i) + sum_facets k_f P_f (u_K(f) - v_i),
//   k_ij = eta_ij A_ij / r_ij,  k_f = eta_i A_f / d_f,  eta_ij = 2 eta_i eta_j / (eta_i + eta_j),
// and the opposite of each part acts on cell j or, at f, on solid K: linear momentum is kept
// whatever the disorder, and a linear shear between walls that move with it feels nothing inside.
// The free surface has no faces, hence no force. Where two cells do not agree on their face, which
// happens there, A_ij is the mean of both, and nothing if one of them does not see the other.
//
// d_f is the distance of the facet's plane, but no less than that of the solid: behind an edge the
// plane may run through the particle, though the facet is not that near. Nor less than
// least_distance, where particles in a solid are put back to.
//
// On a solid that turns acts the whole stress, eta (dv/dn + grad v . n), of which the second part,
// eta n x omega (n into the liquid), is missing above. In a cell it sums to nothing over all faces;
// over the surface of a body it makes no force but the couple
//   -D omega,   D = sum_facets eta A ((r.n) I - sym(n r^T)),   r = f - X_K:
// 2 eta times the volume of a body under water. Without it a disc that turns in a round tank feels
// five eighths of its torque. Of bodies that are partly wet only this couple of the wet part is
// taken, not the force. Where D is negative (liquid inside a body that turns) that part is taken at
// the start of the step.
//
// F = -K w is taken at the end of the step: with the masses of the pressure solve (cell_operator.h:
// cells beside walls lend theirs to the solid) and all dynamic bodies as unknowns,
//   (M + dt K) w = M w*,   v += -M^-1 dt K w.
// M + dt K is symmetric and positive definite for any step: conjugate gradients. w* is what the
// liquid would do without viscosity under last step's pressure, v + dt g - dt M^-1 D'^T p; without
// p liquid at rest would hang on its walls by dt g. Bodies have their velocity at the start of the
// step there.
//
// What this form is not: it diffuses velocity (eta lap v), not stress. Both are the same inside an
// incompressible liquid, but at a free surface its natural condition is dv/dn = 0 in place of no
// stress, so that a freely turning drop is braked. Angular momentum is not kept there.

#include "cells/cells.h"
#include "linalg/block_ldu.h"
#include "particles/cell_operator.h"
#include "particles/liquid_system.h"
#include "particles/model.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace hydrolith::particles {

struct CellLiquid;

struct ViscosityReport {
  int iterations = 0;
  bool converged = true;  // false: the limit of iterations was reached
};

class CellViscosity {
 public:
  /// Coefficients of a step from its cells.
  void assemble(const Model& m, const State& s, const CellLiquid& c, const LiquidSystem& system);

  /// -K w [N]: forces on particles and wrenches on bodies (about their X_K) at the velocities w
  /// [m/s] and u.
  void forces(std::span<const Vec3> w, std::span<const Vec6> u, std::span<Vec3> on_liquid,
              std::span<Vec6> on_bodies) const;

  /// A step of viscosity from w*: velocities and bodies of `s` take its impulses, s.forces says
  /// them. Stops where |M^-1 r| is at most 1e-5 of the change of velocity, both in the norm of the
  /// mass: since M + dt K >= M that bounds the error of the velocities.
  ViscosityReport apply(const Model& m, std::span<const Vec3> w, double dt, State& s);

  bool empty() const { return op_ == nullptr; }

 private:
  /// All facets of one body in one cell: force sum_f k_f P_f B_f u - S v on the cell, with
  /// B_f = (1, -(f - X_K) x).
  struct Link {
    std::uint32_t particle = 0, body = 0;
    Eigen::Matrix<double, 3, 6> C = Eigen::Matrix<double, 3, 6>::Zero();  // [kg/s], [kg m/s]
  };
  /// A cell that touches solids.
  struct WallCell {
    Mat3 S = Mat3::Zero();                                          // [kg/s] sum_f k_f P_f
    Mat3 mass = Mat3::Identity(), inverse_mass = Mat3::Identity();  // [kg], [1/kg]
    Mat3 inverse = Mat3::Identity();                                // [1/kg] of M + dt K's block
    std::uint32_t first_link = 0, last_link = 0;
  };
  struct Body {
    bool unknown = false;        // dynamic: its velocity is found
    Mat6 S = Mat6::Zero();       // [kg/s] ... sum_f k_f B_f^T P_f B_f, and D where it is positive
    Vec3 couple = Vec3::Zero();  // [N m] -D omega of the start where D is negative
    Mat6 mass = Mat6::Zero();    // [kg] ... with the liquid's that goes with it
    Mat6 inverse_mass = Mat6::Zero(), inverse = Mat6::Zero();
    std::vector<std::uint32_t> links;
  };
  /// Sums of a pass over everything.
  struct Sums {
    double rz = 0;      // r . B r, B the inverse blocks of the diagonal of M + dt K
    double error = 0;   // r . M^-1 r
    double change = 0;  // x . M x
    double all = 0;     // w* . M w*
    Sums operator+(const Sums& o) const {
      return {rz + o.rz, error + o.error, change + o.change, all + o.all};
    }
  };

  void tabulate(const Model& m, const State& s);
  void join_solids(const Model& m, const State& s, const CellLiquid& c, const LiquidSystem& system);
  void join_solid(const Model& m, const State& s, const CellLiquid& c, std::uint32_t l, Mat3& S);
  void add_couples(const Model& m, const State& s, const Cells& cells);
  void weigh_bodies(const Model& m, const State& s, const LiquidSystem& system);
  bool free(std::size_t i) const { return op_->wall_of(i) < 0; }
  const WallCell& wall(std::size_t i) const {
    return walls_[static_cast<std::size_t>(op_->wall_of(i))];
  }
  /// k_ij, the same bits on both sides.
  float k(std::uint32_t e, std::size_t i, std::size_t j) const {
    const float eta = liquid_.empty() ? table_[0] : table_[liquid_[i] * liquids_ + liquid_[j]];
    return eta * op_->conductance(e, i, j);
  }
  Vec3 weighted(std::size_t i, const Vec3& v) const;
  template <class Column>
  Vec3 drag(std::size_t i, const Column& w, std::span<const Vec6> u) const;
  template <class Column>
  Vec6 drag_body(std::size_t k, const Column& w, std::span<const Vec6> u) const;
  Sums sums_of(std::size_t i, double dt) const;
  Sums start(std::span<const Vec3> w, double dt);
  void turn(double beta, double dt);
  double curve(double dt);
  Sums advance(double alpha, double dt);
  Sums sums_of_bodies() const;
  ViscosityReport solve(std::span<const Vec3> w, double dt, int most);

  double h_ = 0;
  const CellOperator* op_ = nullptr;   // none: nothing rubs
  std::vector<float> table_;           // [Pa s m^(d-2)] eta_ij h^(d-2) of two liquids
  std::size_t liquids_ = 0;            // rows of the table
  std::vector<std::uint32_t> liquid_;  // of every particle; empty if there is but one
  std::vector<double> k_sum_;          // [kg/s] sum_j k_ij
  std::vector<double> mass_;           // [kg] of each particle
  std::vector<WallCell> walls_;        // as CellOperator counts them
  std::vector<Link> links_;            // by particle
  std::vector<Mat6> of_body_;          // S of every link
  std::vector<Body> bodies_;
  // Of the solve, for particles and bodies (u: at the start of the step): change x of the
  // velocities, impulses J = -dt K (w* + x), direction p and K p. The residual is J - M x.
  std::vector<Vec3> x_, J_, Kp_;
  std::vector<Float4> p_;
  std::vector<Vec6> u_, x_u_, J_u_, p_u_, Kp_u_;
};

}  // namespace hydrolith::particles
