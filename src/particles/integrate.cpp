#include "core/wide.h"
#include "particles/step_parts.h"

namespace hydrolith::particles {

namespace {

std::span<double> flat(std::vector<Vec3>& column) {
  return {column.empty() ? nullptr : column.front().data(), 3 * column.size()};
}

}  // namespace

void integrate(const Model& m, State& s, double dt) {
  add_scaled(dt, flat(s.v), flat(s.x));
  integrate_bodies(m, s, dt);
}

}  // namespace hydrolith::particles
