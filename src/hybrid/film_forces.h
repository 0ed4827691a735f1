#pragma once
// Films in narrow gaps (film/film.h) as part of the grid's system: columns of F.

#include "film/film_solids.h"
#include "hybrid/fluid_system.h"

#include <vector>

namespace hydrolith::hybrid {

struct GridFilm {
  explicit GridFilm(const World& world);

  FilmSolids solids;
  std::vector<SurfaceIndex> shapes;  // per distinct shape
  std::vector<Vec6> start;           // per body: velocity at the start of the step
  std::vector<WetSurface> wet;
  Film film;
};

/// Finds films and adds them to the forces of an assembled system. `pressure` [Pa] is the last one
/// known of every unknown.
void add_film(const World& world, const RigidBodies& bodies, const TileGrid& grid,
              const LiquidMaterial& material, std::span<const double> pressure, double dt,
              GridFilm& f, FluidSystem& fluid);

}  // namespace hydrolith::hybrid
