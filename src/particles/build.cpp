#include "particles/build.h"

#include "particles/flow.h"

namespace hydrolith::particles {

Model build_model(const Scene& scene) { return {build_world(scene)}; }

State initial_state(const Model& m) {
  State s;
  static_cast<WorldState&>(s) = initial_world_state(m);
  s.excess.assign(s.bodies.size(), Vec6::Zero());
  const double h = m.particle_spacing;
  // Cells find their places by themselves; samples want to be kept clear of.
  const double clearance = m.scene.solver.uses_cells() ? 0.3 * h : 0.5 * h;
  fill_liquids(m, h, clearance,
               [&](std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume) {
                 add_particle(s, liquid, x, v, volume);
               });
  return s;
}

}  // namespace hydrolith::particles
