#include "core/check.h"
#include "particles/step_parts.h"
#include "setup/unknown_forces.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

double largest_compression(const LiquidSystem& l) {
  return l.size() == 0 ? 0 : *std::max_element(l.compression.begin(), l.compression.end());
}

/// A step of the liquid alone around held bodies; `kept` of its velocity remains.
void settle_step(const Model& m, State& s, Workspace& w, double dt, bool weightless, double kept) {
  find_neighbours(m, s, w);
  attempt(m, s, w, dt, weightless);
  if (!std::isfinite(fastest(m, s))) throw SimulationError("settling: " + first_not_finite(m, s));
  for (Vec3& v : s.v) v *= kept;
  s.time = 0;
  s.step = 0;
}

}  // namespace

void settle(const Model& m, State& s, Workspace& w) {
  constexpr int most_steps_apart = 40;
  constexpr double loose = 0.02;  // [-] compression that needs no help
  if (s.particles() == 0 || s.bodies.size() == 0) return;
  const RigidBodies bodies = s.bodies;
  const std::vector<MotionProgress> motion = s.motion;
  place_samples(m, s, w.samples);  // somebody may have put bodies elsewhere
  std::fill(s.bodies.kind.begin(), s.bodies.kind.end(), BodyKind::fixed);
  for (auto* column : {&s.bodies.v, &s.bodies.omega, &s.v})
    std::fill(column->begin(), column->end(), Vec3::Zero());
  for (int k = 0; k < most_steps_apart; ++k) {
    settle_step(m, s, w, choose_time_step(m, s), true, 0);
    if (largest_compression(w.system.liquid) < loose) break;
  }
  for (double t = 0; t < m.scene.settle;) {
    const double dt = choose_time_step(m, s);
    settle_step(m, s, w, dt, false, 0.8);
    t += dt;
  }
  s.bodies = bodies;
  s.motion = motion;
  s.contacts = {};
  std::fill(s.forces.begin(), s.forces.end(), unknown_forces());
  if (m.scene.settle == 0) std::fill(s.pressure.begin(), s.pressure.end(), 0.0f);
  for (std::size_t i = 0; i < s.particles(); ++i) s.v[i] = m.scene.liquids[s.liquid[i]].velocity;
}

}  // namespace hydrolith::particles
