#include "particles/build.h"

#include "particles/flow.h"

#include <cmath>

namespace hydrolith::particles {

Model build_model(const Scene& scene) { return {build_world(scene)}; }

namespace {

/// Against gravity if that is along an axis; zero: liquid has no side that is above.
Vec3 upwards(const Scene& scene) {
  const Vec3& g = scene.gravity;
  int axis = 0;
  const double most = g.cwiseAbs().maxCoeff(&axis);
  if (!(most > 0) || axis >= scene.dimensions || g.cwiseAbs().sum() > most * (1 + 1e-9))
    return Vec3::Zero();
  return -std::copysign(1.0, g[axis]) * Vec3::Unit(axis);
}

}  // namespace

State initial_state(const Model& m) {
  State s;
  static_cast<WorldState&>(s) = initial_world_state(m);
  s.excess.assign(s.bodies.size(), Vec6::Zero());
  const double h = m.particle_spacing;
  // Cells find their places by themselves; samples want to be kept clear of.
  const bool on_cells = m.scene.solver.uses_cells();
  const double clearance = on_cells ? 0.3 * h : 0.5 * h;
  fill_liquids(
      m, h, clearance,
      [&](std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume) {
        add_particle(s, liquid, x, v, volume);
      },
      on_cells ? upwards(m.scene) : Vec3(Vec3::Zero()));
  return s;
}

}  // namespace hydrolith::particles
