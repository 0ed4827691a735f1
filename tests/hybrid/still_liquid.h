#pragma once
// Liquid with a surface given by a formula, between solids from a scene's text: the system without
// particles, so that its own errors can be seen.

#include "contact/bodies_step.h"
#include "hybrid/coupled_system.h"
#include "hybrid/fluid_system.h"
#include "hybrid/grid_velocity.h"
#include "hybrid/liquid_surface.h"
#include "hybrid/solid_field.h"
#include "scene/reader.h"
#include "setup/world.h"

#include <functional>
#include <string>
#include <vector>

namespace hydrolith::hybrid::test {

struct StillLiquid {
  World world;
  WorldState state;
  TileGrid grid;
  SolidField solids;
  LiquidSurface surface;
  LiquidMaterial material;
  FluidSystem fluid;
  CoupledSystem coupled;
  BodyColumns bodies;
  Contacts contacts;
  ContactRows rows;
  FaceField u;
  CoupledReport report;

  /// `phi` [m] negative in liquid; the grid covers `box`. Cells are `cells` times the scene's
  /// spacing wide, which sets how fine the facets of round bodies are.
  StillLiquid(const std::string& yaml, const Box3& box,
              const std::function<double(const Vec3&)>& phi, double viscosity = 0,
              double tolerance = 1e-13, double cells = 1)
      : world(build_world(read_scene_text(yaml, "still.yaml").scene)),
        state(initial_world_state(world)),
        grid(cells * world.scene.spacing, world.scene.dimensions),
        solids(world.solids, {}, grid.dx(), world.scene.dimensions),
        coupled(options(tolerance), grid.dx(), world.scene.dimensions, 0) {
    const double dx = grid.dx();
    std::vector<Vec3> points;
    const bool three = grid.dimensions() == 3;
    for (double z = three ? box.lo.z() : 0; z <= (three ? box.hi.z() : 0); z += 4 * dx)
      for (double y = box.lo.y(); y <= box.hi.y(); y += 4 * dx)
        for (double x = box.lo.x(); x <= box.hi.x(); x += 4 * dx) points.emplace_back(x, y, z);
    grid.cover(points);
    solids.measure(grid, state.bodies);
    surface.phi.resize(grid.cells());
    surface.fill.assign(grid.cells(), 1);
    for (std::size_t cell = 0; cell < grid.cells(); ++cell)
      surface.phi[cell] = phi(grid.centre(grid.coordinates(cell))) / dx;
    if (viscosity > 0) surface.measure_parts(grid);
    material.density.assign(grid.cells(), 1000);
    if (viscosity > 0) material.viscosity.assign(grid.cells(), viscosity);
    for (int a = 0; a < grid.dimensions(); ++a)
      u[static_cast<std::size_t>(a)].assign(grid.cells(), 0);
  }
  static HybridSpec options(double tolerance) {
    HybridSpec o;
    o.tolerance = tolerance;
    o.max_iterations = 20000;
    return o;
  }
  void set(const std::function<Vec3(const Vec3&)>& velocity) {
    for (std::size_t cell = 0; cell < grid.cells(); ++cell)
      for (int a = 0; a < grid.dimensions(); ++a)
        u[static_cast<std::size_t>(a)][cell] = velocity(grid.face(grid.coordinates(cell), a))[a];
  }
  void solve(double dt) {
    fluid.assemble(grid, solids, surface, material, state.bodies, dt);
    fluid.load(grid, solids, u, dt);
    write_bodies(world, state, bodies);
    coupled.z.assign(fluid.size(), 0);
    report = coupled.solve(fluid, bodies, contacts, rows, dt);
    fluid.push(grid, solids, std::span(coupled.z).first(fluid.size()), dt, u);
  }
  /// f(cell, axis, u) for all faces that the liquid acts on.
  template <class F>
  void each_face(F&& f) const {
    FaceMarks known;
    fluid.mark_faces(grid, solids, known);
    for (std::size_t cell = 0; cell < grid.cells(); ++cell)
      for (int a = 0; a < grid.dimensions(); ++a)
        if (known[static_cast<std::size_t>(a)][grid.tile_of(cell)].holds(cell % grid.tile_cells()))
          f(cell, a, u[static_cast<std::size_t>(a)][cell]);
  }
};

}  // namespace hydrolith::hybrid::test
