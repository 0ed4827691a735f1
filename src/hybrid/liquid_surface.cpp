#include "hybrid/liquid_surface.h"

#include "core/parallel.h"
#include "hybrid/cut_fraction.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

namespace {

constexpr int layers_into_solids = 3;

}  // namespace

double distance_from_fill(double f) {
  if (f >= 1) return -1;
  if (f <= 0) return 1;
  return f < 0.5 ? 1 - std::sqrt(2 * f) : std::sqrt(2 * (1 - f)) - 1;
}

void LiquidSurface::find(const TileGrid& grid, const SolidField& solids,
                         std::span<const double> volume) {
  const double cell_volume = std::pow(grid.dx(), grid.dimensions());
  fill.resize(grid.cells());
  phi.resize(grid.cells());
  known_.resize(grid.tiles());
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        known_[t] = {};
        for (std::size_t local = 0; local < grid.tile_cells(); ++local) {
          const std::size_t cell = t * grid.tile_cells() + local;
          const double room = solids.hat[cell];
          const bool known = room > least_room;
          if (known) known_[t].add(local);
          fill[cell] = known ? volume[cell] / (room * cell_volume) : 0;
          phi[cell] = known ? distance_from_fill(fill[cell]) : 1;
        }
      },
      8);
  lean_on_open_cells(grid, solids, least_room, 0.95);
  lean_on_open_cells(grid, solids, -1, least_room);
  // Into solids: a surface that meets a wall goes on straight behind it.
  spread_.spread(grid, layers_into_solids, known_, phi);
}

namespace {

/// f(neighbour) for the cells beside a cell that an open face leads to.
template <class F>
void for_each_through_open_face(const TileGrid& grid, const SolidField& solids, std::size_t cell,
                                F&& f) {
  for (int a = 0; a < grid.dimensions(); ++a)
    for (int step : {-1, 1}) {
      const std::int32_t at = grid.next(cell, a, step);
      if (at == TileGrid::none) continue;
      const auto n = static_cast<std::size_t>(at);
      if (solids.open[static_cast<std::size_t>(a)][step > 0 ? n : cell] > 0) f(n);
    }
}

}  // namespace

/// Beside a solid few particles share little room, so f scatters: the less room, the more a cell
/// leans on neighbours that have more. One without room of its own takes the mean of those it opens
/// to; so liquid and air on the two sides of a thin wall do not mix. For cells with room in (above,
/// most].
void LiquidSurface::lean_on_open_cells(const TileGrid& grid, const SolidField& solids, double above,
                                       double most) {
  own_ = phi;
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        if (!solids.is_cut_around(grid, t)) return;
        for (std::size_t local = 0; local < grid.tile_cells(); ++local) {
          const std::size_t cell = t * grid.tile_cells() + local;
          const double room = solids.hat[cell];
          if (room <= above || room > most) continue;
          double sum = 0, weight = 0;
          for_each_through_open_face(grid, solids, cell, [&](std::size_t n) {
            if (solids.hat[n] <= std::max(room + 1e-9, least_room)) return;
            sum += solids.hat[n] * own_[n], weight += solids.hat[n];
          });
          if (weight == 0) continue;
          // Full neighbours: a gap between a solid and the lattice of particles, not air.
          const double around = sum / weight;
          const double trust =
              around < -0.5 ? 0 : std::max(0.0, (room - least_room) / (1 - least_room));
          phi[cell] = trust * own_[cell] + (1 - trust) * around;
          if (room <= least_room) known_[t].add(local);
        }
      },
      1);
}

void LiquidSurface::measure_parts(const TileGrid& grid) {
  const bool three = grid.dimensions() == 3;
  const std::size_t parts = three ? 8 : 4;
  part.resize(parts * grid.cells());
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        for (std::size_t n = 0; n < grid.tile_cells(); ++n) {
          const std::size_t cell = t * grid.tile_cells() + n;
          const Cell3 c = grid.local(n);
          float* out = &part[parts * cell];
          // phi of the cell and its neighbours; what does not exist is air.
          double v[3][3][3];
          double lowest = 2, highest = -2;
          const int r = three ? 1 : 0;
          for (int k = -r; k <= r; ++k)
            for (int j = -1; j <= 1; ++j)
              for (int i = -1; i <= 1; ++i) {
                const std::int32_t at = grid.cell_at(t, c.x() + i, c.y() + j, c.z() + k);
                const double p = at == TileGrid::none ? 1 : phi[static_cast<std::size_t>(at)];
                v[k + r][j + 1][i + 1] = p;
                lowest = std::min(lowest, p);
                highest = std::max(highest, p);
              }
          if (lowest >= 0 || highest < 0) {
            std::fill_n(out, parts, highest < 0 ? 1.0f : 0.0f);
            continue;
          }
          // Nodes of the half grid in the cell: means of the 1, 2, 4 or 8 centres around them.
          const auto node = [&](int i, int j, int k) {
            const auto range = [](int m) {
              return m == 0 ? std::pair(0, 1) : m == 1 ? std::pair(1, 1) : std::pair(1, 2);
            };
            const auto [i0, i1] = range(i);
            const auto [j0, j1] = range(j);
            const auto [k0, k1] = three ? range(k) : std::pair(0, 0);
            double sum = 0;
            for (int z = k0; z <= k1; ++z)
              for (int y = j0; y <= j1; ++y)
                for (int x = i0; x <= i1; ++x) sum += v[z][y][x];
            return sum / ((i1 - i0 + 1) * (j1 - j0 + 1) * (k1 - k0 + 1));
          };
          for (int k = 0; k < (three ? 2 : 1); ++k)
            for (int j = 0; j < 2; ++j)
              for (int i = 0; i < 2; ++i)
                out[4 * k + 2 * j + i] = static_cast<float>(
                    three
                        ? cut_cube({node(i, j, k), node(i + 1, j, k), node(i, j + 1, k),
                                    node(i + 1, j + 1, k), node(i, j, k + 1), node(i + 1, j, k + 1),
                                    node(i, j + 1, k + 1), node(i + 1, j + 1, k + 1)})
                        : cut_square({node(i, j, 0), node(i + 1, j, 0), node(i, j + 1, 0),
                                      node(i + 1, j + 1, 0)}));
        }
      },
      1);
}

}  // namespace hydrolith::hybrid
