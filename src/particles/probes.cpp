#include "particles/observe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Pressure at a point: mean of the particles within one and a half spacings, weighted by a linear
/// hat. No liquid there: NaN.
double read_pressure(const Model& m, const State& s, const Vec3& at) {
  const double reach = 1.5 * m.scene.spacing;
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < s.particles(); ++i) {
    const double w = 1 - (s.x[i] - at).norm() / reach;
    if (w <= 0) continue;
    sum += w * s.pressure[i];
    weight += w;
  }
  return weight > 0 ? sum / weight : nan;
}

}  // namespace

void read_probes(const Model& m, const State& s, std::vector<double>& values) {
  for (const ProbeSpec& p : m.scene.probes) switch (p.kind) {
      case ProbeKind::force:
      case ProbeKind::pose:
        read_body_probe(m, s, p, values);
        break;
      case ProbeKind::pressure:
        values.push_back(read_pressure(m, s, p.at));
        break;
      case ProbeKind::height:
        values.push_back(read_height(m, p, s.x));
        break;
    }
}

}  // namespace hydrolith::particles
