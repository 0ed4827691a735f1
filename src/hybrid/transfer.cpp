#include "hybrid/transfer.h"

#include "core/parallel.h"
#include "hybrid/tile_block.h"

#include <algorithm>

namespace hydrolith::hybrid {

namespace {

using FaceSum = Pair;  // momentum [kg m/s], mass [kg]

struct CentreSum {
  Pair volume_and_mass;  // [m^3], [kg]
  double viscosity;      // [Pa s m^3]
};

/// Adds m w and m w (v_a + c_a . (x_f - x_p)) to the faces around a particle; g = dx c_a.
template <class Block>
[[gnu::always_inline]] inline void add_to_faces(FaceSum* sums, const Corner& at, double m, double v,
                                                const double* g) {
  const double wy[2] = {1 - at.fy, at.fy}, wz[2] = {1 - at.fz, at.fz};
  const double u = v - (g[0] * at.fx + g[1] * at.fy + g[2] * at.fz);  // at the lowest face
  for (int k = 0; k < Block::dimensions - 1; ++k)
    for (int j = 0; j < 2; ++j) {
      FaceSum* row = sums + at.place + k * Block::layer + j * Block::width;
      const double mw = m * (wy[j] * wz[k]), u0 = u + j * g[1] + k * g[2];
      row[0] += mw * (1 - at.fx) * Pair{u0, 1};
      row[1] += mw * at.fx * Pair{u0 + g[0], 1};
    }
}

template <class Block>
void add_to_centres(CentreSum* sums, const Corner& at, const CentreSum& add) {
  const double wx[2] = {1 - at.fx, at.fx}, wy[2] = {1 - at.fy, at.fy}, wz[2] = {1 - at.fz, at.fz};
  for (int k = 0; k < Block::dimensions - 1; ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) {
        CentreSum& sum = sums[at.place + k * Block::layer + j * Block::width + i];
        const double w = wx[i] * (wy[j] * wz[k]);
        sum.volume_and_mass += w * add.volume_and_mass;
        sum.viscosity += w * add.viscosity;
      }
}

/// What the particles of one tile give to the cells in and around it.
template <int dimensions>
struct TileSums {
  using Block = TileBlock<dimensions, 1>;
  FaceSum faces[dimensions][Block::size] = {};
  CentreSum centres[Block::size] = {};

  void add_particles(const TileGrid& grid, std::size_t tile, const LiquidParticles& p,
                     ParticleRange range, std::span<const double> density,
                     std::span<const double> viscosity) {
    const double dx = grid.dx(), per_dx = 1 / dx;
    const Vec3 corner = lower_corner<Block>(grid, tile);
    for (std::size_t n = range.begin; n < range.end; ++n) {
      const Location<Block> at(p.x[n] * per_dx - corner);
      const double V = p.volume[n], m = V * density[p.liquid[n]];
      const auto add = [&](int a) __attribute__((always_inline)) {
        double g[3] = {};
        for (int d = 0; d < dimensions; ++d) g[d] = dx * static_cast<double>(p.c[n](a, d));
        add_to_faces<Block>(faces[a], at.among_faces(a), m, p.v[n][a], g);
      };
      add(0), add(1);
      if constexpr (dimensions == 3) add(2);
      add_to_centres<Block>(centres, at.among_centres(),
                            CentreSum{Pair{V, m}, V * viscosity[p.liquid[n]]});
    }
  }

