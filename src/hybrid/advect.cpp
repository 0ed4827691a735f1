#include "hybrid/advect.h"

#include "core/check.h"
#include "core/parallel.h"
#include "hybrid/tile_block.h"

#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

namespace {

/// The velocity around one tile.
template <class Block>
class TileVelocity {
 public:
  TileVelocity(const TileGrid& grid, const FaceField& u, std::size_t tile)
      : grid_(grid), u_(u), corner_(lower_corner<Block>(grid, tile)), per_dx_(1 / grid.dx()) {
    for (int a = 0; a < Block::dimensions; ++a) load<Block>(grid, tile, u[a], local_[a]);
  }
  Vec3 operator()(const Vec3& x) const {
    const Vec3 s = x * per_dx_ - corner_;
    for (int d = 0; d < Block::dimensions; ++d)
      if (!(0.5 <= s[d] && s[d] < Block::width - 1)) return velocity_at(grid_, u_, x);
    const Location<Block> at(s);
    Vec3 v(interpolate<Block>(local_[0], at.among_faces(0)),
           interpolate<Block>(local_[1], at.among_faces(1)), 0);
    if constexpr (Block::dimensions == 3) v.z() = interpolate<Block>(local_[2], at.among_faces(2));
    return v;
  }

 private:
  const TileGrid& grid_;
  const FaceField& u_;
  Vec3 corner_;    // [cells]
  double per_dx_;  // [1/m]
  double local_[Block::dimensions][Block::size];
};

constexpr std::size_t batch = 64;

/// One substep of up to `batch` points, stage by stage: within a stage no point waits for another.
template <class Velocity>
void move(const Velocity& u, double h, std::span<Vec3> x) {
  Vec3 k1[batch], k2[batch];
  for (std::size_t n = 0; n < x.size(); ++n) k1[n] = u(x[n]);
  for (std::size_t n = 0; n < x.size(); ++n) k2[n] = u(x[n] + h / 2 * k1[n]);
  for (std::size_t n = 0; n < x.size(); ++n) {
    const Vec3 k3 = u(x[n] + 3 * h / 4 * k2[n]);
    x[n] += h / 9 * (2 * k1[n] + 3 * k2[n] + 4 * k3);
  }
}

template <class Block>
void advect_all(const TileGrid& grid, const FaceField& field, double h, int substeps,
                std::span<Vec3> x, std::span<const std::uint32_t> first) {
  parallel_for(
      grid.tiles(),
      [&](std::size_t tile) {
        const ParticleRange range = particles_in(grid, tile, first);
        if (range.begin == range.end) return;
        const TileVelocity<Block> u(grid, field, tile);
        for (std::size_t n = range.begin; n < range.end; n += batch)
          for (int s = 0; s < substeps; ++s)
            move(u, h, x.subspan(n, std::min(batch, range.end - n)));
      },
      1);
}

}  // namespace

double largest(const FaceField& field) {
  double most = 0;
  for (const std::vector<double>& values : field)
    most = oneapi::tbb::parallel_reduce(
        oneapi::tbb::blocked_range<std::size_t>(0, values.size(), 4096), most,
        [&](const oneapi::tbb::blocked_range<std::size_t>& range, double so_far) {
          for (std::size_t n = range.begin(); n != range.end(); ++n)
            so_far = std::max(so_far, std::abs(values[n]));
          return so_far;
        },
        [](double a, double b) { return std::max(a, b); });
  return most;
}

void advect(const TileGrid& grid, const FaceField& u, double dt, std::span<Vec3> x,
            std::span<const std::uint32_t> first) {
  const double cells = dt * largest(u) / grid.dx();  // the farthest way along an axis
  require(cells < 1e6, "the liquid would move by {:.3g} cells in one step of {:.3g} s", cells, dt);
  const int substeps = std::max(1, static_cast<int>(std::ceil(cells)));
  const auto run = grid.dimensions() == 2
                       ? (cells <= 1 ? advect_all<TileBlock<2, 2>> : advect_all<TileBlock<2, 6>>)
                       : (cells <= 1 ? advect_all<TileBlock<3, 2>> : advect_all<TileBlock<3, 6>>);
  run(grid, u, dt / substeps, substeps, x, first);
}

Vec3 velocity_at(const TileGrid& grid, const FaceField& u, const Vec3& x) {
  Vec3 v = Vec3::Zero();
  const int corners = 1 << grid.dimensions();
  for (int a = 0; a < grid.dimensions(); ++a) {
    Vec3 s = x / grid.dx() - Vec3(0.5, 0.5, 0.5);
    s[a] += 0.5;
    if (grid.dimensions() == 2) s.z() = 0;
    const Vec3 low = s.array().floor();
    const Vec3 f = s - low;
    for (int corner = 0; corner < corners; ++corner) {
      const Cell3 offset(corner & 1, corner >> 1 & 1, corner >> 2);
      const std::int32_t cell = grid.find_cell(low.cast<int>() + offset);
      if (cell == TileGrid::none) continue;
      double w = 1;
      for (int d = 0; d < grid.dimensions(); ++d) w *= offset[d] == 1 ? f[d] : 1 - f[d];
      v[a] += w * u[a][static_cast<std::size_t>(cell)];
    }
  }
  return v;
}

}  // namespace hydrolith::hybrid
