#include "contact/body_control.h"

#include "core/check.h"
#include "core/suggest.h"
#include "setup/flow.h"

#include <cmath>

namespace hydrolith {

namespace {

/// Throws unless body i may be put elsewhere and set in motion.
void require_movable(const World& w, const WorldState& s, std::size_t i, std::string_view doing) {
  require(i < s.bodies.size(), "there is no body {}; the scene has {}", i, s.bodies.size());
  const std::string& name = w.scene.bodies[i].name;
  require(s.bodies.kind[i] != BodyKind::fixed, "{} of {}: a static body does not move", doing,
          name);
  require(s.bodies.kind[i] != BodyKind::kinematic || w.scene.bodies[i].motion.driven,
          "{} of {}: a kinematic body moves by its motion alone; give it `motion: {{driven: "
          "true}}` in the scene, or make the body dynamic",
          doing, name);
}

/// Throws unless body i may be pushed.
void require_dynamic(const World& w, const WorldState& s, std::size_t i, std::string_view doing) {
  require_movable(w, s, i, doing);
  require(s.bodies.kind[i] == BodyKind::dynamic,
          "{} of {}: a driven body moves at the velocity it is given, whatever pushes it; set its "
          "velocity, or make the body dynamic",
          doing, w.scene.bodies[i].name);
}

void require_vector(const World& w, std::size_t i, std::string_view what, const Vec3& v,
                    bool turns) {
  const std::string& name = w.scene.bodies[i].name;
  require(v.allFinite(), "{} of {}: not a finite number: [{}, {}, {}]", what, name, v.x(), v.y(),
          v.z());
  if (w.scene.dimensions == 3) return;
  require(turns ? v.x() == 0 && v.y() == 0 : v.z() == 0, "{} of {}: in a 2D scene {} must be 0",
          what, name, turns ? "x and y" : "z");
}

/// A body that was put elsewhere touches nothing it touched before.
void forget_contacts(const World& w, ContactMemory& contacts, std::size_t body) {
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < body; ++i)
    first += static_cast<std::uint32_t>(w.samples[w.solids.shape_of[i]].position.size());
  const auto end =
      first + static_cast<std::uint32_t>(w.samples[w.solids.shape_of[body]].position.size());
  std::vector<char> keep(contacts.sample.size());
  for (std::size_t k = 0; k < keep.size(); ++k)
    keep[k] = contacts.body[k] != body && (contacts.sample[k] < first || contacts.sample[k] >= end);
  if (!contacts.torque.empty()) keep_marked(keep, contacts.torque);
  if (!contacts.anchor.empty()) keep_marked(keep, contacts.anchor);
  keep_marked(keep, contacts.force);
  keep_marked(keep, contacts.body);
  keep_marked(keep, contacts.sample);
}

Wrench& applied_to(WorldState& s, std::size_t body) {
  s.applied.resize(s.bodies.size());
  return s.applied[body];
}

}  // namespace

std::size_t find_body(const World& w, std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < w.scene.bodies.size(); ++i) {
    if (w.scene.bodies[i].name == name) return i;
    names.push_back(w.scene.bodies[i].name);
  }
  throw Error(fmt::format("there is no body \"{}\".{}", name, did_you_mean(name, names)));
}

void set_pose(const World& w, WorldState& s, std::size_t i, const Pose& pose) {
  require_movable(w, s, i, "pose");
  require_vector(w, i, "position", pose.position, false);
  const Quat& q = pose.orientation;
  const double norm = q.norm();
  require(std::isfinite(norm) && norm > 1e-9,
          "orientation of {}: a quaternion other than 0 is wanted, got [{}, {}, {}, {}] (w, x, y, "
          "z)",
          w.scene.bodies[i].name, q.w(), q.x(), q.y(), q.z());
  require(w.scene.dimensions == 3 || (q.x() == 0 && q.y() == 0),
          "orientation of {}: a body of a 2D scene turns about z alone", w.scene.bodies[i].name);
  s.bodies.x[i] = pose.position;
  s.bodies.q[i] = Quat(Eigen::Vector4d(q.coeffs() / norm));
  set_angular_velocity(s.bodies, i, s.bodies.omega[i]);
  forget_contacts(w, s.contacts, i);
}

void set_velocity(const World& w, WorldState& s, std::size_t i, const Vec3& velocity,
                  const Vec3& angular_velocity) {
  require_movable(w, s, i, "velocity");
  require_vector(w, i, "velocity", velocity, false);
  require_vector(w, i, "angular velocity", angular_velocity, true);
  s.bodies.v[i] = velocity;
  set_angular_velocity(s.bodies, i, angular_velocity);
}

void push(const World& w, WorldState& s, std::size_t i, const Vec3& force,
          const std::optional<Vec3>& point) {
  require_dynamic(w, s, i, "force");
  require_vector(w, i, "force", force, false);
  if (point) require_vector(w, i, "point of a force", *point, false);
  Wrench& sum = applied_to(s, i);
  sum.force += force;
  if (point) sum.torque += (*point - s.bodies.x[i]).cross(force);
}

void twist(const World& w, WorldState& s, std::size_t i, const Vec3& torque) {
  require_dynamic(w, s, i, "torque");
  require_vector(w, i, "torque", torque, true);
  applied_to(s, i).torque += torque;
}

}  // namespace hydrolith