  /// out.u holds momentum here.
  void add_to(const TileGrid& grid, std::size_t tile, GridLiquid& out) const {
    for_each_row<Block>(grid, tile, [&](int place, std::int32_t first_cell, int count) {
      if (first_cell == TileGrid::none) return;
      for (int n = 0; n < count; ++n) {
        const auto cell = static_cast<std::size_t>(first_cell + n);
        for (int a = 0; a < dimensions; ++a) {
          out.u[a][cell] += faces[a][place + n][0];
          out.mass[a][cell] += faces[a][place + n][1];
        }
        const CentreSum& sum = centres[place + n];
        out.volume[cell] += sum.volume_and_mass[0];
        out.cell_mass[cell] += sum.volume_and_mass[1];
        out.viscosity[cell] += sum.viscosity;
      }
    });
  }
};

/// Parity of the tile's coordinates: tiles of one colour share no cell that they write to.
int colour_of(const TileGrid& grid, std::size_t tile) {
  const Cell3 c = grid.first_cell(tile);
  constexpr int side = TileGrid::side;
  return (c.x() / side & 1) + 2 * (c.y() / side & 1) + 4 * (c.z() / grid.depth() & 1);
}

template <int dimensions>
void add_all(const TileGrid& grid, const LiquidParticles& p, std::span<const std::uint32_t> first,
             std::span<const double> density, std::span<const double> viscosity, GridLiquid& out) {
  for (int colour = 0; colour < 1 << dimensions; ++colour)
    parallel_for(
        grid.tiles(),
        [&](std::size_t tile) {
          const ParticleRange range = particles_in(grid, tile, first);
          if (range.begin == range.end || colour_of(grid, tile) != colour) return;
          TileSums<dimensions> sums;
          sums.add_particles(grid, tile, p, range, density, viscosity);
          sums.add_to(grid, tile, out);
        },
        1);
}

template <class F>
void for_each_field(GridLiquid& g, F&& f) {
  for (auto* fields : {&g.u, &g.mass})
    for (auto& field : *fields) f(field);
  for (auto* field : {&g.volume, &g.cell_mass, &g.viscosity}) f(*field);
}

/// v = sum w u and dx c = dx sum grad w u, by interpolation along y, z, and last along x.
template <class Block>
[[gnu::always_inline]] inline double interpolate_with_gradient(const double* u, const Corner& at,
                                                               double* g) {
  const auto along_x = [&](Pair p) { return p[0] + at.fx * (p[1] - p[0]); };
  const double* row = u + at.place;
  const Pair low = pair_at(row);
  Pair dy = pair_at(row + Block::width) - low;
  Pair p = low + at.fy * dy;
  g[2] = 0;
  if constexpr (Block::dimensions == 3) {
    const double* above = row + Block::layer;
    const Pair low_above = pair_at(above), dy_above = pair_at(above + Block::width) - low_above;
    const Pair dz = low_above + at.fy * dy_above - p;
    dy += at.fz * (dy_above - dy);
    p += at.fz * dz;
    g[2] = along_x(dz);
  }
  g[0] = p[1] - p[0];
  g[1] = along_x(dy);
  return along_x(p);
}

template <int dimensions>
void gather_all(const TileGrid& grid, const FaceField& u, std::span<const std::uint32_t> first,
                LiquidParticles& p) {
  using Block = TileBlock<dimensions, 1>;
  const double per_dx = 1 / grid.dx();
  parallel_for(
      grid.tiles(),
      [&](std::size_t tile) {
        const ParticleRange range = particles_in(grid, tile, first);
        if (range.begin == range.end) return;
        double local[dimensions][Block::size];
        for (int a = 0; a < dimensions; ++a) load<Block>(grid, tile, u[a], local[a]);
        const Vec3 corner = lower_corner<Block>(grid, tile);
        for (std::size_t n = range.begin; n < range.end; ++n) {
          const Location<Block> at(p.x[n] * per_dx - corner);
          Vec3 v = Vec3::Zero();
          Mat3f c = Mat3f::Zero();
          const auto gather = [&](int a) __attribute__((always_inline)) {
            double g[3];
            v[a] = interpolate_with_gradient<Block>(local[a], at.among_faces(a), g);
            for (int d = 0; d < 3; ++d) c(a, d) = static_cast<float>(g[d] * per_dx);
          };
          gather(0), gather(1);
          if constexpr (dimensions == 3) gather(2);
          p.v[n] = v;
          p.c[n] = c;
        }
      },
      1);
}

}  // namespace

void particles_to_grid(const TileGrid& grid, const LiquidParticles& particles,
                       std::span<const std::uint32_t> first,
                       std::span<const double> density_of_liquid,
                       std::span<const double> viscosity_of_liquid, GridLiquid& out) {
  const std::size_t tile_cells = grid.tile_cells();
  for_each_field(out, [&](std::vector<double>& field) { field.resize(grid.cells()); });
  parallel_for(
      grid.tiles(),
      [&](std::size_t tile) {
        for_each_field(out, [&](std::vector<double>& field) {
          std::fill_n(field.data() + tile * tile_cells, tile_cells, 0.0);
        });
      },
      1);
  const auto add = grid.dimensions() == 3 ? add_all<3> : add_all<2>;
  add(grid, particles, first, density_of_liquid, viscosity_of_liquid, out);
  for (int a = 0; a < grid.dimensions(); ++a)
    parallel_for(
        grid.cells(),
        [&u = out.u[a], &mass = out.mass[a]](std::size_t cell) {
          u[cell] = mass[cell] > 0 ? u[cell] / mass[cell] : 0;
        },
        4096);
}

void grid_to_particles(const TileGrid& grid, const FaceField& u,
                       std::span<const std::uint32_t> first, LiquidParticles& particles) {
  const auto gather = grid.dimensions() == 3 ? gather_all<3> : gather_all<2>;
  gather(grid, u, first, particles);
}

}  // namespace hydrolith::hybrid
