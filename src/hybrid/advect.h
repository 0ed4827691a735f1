#pragma once
// Points carried along by the velocity of the grid.

#include "hybrid/tile_grid.h"

#include <cstdint>
#include <span>

namespace hydrolith::hybrid {

/// Largest absolute value of a field on faces [unit of the field].
double largest(const FaceField& field);

/// Moves points through the field u [m/s] for dt [s], u interpolated tri-/bilinearly, by the
/// third-order Runge-Kutta scheme of Ralston (1962):
///   k1 = u(x), k2 = u(x + h/2 k1), k3 = u(x + 3/4 h k2), x += h (2 k1 + 3 k2 + 4 k3) / 9
/// in equal substeps h, the same for all points, so short that none goes farther than one cell
/// along an axis. Faces of tiles that do not exist count as zero. `first` as from ParticleSorter,
/// for the places before the move. Fast up to 5 cells, right for any distance. 2D: z stays.
void advect(const TileGrid& grid, const FaceField& u, double dt, std::span<Vec3> x,
            std::span<const std::uint32_t> first);

/// The velocity at any point, by a search of its tile: slow, and the reference for what is fast.
Vec3 velocity_at(const TileGrid& grid, const FaceField& u, const Vec3& x);

}  // namespace hydrolith::hybrid
