#include "core/parallel.h"
#include "core/stopwatch.h"
#include "hybrid/advect.h"
#include "hybrid/step_parts.h"
#include "setup/flow.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

namespace {

constexpr double clearance = 0.01;  // [dx] between a solid's surface and particles put there
constexpr int most_layers = 7;      // of velocities beyond the liquid

}  // namespace

void extend_velocity(const Model& m, const State& s, Workspace& w, double dt) {
  Stopwatch watch;
  w.fluid.mark_faces(w.grid, w.solids, w.known);
  // Beside the liquid its velocity goes on; farther out drops fly by themselves.
  w.extension.extend(w.grid, 1, w.known, w.u);
  const std::size_t n = w.grid.tile_cells();
  parallel_for(
      w.grid.tiles(),
      [&](std::size_t t) {
        for (std::size_t a = 0; a < static_cast<std::size_t>(m.scene.dimensions); ++a)
          for (std::size_t local = 0; local < n; ++local)
            if (w.liquid.mass[a][t * n + local] > 0 && w.solids.open[a][t * n + local] > 0)
              w.known[a][t].add(local);
      },
      8);
  const double travel = largest(w.u) * dt / w.grid.dx();
  const int layers = std::min(most_layers, 2 + static_cast<int>(std::ceil(travel)));
  w.extension.extend(w.grid, layers, w.known, w.u);
  VelocityExtension::clear(w.grid, w.known, w.u);
  w.extension.follow_solids(w.grid, w.solids, s.bodies, m.viscous, w.known, w.u);
  w.seconds.velocity += watch.lap();
}

/// Wanted is a displacement whose divergence is a part of e, the particles' volume under a cell's
/// hat less the room there, in cells: the system of the pressure, loaded by A q = share e / dt^2,
/// gives it as dt^2 grad q / rho. A cell at the surface may be less than full.
void correct_volume(const Model& m, Workspace& w, double dt) {
  Stopwatch watch;
  const double share = m.scene.hybrid.volume_correction;
  for (std::size_t a = 0; a < static_cast<std::size_t>(m.scene.dimensions); ++a) {
    w.carry[a].resize(w.grid.cells());
    parallel_for(
        w.grid.cells(), [&](std::size_t cell) { w.carry[a][cell] = w.u[a][cell]; }, 4096);
  }
  if (share == 0 || w.fluid.pressures == 0) return;
  const std::size_t n = w.fluid.size();
  const double cell_volume = std::pow(w.grid.dx(), w.grid.dimensions());
  w.correction_rhs.assign(n, 0);
  w.correction.assign(n, 0);
  parallel_for(
      w.fluid.pressures,
      [&](std::size_t p) {
        const std::size_t cell = w.fluid.pressure_cell[p];
        double excess =
            std::clamp(w.liquid.volume[cell] / cell_volume - w.solids.hat[cell], -0.5, 1.0);
        if (excess < 0)
          for (int a = 0; a < w.grid.dimensions(); ++a)
            for (int step : {-1, 1}) {
              const std::int32_t at = w.grid.next(cell, a, step);
              if (at == TileGrid::none || w.surface.phi[static_cast<std::size_t>(at)] >= 0)
                excess = 0;
            }
        w.correction_rhs[p] = share * excess / (dt * dt);
      },
      1024);
  w.coupled.solve_pressure(w.fluid, w.correction_rhs, w.correction);
  w.fluid.mark_faces(w.grid, w.solids, w.known);
  FaceField& d = w.liquid.u;  // no longer needed
  const auto each_known = [&](auto&& f) {
    parallel_for(
        w.grid.tiles(),
        [&](std::size_t t) {
          for (std::size_t a = 0; a < static_cast<std::size_t>(m.scene.dimensions); ++a)
            for_each_cell(w.known[a][t],
                          [&](std::size_t local) { f(a, t * w.grid.tile_cells() + local); });
        },
        8);
  };
  each_known([&](std::size_t a, std::size_t cell) { d[a][cell] = 0; });
  w.fluid.push(w.grid, w.solids, w.correction, dt, d);
  w.extension.extend(w.grid, 1, w.known, d);
  each_known([&](std::size_t a, std::size_t cell) { w.carry[a][cell] += d[a][cell]; });
  w.seconds.correct += watch.lap();
}

void move_liquid(const Model&, State& s, Workspace& w, double dt) {
  Stopwatch watch;
  w.cell_pressure.assign(w.grid.cells(), 0);
  for (std::size_t p = 0; p < w.fluid.pressures; ++p)
    w.cell_pressure[w.fluid.pressure_cell[p]] = w.coupled.z[p] / w.fluid.liquid_part(p);
  const auto first = w.sorter.first();
  parallel_for(
      w.grid.cells(),
      [&](std::size_t cell) {
        for (std::uint32_t i = first[cell]; i < first[cell + 1]; ++i)
          s.liquid.pressure[i] = static_cast<float>(w.cell_pressure[cell]);
      },
      1024);
  grid_to_particles(w.grid, w.u, first, s.liquid);
  w.seconds.to_particles += watch.lap();
  advect(w.grid, w.carry, dt, s.liquid.x, first);
  w.seconds.move += watch.lap();
}

