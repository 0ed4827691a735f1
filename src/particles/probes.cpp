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

/// Water height along a line: the highest particle within one spacing of it, plus half a spacing;
/// zero where there is none above the foot.
double read_height(const Model& m, const State& s, const ProbeSpec& probe) {
  const Vec3 up = probe.direction.norm() > 0 ? Vec3(probe.direction.normalized()) : m.objects.up;
  const double h = m.scene.spacing;
  double top = 0;
  for (std::size_t i = 0; i < s.particles(); ++i) {
    const Vec3 d = s.x[i] - probe.at;
    const double along = d.dot(up);
    if ((d - along * up).squaredNorm() <= h * h) top = std::max(top, along + 0.5 * h);
  }
  return top;
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
        values.push_back(read_height(m, s, p));
        break;
    }
}

std::size_t memory_use(const Model& m, const State& s) {
  std::size_t bytes = s.particles() * (2 * sizeof(Vec3) + sizeof(double) + sizeof(float) + 8);
  bytes += s.bodies.size() * (sizeof(BodyForces) + sizeof(MotionProgress) + 300);
  for (const SolidShape& shape : m.solids.shapes)
    bytes += shape.mesh.vertices.size() * sizeof(Vec3) + shape.mesh.triangles.size() * 150;
  for (const SurfaceSamples& samples : m.samples)
    bytes += samples.position.size() * 2 * sizeof(Vec3);
  return bytes;
}

}  // namespace hydrolith::particles
