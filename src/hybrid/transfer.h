#pragma once
// Between particles and grid: affine particle-in-cell (APIC, Jiang, Schroeder, Selle, Teran &
// Stomakhin 2015) on staggered faces with tri-/bilinear weights w.
//
// With D_a = sum_f w_f (x_f - x_p)(x_f - x_p)^T = dx^2 diag(f_d (1 - f_d)) over the faces of axis a
// around particle p, a transfer in either direction keeps
//   linear momentum    sum_p m v_a                     = sum_f m_f u_f
//   angular momentum   sum_p m (v_a x + D_a c_a) x e_a = sum_f m_f u_f x_f x e_a   (sum over a)
// to round-off. Between two steps x moves and D_a with it, while c stays: there a particle's affine
// part changes by a share of the order of the move in cells. Among particles spread evenly the mean
// of f (1 - f) stays 1/6, and most of that cancels.
//
// c is kept in float: the angular momentum of the affine part and the differences of velocity
// across a cell are rounded to 6e-8 of themselves, linear momentum not at all, since
// sum_f w_f (x_f - x_p) = 0 whatever c is.

#include "hybrid/liquid_particles.h"
#include "hybrid/tile_grid.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith::hybrid {

/// The liquid as the grid sees it; sized and written by particles_to_grid.
struct GridLiquid {
  FaceField u;                    // [m/s] mass-weighted mean of v_a + c_a . (x_face - x_p)
  FaceField mass;                 // [kg] sum of m w at every face; where it is 0, u is 0
  std::vector<double> volume;     // [m^3] per cell centre: sum of V w
  std::vector<double> cell_mass;  // [kg] sum of V rho w
  std::vector<double> viscosity;  // [Pa s m^3] sum of V eta w
};

/// Particles must be sorted, `first` as from ParticleSorter; density [kg/m^3] and viscosity [Pa s]
/// by liquid. In 2D the fields of axis z are zero.
void particles_to_grid(const TileGrid& grid, const LiquidParticles& particles,
                       std::span<const std::uint32_t> first,
                       std::span<const double> density_of_liquid,
                       std::span<const double> viscosity_of_liquid, GridLiquid& out);

/// v_a = sum w u_a, c_a = sum grad w u_a. Faces of tiles that do not exist count as zero; in 2D
/// the z parts become zero.
void grid_to_particles(const TileGrid& grid, const FaceField& u,
                       std::span<const std::uint32_t> first, LiquidParticles& particles);

}  // namespace hydrolith::hybrid
