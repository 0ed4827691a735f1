#pragma once
// Particles at fixed random places, and the pieces that tests of transfers share.

#include "core/parallel.h"
#include "hybrid/liquid_particles.h"
#include "hybrid/sort_particles.h"
#include "hybrid/tile_grid.h"

#include <cmath>
#include <random>
#include <vector>

namespace hydrolith::hybrid {

/// A box of `cells` cells a side around the origin, eight (2D: four) particles a cell on average,
/// with random velocities, gradients, volumes and liquids (0 or 1). Seed 7.
inline LiquidParticles random_particles(int dimensions, double dx, int cells) {
  std::mt19937 bits(7);
  const auto uniform = [&] {
    return 0x1p-31 * static_cast<double>(bits()) - 1;
  };  // the same on every machine
  LiquidParticles p;
  const double n = dimensions == 3 ? 8.0 * cells * cells * cells : 4.0 * cells * cells;
  for (int k = 0; k < static_cast<int>(n); ++k) {
    Vec3 x = 0.5 * cells * dx * Vec3(uniform(), uniform(), uniform());
    Vec3 v(uniform(), uniform(), uniform());
    if (dimensions == 2) x.z() = v.z() = 0;
    const double volume = std::pow(dx, dimensions) / (dimensions == 3 ? 8 : 4);
    p.add(static_cast<std::uint32_t>(bits() % 2), x, v, volume * (1 + 0.5 * uniform()));
    for (int a = 0; a < dimensions; ++a)
      for (int d = 0; d < dimensions; ++d) p.c.back()(a, d) = static_cast<float>(uniform() / dx);
    p.pressure.back() = static_cast<float>(uniform());
  }
  return p;
}

/// A field with the values of f(x)[a] at every face.
template <class F>
FaceField faces_of(const TileGrid& grid, F&& f) {
  FaceField u;
  for (int a = 0; a < 3; ++a) {
    u[a].assign(grid.cells(), 0);
    if (a < grid.dimensions())
      for (std::size_t c = 0; c < grid.cells(); ++c)
        u[a][c] = f(grid.face(grid.coordinates(c), a))[a];
  }
  return u;
}

/// Runs f with one and with two threads and returns both results.
template <class F>
auto with_one_and_two_threads(F&& f) {
  const int before = threads();
  set_threads(1);
  auto one = f();
  set_threads(2);
  auto two = f();
  set_threads(before);
  return std::pair(std::move(one), std::move(two));
}

inline bool same(const LiquidParticles& a, const LiquidParticles& b) {
  return a.x == b.x && a.v == b.v && a.c == b.c && a.volume == b.volume &&
         a.pressure == b.pressure && a.id == b.id && a.liquid == b.liquid;
}

}  // namespace hydrolith::hybrid
