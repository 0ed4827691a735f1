#include "core/check.h"
#include "core/parallel.h"
#include "particles/step_parts.h"
#include "setup/container.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

/// The larger of two numbers, as a sum for `ordered_sum`; what is not a number counts as infinite.
struct Largest {
  double value = 0;
  Largest operator+(const Largest& o) const { return {std::max(value, o.value)}; }
};

}  // namespace

double fastest(const Model& m, const State& s) {
  const Largest v_sq = ordered_sum(s.particles(), Largest{}, [&](std::size_t i) {
    const double sq = s.v[i].squaredNorm();
    return Largest{sq >= 0 ? sq : std::numeric_limits<double>::infinity()};
  });
  return std::max(std::sqrt(v_sq.value), fastest_body(m, s));
}

std::string first_not_finite(const Model& m, const State& s) {
  const std::string body = first_body_not_finite(m, s);
  if (!body.empty()) return body;
  return "the motion of the liquid is no longer a finite number. Look at emitters and velocities";
}

void audit(const Model& m, const State& s, StepReport& r) {
  const auto mass = [&](std::size_t i) {
    return s.volume[i] * m.scene.liquids[s.liquid[i]].density;
  };
  struct Totals {
    double volume = 0, kinetic = 0, potential = 0;
    Vec3 p = Vec3::Zero(), L = Vec3::Zero();
    Totals operator+(const Totals& o) const {
      return {volume + o.volume, kinetic + o.kinetic, potential + o.potential, p + o.p, L + o.L};
    }
  };
  const std::size_t n = s.particles();
  const Totals liquid = ordered_sum(n, Totals{}, [&](std::size_t i) -> Totals {
    const Vec3 p = mass(i) * s.v[i];
    return {s.volume[i], 0.5 * p.dot(s.v[i]), -mass(i) * m.scene.gravity.dot(s.x[i]), p,
            s.x[i].cross(p)};
  });
  r.particles = static_cast<std::int64_t>(n);
  r.outside = count_outside(m, s.x);
  r.liquid_volume = liquid.volume;
  r.kinetic_energy = liquid.kinetic;
  r.potential_energy = liquid.potential;
  r.momentum = liquid.p;
  r.angular_momentum = liquid.L;
  audit_bodies(m, s, r);
  for (std::size_t k = 0; k < s.bodies.size(); ++k) {
    if (s.bodies.kind[k] != BodyKind::dynamic) continue;
    const Vec3 p = s.excess[k].head<3>();
    r.momentum -= p;
    r.angular_momentum -= s.bodies.x[k].cross(p) + s.excess[k].tail<3>();
  }
  r.max_speed = fastest(m, s);
  if (!std::isfinite(r.kinetic_energy + r.potential_energy + r.angular_momentum.sum()))
    throw SimulationError(
        fmt::format("step {}, t = {:.6g} s: {}", s.step, s.time, first_not_finite(m, s)));
}

}  // namespace hydrolith::particles
