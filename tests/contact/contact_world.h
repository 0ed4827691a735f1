#pragma once
// Small worlds of bodies for tests of contacts.

#include "contact/contacts.h"
#include "setup/world.h"

#include <numbers>
#include <string>
#include <vector>

namespace hydrolith::test {

inline constexpr double h = 0.02;          // [m]
inline constexpr double dt = 0.001;        // [s]
inline constexpr double rounding = 1e-12;  // [m] a few operations on numbers of order 1 m

inline BodySpec body(Shape::Variant kind, const Vec3& at, BodyKind moves = BodyKind::dynamic) {
  BodySpec b;
  b.shape.kind = std::move(kind);
  b.pose.position = at;
  b.kind = moves;
  return b;
}
inline BodySpec ground() {
  return body(BoxShape{Vec3(0.8, 0.1, 0.8)}, Vec3(0, -0.05, 0), BodyKind::fixed);
}

/// A scene in weightless rest, so that the margin alone decides what is kept.
struct ContactWorld {
  World m;
  WorldState s;
  Samples samples;
  CubicSpline kernel;
  ContactFinder finder;
  Contacts contacts;

  static Scene scene(std::vector<BodySpec> bodies, int dimensions) {
    Scene scene;
    scene.spacing = h;
    scene.dimensions = dimensions;
    scene.gravity = Vec3::Zero();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies[i].name = "body" + std::to_string(i);
      bodies[i].object = static_cast<int>(i);
      scene.body_objects.push_back(bodies[i].name);
    }
    scene.bodies = std::move(bodies);
    return scene;
  }
  explicit ContactWorld(std::vector<BodySpec> bodies, int dimensions = 3)
      : ContactWorld(build_world(scene(std::move(bodies), dimensions))) {}
  explicit ContactWorld(World model)
      : m(std::move(model)),
        s(initial_world_state(m)),
        samples(build_samples(m, s)),
        kernel{h, m.scene.dimensions} {}

  const Contacts& find(const ContactOptions& options) {
    place_samples(m, s, samples);
    finder.find(m, s, samples, kernel, options, dt, contacts);
    return contacts;
  }
  std::vector<std::size_t> between(std::uint32_t a, std::uint32_t b) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < contacts.size(); ++i)
      if (contacts.a[i] == a && contacts.b[i] == b) found.push_back(i);
    return found;
  }
};

inline ContactOptions distance(double margin) { return {.margin = margin}; }
inline ContactOptions volumes(double margin) {
  return {.measure = ContactMeasure::volumes, .margin = margin};
}

inline Quat turned(double degrees, const Vec3& axis) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()));
}

}  // namespace hydrolith::test
