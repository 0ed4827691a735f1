#include "hybrid/film_forces.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

GridFilm::GridFilm(const World& world) : solids(world, true) {
  if (!solids.any()) return;
  for (const SolidShape& shape : world.solids.shapes) {
    if (world.scene.dimensions == 2)
      shapes.emplace_back(shape.outline);
    else
      shapes.emplace_back(shape.mesh);
  }
}

void add_film(const World& world, const RigidBodies& bodies, const TileGrid& grid,
              const LiquidMaterial& material, std::span<const double> pressure, double dt,
              GridFilm& f, FluidSystem& fluid) {
  if (!f.solids.any()) return;
  const FilmOptions options{.h = grid.dx(), .gravity = world.scene.gravity};
  if (!f.film.find_gaps(options, f.solids.place(world, bodies, f.shapes))) return;
  const double alpha = std::pow(grid.dx(), -grid.dimensions());
  const auto place = [&](std::uint32_t p) {
    return grid.centre(grid.coordinates(fluid.pressure_cell[p]));
  };
  // A pressure pushes a body as if it lay on so much of its surface, along each axis. In narrow
  // gaps it does not: faces there are open by a hair, and liquid in them would hold the body down.
  f.wet.clear();
  for (BodyForceColumns& F : fluid.forces) {
    if (!f.film.has_gap(F.body)) continue;
    for (std::size_t k = 0; k < F.column.size() && F.column[k] < fluid.pressures; ++k)
      for (int a = 0; a < grid.dimensions(); ++a) {
        WetSurface wet{F.column[k], F.body, place(F.column[k])};
        wet.area[a] = F.value[k][a] / alpha;
        if (wet.area[a] == 0) continue;
        if (!f.film.is_narrow(wet)) {
          f.wet.push_back(wet);
          continue;
        }
        const Vec3 force = alpha * wet.area;
        F.value[k].head<3>() -= force;
        F.value[k].tail<3>() -= (wet.centre - bodies.x[F.body]).cross(force);
      }
  }
  f.film.fill(f.wet, [&](std::uint32_t p) -> RimLiquid {
    const double density = material.density[fluid.pressure_cell[p]];
    return {place(p), density > 0 ? density : material.usual_density, pressure[p]};
  });
  for (BodyForceColumns& F : fluid.forces)
    for (const FilmLink& link : f.film.links()) {
      if (link.body != F.body) continue;
      const auto at = std::lower_bound(F.column.begin(), F.column.end(), link.liquid);
      const auto k = at - F.column.begin();
      if (at == F.column.end() || *at != link.liquid) {
        F.column.insert(at, link.liquid);
        F.value.insert(F.value.begin() + k, Vec6::Zero());
      }
      F.value[static_cast<std::size_t>(k)] += alpha * link.value;
      fluid.b[link.liquid] += alpha / dt * link.value.dot(f.start[link.body]);
    }
}

}  // namespace hydrolith::hybrid
