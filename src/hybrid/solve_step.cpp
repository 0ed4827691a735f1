#include "contact/bodies_step.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "hybrid/rheology.h"
#include "hybrid/step_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::hybrid {

void accelerate_liquid(const Model& m, Workspace& w, double dt) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(m.scene.dimensions); ++a) {
    const double add = dt * m.scene.gravity[static_cast<Eigen::Index>(a)];
    w.u[a].resize(w.grid.cells());
    parallel_for(
        w.grid.cells(),
        [&](std::size_t cell) {
          w.u[a][cell] = w.liquid.mass[a][cell] > 0 ? w.liquid.u[a][cell] + add : 0;
        },
        4096);
  }
}

namespace {

void find_material(const Model& m, Workspace& w) {
  const std::size_t n = w.grid.cells();
  const double least = 1e-9 * std::pow(w.grid.dx(), w.grid.dimensions());
  w.material.usual_density = m.density.empty() ? 1000 : m.density.front();
  w.material.usual_viscosity = m.viscosity.empty() ? 1 : std::max(m.viscosity.front(), 1e-9);
  w.material.density.resize(n);
  w.material.viscosity.resize(m.viscous ? n : 0);
  parallel_for(
      n,
      [&](std::size_t cell) {
        const double volume = w.liquid.volume[cell];
        w.material.density[cell] = volume > least ? w.liquid.cell_mass[cell] / volume : 0;
        if (m.viscous)
          w.material.viscosity[cell] =
              volume > least ? std::max(w.liquid.viscosity[cell] / volume, 1e-9) : 0;
      },
      4096);
}

/// A face that an unknown acts on but no particle is near takes the mean of those beside it;
/// without any it falls.
void fill_missing(const Model& m, Workspace& w, double dt) {
  w.fluid.mark_faces(w.grid, w.solids, w.known);
  const auto fill = [&](std::size_t axis, std::size_t cell) {
    if (w.liquid.mass[axis][cell] > 0) return;
    double sum = 0;
    int count = 0;
    for (int o = 0; o < w.grid.dimensions(); ++o)
      for (int step : {-1, 1}) {
        const std::int32_t n = w.grid.next(cell, o, step);
        if (n == TileGrid::none || w.liquid.mass[axis][static_cast<std::size_t>(n)] == 0) continue;
        sum += w.u[axis][static_cast<std::size_t>(n)];
        ++count;
      }
    w.u[axis][cell] =
        count > 0 ? sum / count : dt * m.scene.gravity[static_cast<Eigen::Index>(axis)];
  };
  parallel_for(
      w.grid.tiles(),
      [&](std::size_t t) {
        for (std::size_t a = 0; a < static_cast<std::size_t>(w.grid.dimensions()); ++a)
          for_each_cell(w.known[a][t],
                        [&](std::size_t local) { fill(a, t * w.grid.tile_cells() + local); });
      },
      8);
}

/// Pressure of the last step, carried by the particles.
void guess_pressure(const State& s, Workspace& w) {
  w.coupled.z.assign(w.fluid.size(), 0);
  const auto first = w.sorter.first();
  parallel_for(
      w.fluid.pressures,
      [&](std::size_t p) {
        const std::size_t cell = w.fluid.pressure_cell[p];
        double sum = 0;
        for (std::uint32_t i = first[cell]; i < first[cell + 1]; ++i) sum += s.liquid.pressure[i];
        if (first[cell + 1] > first[cell])
          w.coupled.z[p] = w.fluid.liquid_part(p) * sum / (first[cell + 1] - first[cell]);
      },
      1024);
}

/// What the liquid does to bodies. Walls do not know theirs: NaN, where 0 would be a lie.
void write_liquid_forces(const Model& m, const Workspace& w, State& s) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    const Vec6 &p = w.coupled.pressure[i], &v = w.coupled.viscous[i];
    s.forces[i].pressure = {p.head<3>(), p.tail<3>()};
    s.forces[i].viscosity = {v.head<3>(), v.tail<3>()};
  }
  if (m.scene.liquids.empty()) return;
  const Vec3 unknown = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  for (const std::uint32_t wall : w.solids.walls())
    s.forces[wall].pressure = s.forces[wall].viscosity = {unknown, unknown};
}

}  // namespace

void assemble_liquid(const Model& m, const State& s, Workspace& w, double dt) {
  find_material(m, w);
  if (!m.newtonian) guess_viscosity(m, s, w);
  w.fluid.assemble(w.grid, w.solids, w.surface, w.material, s.bodies, dt);
  fill_missing(m, w, dt);
  w.fluid.load(w.grid, w.solids, w.u, dt);
  guess_pressure(s, w);
  add_film(m, s.bodies, w.grid, w.material, w.coupled.z, dt, w.film, w.fluid);
}

CoupledReport solve_step(const Model& m, State& s, Workspace& w, double dt) {
  Stopwatch watch;
  write_bodies(m, s, w.contacts.bodies);
  const std::span<const Vec6> loads = w.film.film.loads();
  for (std::size_t k = 0; k < loads.size(); ++k)
    if (w.contacts.bodies.dynamic[k])
      w.contacts.bodies.start[k] += dt * w.contacts.bodies.accelerate(k, loads[k]);
  const double margin = 0.25 * m.scene.spacing;
  w.contact.pushed.assign(s.bodies.size(), 0);
  CoupledReport report;
  for (int round = 0; round < 3; ++round) {
    find_contacts(m, s, margin, dt, w.contact, w.contacts);
    build_contact_rows(m, s, dt, w.contacts);
    w.seconds.contacts += watch.lap();
    for (int k = 0; k < (m.newtonian ? 1 : m.scene.hybrid.viscosity_solves); ++k) {
      if (k > 0) {
        if (update_viscosity(m, s, w) <= m.scene.hybrid.viscosity_tolerance) break;
        w.fluid.set_viscosity(w.grid, w.material, dt);
      }
      const CoupledReport solve =
          w.coupled.solve(w.fluid, w.contacts.bodies, w.contacts.contacts, w.contacts.rows, dt);
      report.iterations += solve.iterations;
      report.solves += solve.solves;
      report.residual = solve.residual;
      report.converged = solve.converged;
    }
    w.seconds.solve += watch.lap();
    if (!widen(w.contacts.bodies, w.coupled.u, 0.5 * margin, dt, w.contact.pushed)) break;
  }
  w.fluid.push(w.grid, w.solids, std::span(w.coupled.z).first(w.fluid.size()), dt, w.u);
  for (std::size_t k = 0; k < loads.size(); ++k)
    w.coupled.pressure[k] += loads[k], w.coupled.push[k] += dt * loads[k];
  write_liquid_forces(m, w, s);
  w.film_force = film_force(w.film.film, s.bodies, [&](std::uint32_t p) { return w.coupled.z[p]; });
  apply_contacts({w.coupled.gamma, {}, w.coupled.u, w.coupled.push}, dt, s, w.contact, w.contacts);
  w.seconds.velocity += watch.lap();
  return report;
}

}  // namespace hydrolith::hybrid
