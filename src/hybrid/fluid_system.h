#pragma once
// The liquid's block of the system of Takahashi & Batty 2022, eq. 32-34, 37: unknown are pressures
// p and, of viscous liquid, stresses s. With B = [G D] (face x unknown) it reads
//   A = C + B^T M_f^-1 B,   b = B^T u* / dt,   u = u* - dt M_f^-1 B z,   z = (p, s)
//   G = W_F^u Ghat,  D = W_F^u Dhat,  M_f = rho W_F^u W_L^u,
// C the compliance of viscosity (zero for p); the unknowns are W_L^p p and W_L^s s, which take the
// liquid's fractions out of G and D (in the paper G = W_F^u Ghat W_L^p): the same velocities, but
// A_pp is a Laplacian that a multigrid understands; Ghat and Dhat have entries +-1/dx, Dhat being
// minus the divergence of the stress. s_yy = -(s_xx + s_zz) is not an unknown (stress reduction; 2D
// -s_xx).
//
// Bodies r add F^T M_r^-1 F / alpha with F = -Q W_S^u [Ghat Dhat], alpha = 1/dx^d: F is kept here,
// its product with M_r^-1 belongs to the coupled system.
//
// Fractions are volumes made of the same sub-cells. (The paper takes areas for the W_F^u of
// inviscid liquid; with them a flat bottom is rounded to the next face, and the draught of a box
// with it.) Inviscid liquid: W_L^p is 0 or 1 and W_L^u = theta, the distance from the centre to the
// surface in cells (ghost fluid, Gibou et al. 2002), so that B^T M_f^-1 B has 2d + 1 points.
//
// Valid unknowns: a pressure or stress counts if its W_L > 0 and a face beside it is open (W_F >
// 0), inside solids too; without those in solids nothing balances at walls.

#include "hybrid/liquid_surface.h"
#include "hybrid/solid_field.h"
#include "hybrid/tile_grid.h"
#include "hybrid/tile_mask.h"
#include "linalg/block_ldu.h"
#include "linalg/cell_system.h"
#include "linalg/sparse_rows.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith::hybrid {

/// Where an unknown lives: p, s_xx and s_zz at a cell's centre; a shear stress on the edge along
/// the third axis through the cell's lower corner. In 2D there are p, s_xx, s_xy.
enum Kind : int { pressure = 0, xx = 1, zz = 2, yz = 3, xz = 4, xy = 5 };
constexpr int kinds = 6;

/// What the liquid is made of, cell by cell.
struct LiquidMaterial {
  std::vector<double> density;    // [kg/m^3] 0 without liquid
  std::vector<double> viscosity;  // [Pa s]   likewise; empty: inviscid
  double usual_density = 1000;    // [kg/m^3] where there is none, inside solids
  double usual_viscosity = 1;     // [Pa s]
};

/// Columns of F: what a unit of an unknown does to a body, as force [1/m] and torque [-] per alpha.
struct BodyForceColumns {
  std::uint32_t body = 0;
  std::vector<std::uint32_t> column;  // rising
  std::vector<Vec6> value;
};

class FluidSystem {
 public:
  bool viscous = false;
  std::size_t pressures = 0, stresses = 0;  // unknowns, in this order
  std::size_t size() const { return pressures + stresses; }

  std::array<std::vector<std::int32_t>, kinds> column;  // cell -> unknown, -1: none
  std::vector<std::uint32_t> pressure_cell;             // pressure -> cell
  CellSystem A_pp;                                      // G^T M_f^-1 G
  std::vector<double> diagonal_s;                       // of A_ss
  std::vector<double> b;                                // [1/s^2] B^T u* / dt
  std::vector<BodyForceColumns> forces;                 // F, per moving body

  /// Unknowns, B and F: all that follows from positions. Refers to surface and material.
  void assemble(const TileGrid& grid, const SolidField& solids, const LiquidSurface& surface,
                const LiquidMaterial& material, const RigidBodies& bodies, double dt);
  /// b for velocities before the solve.
  void load(const TileGrid& grid, const SolidField& solids, const FaceField& u, double dt);
  /// y = A z
  void multiply(std::span<const double> z, std::span<double> y) const;
  /// u <- u - dt M_f^-1 B z on all faces that an unknown acts on.
  void push(const TileGrid& grid, const SolidField& solids, std::span<const double> z, double dt,
            FaceField& u) const;
  /// Marks faces that an unknown acts on.
  void mark_faces(const TileGrid& grid, const SolidField& solids,
                  std::array<CellSet, 3>& known) const;

  /// W_L^p of a pressure, at least 0.05: the unknown over it is the pressure.
  double liquid_part(std::size_t pressure) const;

  /// M_f [kg/m^3] of a face that an unknown acts on.
  double face_mass(const TileGrid& grid, const SolidField& solids, std::size_t cell,
                   int axis) const;

  /// Shear stress sqrt(s:s / 2) [Pa] in every cell with liquid, from a solution; 0 elsewhere.
  void shear_stress(const TileGrid& grid, std::span<const double> z,
                    std::vector<double>& stress) const;

  /// Compliance of viscosity for another viscosity in every cell; the pattern stays.
  void set_viscosity(const TileGrid& grid, const LiquidMaterial& material, double dt);

 private:
  void number_inviscid(const TileGrid& grid, const SolidField& solids,
                       const LiquidSurface& surface);
  void number_viscous(const TileGrid& grid, const SolidField& solids, const LiquidSurface& surface);
  void assemble_inviscid(const TileGrid& grid, const SolidField& solids);
  void assemble_viscous(const TileGrid& grid, const SolidField& solids,
                        const LiquidSurface& surface);
  void assemble_forces(const TileGrid& grid, const SolidField& solids, const RigidBodies& bodies);
  double face_density(std::size_t cell, std::int32_t below) const;
  double inverse_theta(std::size_t cell, std::int32_t below) const;
  void mark_pressures(const TileGrid& grid, const SolidField& solids);

  const LiquidMaterial* material_ = nullptr;
  const LiquidSurface* surface_ = nullptr;
  std::array<CellSet, 3> marked_;  // faces that a pressure acts on
  CellSet with_pressure_;

  // Viscous liquid.
  std::array<std::vector<float>, kinds> liquid_;  // [-] W_L at the place of every unknown
  struct Face {
    std::uint32_t cell;
    int axis;
  };
  std::vector<Face> faces_;           // rows of B
  std::vector<double> inverse_mass_;  // [m^3/kg] per row
  SparseRows B_, Bt_;
  std::vector<double> compliance_;     // of stresses: diagonal
  std::vector<double> partner_value_;  // coupling of s_xx with s_zz of the same cell ...
  std::vector<std::int32_t> partner_;  // ... and which that is; -1: none
  std::vector<double> stress_weight_;  // [-] W_F^s W_L^s, at least 1e-3, over (W_L^s)^2
  std::vector<std::uint32_t> stress_cell_;
  std::vector<std::uint8_t> stress_kind_;
  mutable std::vector<double> face_scratch_;
  std::vector<std::uint32_t> tile_first_;
};

}  // namespace hydrolith::hybrid
