#include "core/check.h"
#include "hybrid/step.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

namespace {

/// Viscosity below this part of rho dx^2 / dt changes nothing that the grid can see.
constexpr double visible = 1e-3;

bool needs_stresses(const Scene& scene) {
  if (scene.hybrid.viscosity != ViscositySolve::automatic)
    return scene.hybrid.viscosity == ViscositySolve::always;
  const double dt = longest_step(scene), dx = scene.spacing;
  return std::any_of(scene.liquids.begin(), scene.liquids.end(), [&](const LiquidSpec& l) {
    return !l.is_newtonian() || l.viscosity * dt > visible * l.density * dx * dx;
  });
}

}  // namespace

Model build_model(const Scene& scene) {
  Model m(build_world(scene, 0.5 * scene.spacing));
  m.viscous = needs_stresses(scene);
  for (const LiquidSpec& l : scene.liquids) {
    m.density.push_back(l.density);
    m.viscosity.push_back(l.viscosity);
    m.newtonian = m.newtonian && l.is_newtonian();
    if (!m.viscous && l.viscosity > 0 && l.viscosity != LiquidSpec{}.viscosity)
      m.remarks.push_back(fmt::format(
          "liquid \"{}\": a viscosity of {:g} Pa s is too small to matter at this spacing and time "
          "step; it flows without. `hybrid: {{viscosity: always}}` solves for it all the same",
          l.name, l.viscosity));
  }
  if (scene.settle > 0)
    m.remarks.push_back(
        "settle has no effect on the engine `hybrid`: its liquid is in balance from the start");
  return m;
}

State initial_state(const Model& m) {
  State s;
  static_cast<WorldState&>(s) = initial_world_state(m);
  const double h = m.particle_spacing;
  fill_liquids(m, h, 0.5 * h,
               [&](std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume) {
                 s.liquid.add(liquid, x, v, volume);
               });
  return s;
}

namespace {

/// Static bodies with a probe of force.
std::vector<std::uint32_t> watched(const Model& m) {
  std::vector<std::uint32_t> bodies;
  for (const ProbeSpec& p : m.scene.probes)
    for (std::uint32_t i = 0; i < m.scene.bodies.size(); ++i)
      if (p.kind == ProbeKind::force && m.scene.bodies[i].name == p.body &&
          m.scene.bodies[i].kind == BodyKind::fixed)
        bodies.push_back(i);
  return bodies;
}

}  // namespace

Workspace::Workspace(const Model& m, const State& s)
    : grid(m.scene.spacing, m.scene.dimensions),
      solids(m.solids, watched(m), m.scene.spacing, m.scene.dimensions),
      film(m),
      coupled(m.scene.hybrid, m.scene.spacing, m.scene.dimensions, m.scene.gravity.norm()),
      samples(build_samples(m, s)),
      contact(samples) {}

}  // namespace hydrolith::hybrid
