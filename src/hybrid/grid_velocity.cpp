#include "hybrid/grid_velocity.h"

#include "core/parallel.h"

#include <algorithm>

namespace hydrolith::hybrid {

namespace {

constexpr char queued = 2;

template <class F>
void for_each_near(const TileGrid& grid, std::size_t cell, F&& f) {
  for (int a = 0; a < grid.dimensions(); ++a)
    for (int step : {-1, 1}) {
      const std::int32_t n = grid.next(cell, a, step);
      if (n != TileGrid::none) f(static_cast<std::size_t>(n));
    }
}

}  // namespace

void VelocityExtension::extend(const TileGrid& grid, int layers, FaceMarks& known, FaceField& u) {
  for (int a = 0; a < grid.dimensions(); ++a) {
    std::vector<char>& mark = known[static_cast<std::size_t>(a)];
    std::vector<double>& field = u[static_cast<std::size_t>(a)];
    front_.clear();
    for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
      if (mark[cell] == 1) continue;
      field[cell] = 0;
      bool beside = false;
      for_each_near(grid, cell, [&](std::size_t n) { beside = beside || mark[n] == 1; });
      if (!beside) continue;
      front_.push_back(static_cast<std::uint32_t>(cell));
    }
    for (std::uint32_t cell : front_) mark[cell] = queued;
    for (int layer = 0; layer < layers && !front_.empty(); ++layer) {
      value_.resize(front_.size());
      parallel_for(front_.size(), [&](std::size_t n) {
        double sum = 0;
        int count = 0;
        for_each_near(grid, front_[n], [&](std::size_t at) {
          if (mark[at] != 1) return;
          sum += field[at];
          ++count;
        });
        value_[n] = sum / count;
      });
      next_.clear();
      for (std::size_t n = 0; n < front_.size(); ++n) {
        field[front_[n]] = value_[n];
        mark[front_[n]] = 1;
      }
      for (std::uint32_t cell : front_)
        for_each_near(grid, cell, [&](std::size_t at) {
          if (mark[at] != 0) return;
          mark[at] = queued;
          next_.push_back(static_cast<std::uint32_t>(at));
        });
      front_.swap(next_);
    }
    for (std::uint32_t cell : front_) mark[cell] = 0;
  }
}

void VelocityExtension::follow_solids(const TileGrid& grid, const SolidField& solids,
                                      const RigidBodies& bodies, bool sticks, FaceField& u) {
  const int d = grid.dimensions();
  for (int a = 0; a < d; ++a) {
    before_[static_cast<std::size_t>(a)] = u[static_cast<std::size_t>(a)];
    owner_[static_cast<std::size_t>(a)].assign(grid.cells(), -1);
  }
  for (const BodyShares& m : solids.moving)
    for (int k = 0; k < m.size.z(); ++k)
      for (int j = 0; j < m.size.y(); ++j)
        for (int i = 0; i < m.size.x(); ++i) {
          const Cell3 c = m.lo + Cell3(i, j, k);
          const std::int32_t cell = grid.find_cell(c);
          if (cell == TileGrid::none) continue;
          for (int a = 0; a < d; ++a)
            if (m.at(c, a) >= 0.5)
              owner_[static_cast<std::size_t>(a)][static_cast<std::size_t>(cell)] =
                  static_cast<std::int32_t>(m.body);
        }
  const auto hat = [&](std::size_t tile, const Cell3& c) {
    const std::int32_t at = grid.cell_at(tile, c.x(), c.y(), c.z());
    return at == TileGrid::none ? 1.0 : solids.hat[static_cast<std::size_t>(at)];
  };
  parallel_for(
      grid.tiles(),
      [&](std::size_t t) {
        if (!solids.is_cut_around(grid, t)) return;
        for (std::size_t n = 0; n < grid.tile_cells(); ++n) {
          const std::size_t cell = t * grid.tile_cells() + n;
          for (int a = 0; a < d; ++a) {
            const auto axis = static_cast<std::size_t>(a);
            if (solids.open[axis][cell] > 0) continue;
            const std::int32_t body = owner_[axis][cell];
            const Cell3 c = grid.local(cell);
            Vec3 v_s = Vec3::Zero();
            if (body >= 0) {
              const auto b = static_cast<std::size_t>(body);
              const Vec3 x = grid.face(grid.coordinates(cell), a);
              v_s = bodies.v[b] + bodies.omega[b].cross(x - bodies.x[b]);
            }
            if (sticks) {
              u[axis][cell] = v_s[a];
              continue;
            }
            // Gradient of the room at the face, and all components of velocity there.
            Vec3 g = Vec3::Zero(), v = Vec3::Zero();
            Cell3 below = c;
            below[a] -= 1;
            for (int o = 0; o < d; ++o) {
              if (o == a) {
                g[o] = hat(t, c) - hat(t, below);
                v[o] = before_[axis][cell];
                continue;
              }
              Cell3 up = c, down = c, up_below = below, down_below = below;
              up[o] += 1, up_below[o] += 1, down[o] -= 1, down_below[o] -= 1;
              g[o] = 0.25 * (hat(t, up) + hat(t, up_below) - hat(t, down) - hat(t, down_below));
              const auto component = [&](const Cell3& at) {
                const std::int32_t i = grid.cell_at(t, at.x(), at.y(), at.z());
                return i == TileGrid::none
                           ? 0.0
                           : before_[static_cast<std::size_t>(o)][static_cast<std::size_t>(i)];
              };
              v[o] = 0.25 * (component(c) + component(below) + component(up) +
                             component(up_below));
            }
            if (g.norm() < 1e-9) continue;  // deep inside: nothing reads it
            const Vec3 normal = g.normalized();
            u[axis][cell] -= normal[a] * normal.dot(v - v_s);
          }
        }
      },
      1);
}

}  // namespace hydrolith::hybrid
