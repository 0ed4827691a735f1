#include "setup/probes.h"

#include "core/check.h"

#include <algorithm>

namespace hydrolith {

namespace {

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

void read_body_probe(const World& w, const WorldState& s, const ProbeSpec& probe,
                     std::vector<double>& values) {
  const std::size_t i = index_of_body(w.scene, probe.body);
  if (probe.kind == ProbeKind::force) read_force(s.forces[i], values);
  if (probe.kind == ProbeKind::pose) read_pose(s.bodies, i, values);
}

double read_height(const World& w, const ProbeSpec& probe, std::span<const Vec3> x) {
  const Vec3 up = probe.direction.norm() > 0 ? Vec3(probe.direction.normalized()) : w.objects.up;
  const double h = w.scene.spacing, above = 0.5 * w.particle_spacing;
  std::vector<double> heights;
  for (const Vec3& p : x) {
    const Vec3 d = p - probe.at;
    const double along = d.dot(up);
    if (along > -above && (d - along * up).squaredNorm() <= h * h) heights.push_back(along);
  }
  std::sort(heights.begin(), heights.end());
  const double widest = probe.reading == HeightReading::filled ? 1.5 * h : unlimited;
  double last = 0;
  for (const double height : heights) {
    if (height - last >= widest) break;
    last = height;
  }
  return heights.empty() || heights.front() >= widest ? 0 : std::max(0.0, last + above);
}

}  // namespace hydrolith
