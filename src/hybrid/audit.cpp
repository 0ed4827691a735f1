#include "contact/bodies_step.h"
#include "contact/time_step.h"
#include "core/check.h"
#include "core/parallel.h"
#include "hybrid/step.h"
#include "setup/container.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::hybrid {

namespace {

/// The larger of two numbers, as a sum for `ordered_sum`.
struct Largest {
  double value = 0;
  Largest operator+(const Largest& o) const { return {std::max(value, o.value)}; }
};

}  // namespace

double fastest(const Model& m, const State& s) {
  const Largest v_sq = ordered_sum(s.liquid.size(), Largest{}, [&](std::size_t i) {
    const double sq = s.liquid.v[i].squaredNorm();
    return Largest{sq >= 0 ? sq : std::numeric_limits<double>::infinity()};
  });
  return std::max(std::sqrt(v_sq.value), fastest_body(m, s));
}

double choose_time_step(const Model& m, const State& s) {
  // Half of what a step may carry anything at most: the grid's velocities end soon beyond the
  // liquid.
  const double lone_travel = 0.5 * std::min(m.scene.solver.max_travel, most_travel);
  return hydrolith::choose_time_step(m, s, {s.liquid.x, s.liquid.v, lone_travel});
}

void audit(const Model& m, const State& s, StepReport& r) {
  const LiquidParticles& l = s.liquid;
  struct Totals {
    double volume = 0, kinetic = 0, potential = 0;
    Vec3 p = Vec3::Zero(), L = Vec3::Zero();
    Totals operator+(const Totals& o) const {
      return {volume + o.volume, kinetic + o.kinetic, potential + o.potential, p + o.p, L + o.L};
    }
  };
  const Totals liquid = ordered_sum(l.size(), Totals{}, [&](std::size_t i) -> Totals {
    const double mass = l.volume[i] * m.density[l.liquid[i]];
    const Vec3 p = mass * l.v[i];
    return {l.volume[i], 0.5 * p.dot(l.v[i]), -mass * m.scene.gravity.dot(l.x[i]), p,
            l.x[i].cross(p)};
  });
  r.particles = static_cast<std::int64_t>(l.size());
  r.outside = count_outside(m, l.x);
  r.liquid_volume = liquid.volume;
  r.kinetic_energy = liquid.kinetic;
  r.potential_energy = liquid.potential;
  r.momentum = liquid.p;
  r.angular_momentum = liquid.L;
  audit_bodies(m, s, r);
  r.max_speed = fastest(m, s);
  if (std::isfinite(r.kinetic_energy + r.potential_energy + r.angular_momentum.sum())) return;
  std::string fault = first_body_not_finite(m, s);
  if (fault.empty())
    fault =
        "the motion of the liquid is no longer a finite number. Look at emitters and velocities";
  throw SimulationError(fmt::format("step {}, t = {:.6g} s: {}", s.step, s.time, fault));
}

}  // namespace hydrolith::hybrid