namespace {

/// Out of a moving body along the gradient of its distance.
void leave_body(const SolidField& solids, const RigidBodies& bodies, std::size_t body, double dx,
                int dimensions, Vec3& x) {
  const double d = solids.distance(bodies, body, x), least = clearance * dx;
  if (d >= least) return;
  const double e = 0.05 * dx;
  Vec3 g = Vec3::Zero();
  for (int a = 0; a < dimensions; ++a) {
    Vec3 up = x, down = x;
    up[a] += e, down[a] -= e;
    g[a] = solids.distance(bodies, body, up) - solids.distance(bodies, body, down);
  }
  if (g.norm() > 0) x += (least - d) * g.normalized();
}

}  // namespace

void keep_out_of_solids(const Model&, State& s, Workspace& w) {
  Stopwatch watch;
  const double dx = w.grid.dx();
  const int d = w.grid.dimensions();
  w.solids.place(s.bodies);
  const auto first = w.sorter.first();
  const std::size_t n = w.grid.tile_cells();
  parallel_for(
      w.grid.tiles(),
      [&](std::size_t t) {
        if (first[t * n] == first[(t + 1) * n]) return;
        // Bodies that a particle of the tile can have met: it has moved less than a tile.
        const Cell3 lo = w.grid.first_cell(t);
        const Vec3 middle = (lo.cast<double>().array() + 0.5 * TileGrid::side).matrix() * dx;
        std::vector<std::uint32_t> close;
        for (const BodyShares& body : w.solids.moving)
          if (w.solids.box(body.body).grown(1.5 * TileGrid::side * dx).contains(middle))
            close.push_back(body.body);
        if (close.empty() && !w.solids.is_cut_around(w.grid, t)) return;
        for (std::uint32_t i = first[t * n]; i < first[(t + 1) * n]; ++i) {
          Vec3& x = s.liquid.x[i];
          // Its tile now: mostly the one it came from, or beside that.
          const Cell3 c = w.grid.cell_of(x) - lo;
          std::int32_t tile = TileGrid::none;
          const Cell3 o(c.x() >> TileGrid::bits, c.y() >> TileGrid::bits,
                        d == 3 ? c.z() >> TileGrid::bits : 0);
          if ((o.array().abs() <= 1).all()) tile = w.grid.near(t, o.x(), o.y(), o.z());
          if (tile == TileGrid::none) continue;
          const SolidField::WallDistance wall =
              w.solids.wall_distance(w.grid, static_cast<std::size_t>(tile), x);
          if (wall.distance < clearance * dx && wall.gradient.norm() > 1e-6)
            x += (clearance * dx - wall.distance) * wall.gradient.normalized();
          for (std::uint32_t body : close)
            if (w.solids.box(body).contains(x)) leave_body(w.solids, s.bodies, body, dx, d, x);
        }
      },
      1);
  w.seconds.move += watch.lap();
}

void thin_and_fill(const Model& m, State& s, Workspace& w) {
  if (!m.scene.hybrid.reseed) return;
  Stopwatch watch;
  w.inside.resize(w.grid.cells());
  parallel_for(
      w.grid.cells(),
      [&](std::size_t cell) {
        w.inside[cell] = w.surface.fill[cell] > 0.8 && w.solids.hat[cell] > 0.6;
      },
      4096);
  ReseedOptions options = ReseedOptions::defaults(m.scene.dimensions);
  options.inside = w.inside;
  reseed(w.grid, w.sorter.first(), options, s.liquid, w.reseed);
  w.seconds.move += watch.lap();
}

void drain(const Model& m, State& s, double dt) {
  std::vector<char> keep;
  LiquidParticles& l = s.liquid;
  if (!mark_drained(m, s, dt, {l.x, l.volume, l.liquid}, keep)) return;
  keep_marked(keep, l.x), keep_marked(keep, l.v), keep_marked(keep, l.c);
  keep_marked(keep, l.volume), keep_marked(keep, l.pressure);
  keep_marked(keep, l.id), keep_marked(keep, l.liquid);
}

double compression(const Workspace& w) {
  const std::size_t n = w.fluid.pressures;
  if (n == 0) return 0;
  return ordered_sum(n, 0.0,
                     [&](std::size_t p) {
                       return std::max(0.0, w.surface.fill[w.fluid.pressure_cell[p]] - 1);
                     }) /
         static_cast<double>(n);
}

}  // namespace hydrolith::hybrid
