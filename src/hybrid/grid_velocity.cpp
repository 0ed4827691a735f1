#include "hybrid/grid_velocity.h"

#include "core/parallel.h"

#include <numeric>

namespace hydrolith::hybrid {

void VelocityExtension::extend(const TileGrid& grid, int layers, FaceMarks& known, FaceField& u) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(grid.dimensions()); ++a)
    spread_.spread(grid, layers, known[a], u[a]);
}

void VelocityExtension::clear(const TileGrid& grid, const FaceMarks& known, FaceField& u) {
  const std::size_t n = grid.tile_cells();
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        for (std::size_t a = 0; a < static_cast<std::size_t>(grid.dimensions()); ++a)
          for (std::size_t local = 0; local < n; ++local)
            if (!known[a][t].holds(local)) u[a][t * n + local] = 0;
      },
      8);
}

void VelocityExtension::find_owners(const TileGrid& grid, const SolidField& solids) {
  for (int a = 0; a < grid.dimensions(); ++a)
    owner_[static_cast<std::size_t>(a)].assign(grid.cells(), -1);
  for (const BodyShares& m : solids.moving)
    for_each_cell_in(grid, m.lo, m.size, [&](std::size_t cell, const Cell3& c) {
      for (int a = 0; a < grid.dimensions(); ++a)
        if (m.at(c, a) >= 0.5)
          owner_[static_cast<std::size_t>(a)][cell] = static_cast<std::int32_t>(m.body);
    });
}

void VelocityExtension::follow_solids(const TileGrid& grid, const SolidField& solids,
                                      const RigidBodies& bodies, bool sticks,
                                      const FaceMarks& known, FaceField& u) {
  const int d = grid.dimensions();
  if (!solids.moving.empty()) find_owners(grid, solids);

  // Which faces: known and closed.
  first_.assign(grid.tiles() + 1, 0);
  for (int a = 0; a < d; ++a) closed_[static_cast<std::size_t>(a)].resize(grid.tiles());
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        const bool cut = solids.is_cut_around(grid, t);
        for (std::size_t a = 0; a < static_cast<std::size_t>(d); ++a) {
          TileMask closed;
          if (cut)
            for_each_cell(known[a][t], [&](std::size_t local) {
              if (solids.open[a][t * grid.tile_cells() + local] > 0) return;
              closed.add(local);
              ++first_[t + 1];
            });
          closed_[a][t] = closed;
        }
      },
      8);
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  value_.resize(first_.back());

  const auto hat = [&](std::size_t tile, const Cell3& c) {
    const std::int32_t at = grid.cell_at(tile, c.x(), c.y(), c.z());
    return at == TileGrid::none ? 1.0 : solids.hat[static_cast<std::size_t>(at)];
  };
  // New velocity of a face, from the old ones around it.
  const auto velocity = [&](std::size_t t, std::size_t cell, int a) {
    const auto axis = static_cast<std::size_t>(a);
    const std::int32_t body = solids.moving.empty() ? -1 : owner_[axis][cell];
    Vec3 v_s = Vec3::Zero();
    if (body >= 0) {
      const auto b = static_cast<std::size_t>(body);
      const Vec3 x = grid.face(grid.coordinates(cell), a);
      v_s = bodies.v[b] + bodies.omega[b].cross(x - bodies.x[b]);
    }
    if (sticks) return v_s[a];
    // Gradient of the room at the face, and all components of velocity there.
    const Cell3 c = grid.local(cell);
    Vec3 g = Vec3::Zero(), v = Vec3::Zero();
    Cell3 below = c;
    below[a] -= 1;
    for (int o = 0; o < d; ++o) {
      if (o == a) {
        g[o] = hat(t, c) - hat(t, below);
        v[o] = u[axis][cell];
        continue;
      }
      Cell3 up = c, down = c, up_below = below, down_below = below;
      up[o] += 1, up_below[o] += 1, down[o] -= 1, down_below[o] -= 1;
      g[o] = 0.25 * (hat(t, up) + hat(t, up_below) - hat(t, down) - hat(t, down_below));
      const auto component = [&](const Cell3& at) {
        const std::int32_t i = grid.cell_at(t, at.x(), at.y(), at.z());
        return i == TileGrid::none ? 0.0
                                   : u[static_cast<std::size_t>(o)][static_cast<std::size_t>(i)];
      };
      v[o] = 0.25 * (component(c) + component(below) + component(up) + component(up_below));
    }
    if (g.norm() < 1e-9) return u[axis][cell];  // deep inside: nothing reads it
    const Vec3 normal = g.normalized();
    return u[axis][cell] - normal[a] * normal.dot(v - v_s);
  };
  const auto each_closed = [&](auto&& f) {
    parallel_for(
        grid.tiles(),
        [&](std::size_t t) {
          std::size_t n = first_[t];
          for (int a = 0; a < d; ++a)
            for_each_cell(closed_[static_cast<std::size_t>(a)][t],
                          [&](std::size_t local) { f(t, t * grid.tile_cells() + local, a, n++); });
        },
        8);
  };
  each_closed([&](std::size_t t, std::size_t cell, int a, std::size_t n) {
    value_[n] = velocity(t, cell, a);
  });
  each_closed([&](std::size_t, std::size_t cell, int a, std::size_t n) {
    u[static_cast<std::size_t>(a)][cell] = value_[n];
  });
}

}  // namespace hydrolith::hybrid
