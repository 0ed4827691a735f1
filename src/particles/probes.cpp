#include "core/check.h"
#include "particles/observe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::particles {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void push(std::vector<double>& values, const Vec3& v) {
  values.insert(values.end(), {v.x(), v.y(), v.z()});
}

std::size_t index_of_body(const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name == name) return i;
  throw Error(fmt::format("there is no body \"{}\"", name));
}

void read_force(const BodyForces& f, std::vector<double>& values) {
  const Wrench* parts[] = {&f.pressure, &f.viscosity, &f.contact, &f.friction};
  Wrench total;
  for (const Wrench* part : parts) {
    total.force += part->force;
    total.torque += part->torque;
  }
  push(values, total.force);
  push(values, total.torque);
  for (const Wrench* part : parts) {
    push(values, part->force);
    push(values, part->torque);
  }
}

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

void read_pose(const RigidBodies& b, std::size_t i, std::vector<double>& values) {
  push(values, b.x[i]);
  values.insert(values.end(), {b.q[i].w(), b.q[i].x(), b.q[i].y(), b.q[i].z()});
  push(values, b.v[i]);
  push(values, b.omega[i]);
}

}  // namespace

std::vector<std::string> probe_columns(const Scene& scene) {
  std::vector<std::string> columns;
  const auto vector = [&](const std::string& name) {
    for (const char* axis : {"x", "y", "z"}) columns.push_back(name + "." + axis);
  };
  for (const ProbeSpec& p : scene.probes) switch (p.kind) {
      case ProbeKind::force:
        vector(p.name + ".force");
        vector(p.name + ".torque");
        for (const char* part : {"pressure", "viscosity", "contact", "friction"}) {
          vector(p.name + "." + part + "_force");
          vector(p.name + "." + part + "_torque");
        }
        break;
      case ProbeKind::pressure:
        columns.push_back(p.name + ".pressure");
        break;
      case ProbeKind::height:
        columns.push_back(p.name + ".height");
        break;
      case ProbeKind::pose:
        vector(p.name + ".position");
        for (const char* c : {"w", "x", "y", "z"}) columns.push_back(p.name + ".orientation." + c);
        vector(p.name + ".velocity");
        vector(p.name + ".angular_velocity");
        break;
    }
  return columns;
}

void read_probes(const Model& m, const State& s, std::vector<double>& values) {
  for (const ProbeSpec& p : m.scene.probes) switch (p.kind) {
      case ProbeKind::force:
        read_force(s.forces[index_of_body(m.scene, p.body)], values);
        break;
      case ProbeKind::pressure:
        values.push_back(read_pressure(m, s, p.at));
        break;
      case ProbeKind::height:
        values.push_back(read_height(m, s, p));
        break;
      case ProbeKind::pose:
        read_pose(s.bodies, index_of_body(m.scene, p.body), values);
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
