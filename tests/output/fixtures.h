#pragma once
// A folder for each test, small runs to write, and the comparison of what comes back.

#include "hydrolith/frame.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>

namespace hydrolith::test {

namespace fs = std::filesystem;

/// A fresh folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "hydrolith_test_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }
  operator const fs::path&() const { return path_; }

 private:
  fs::path path_;
};

inline SurfaceMesh tetrahedron(float size) {
  return {.vertices = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}},
          .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

/// Two liquids, two body entries with three bodies, names in several scripts.
inline Objects sample_objects() {
  Objects objects;
  objects.title = "Prüfung: Staumauer & «水»";
  objects.dimensions = 3;
  objects.spacing = 0.0125;
  objects.up = Vec3(0, 0, 1);
  objects.liquids = {{.name = "water", .density = 998.2, .colour = Vec3f(0.1f, 0.2f, 0.3f)},
                     {.name = "huile d'olive/été", .density = 910, .colour = Vec3f(1, 0.5f, 0)}};
  objects.body_objects = {"tank", "brick"};
  objects.meshes = {tetrahedron(1), tetrahedron(0.25f)};
  objects.meshes[1].vertices.push_back(Vec3f(9, 9, 9));  // two meshes of different size
  objects.bodies = {{.name = "tank",
                     .object = 0,
                     .mesh = 0,
                     .kind = BodyKind::fixed,
                     .container = true,
                     .mass = 0,
                     .colour = Vec3f(0.5f, 0.5f, 0.5f)},
                    {.name = "brick[0]",
                     .object = 1,
                     .mesh = 1,
                     .kind = BodyKind::dynamic,
                     .container = false,
                     .mass = 1.0 / 3,
                     .colour = Vec3f(1, 0, 0)},
                    {.name = "brick[1]",
                     .object = 1,
                     .mesh = 1,
                     .kind = BodyKind::kinematic,
                     .container = false,
                     .mass = 0,
                     .colour = Vec3f(0, 1, 0)}};
  objects.has_camera = true;
  objects.camera = {.from = Vec3(1, 2, 3), .to = Vec3(0.1, 0.2, 0.3), .field_of_view = 42.5};
  return objects;
}

inline LiquidFrame random_liquid(std::size_t particles, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  LiquidFrame liquid;
  liquid.fields = {{"velocity", "m/s", 3, {}}, {"pressure", "Pa", 1, {}}};
  for (std::size_t i = 0; i < particles; ++i) {
    liquid.id.push_back(static_cast<std::uint32_t>(random()));
    liquid.position.emplace_back(uniform(random), uniform(random), uniform(random));
    for (int k = 0; k < 3; ++k) liquid.fields[0].values.push_back(uniform(random));
    liquid.fields[1].values.push_back(1e4f * uniform(random));
  }
  return liquid;
}

/// A frame of these objects with this many particles in each liquid; depends on `index` alone.
inline Frame sample_frame(const Objects& objects, std::int64_t index, std::size_t particles) {
  std::mt19937 random(static_cast<unsigned>(1000 + index));
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
  Frame frame;
  frame.index = index;
  frame.step = 17 * index;
  frame.time = static_cast<double>(index) / 30;
  for (std::size_t i = 0; i < objects.liquids.size(); ++i)
    frame.liquids.push_back(random_liquid(particles, random));
  for (std::size_t i = 0; i < objects.bodies.size(); ++i) {
    const Quat turn(Eigen::AngleAxisd(3 * uniform(random), vector().normalized()));
    const auto wrench = [&] { return Wrench{vector(), vector()}; };
    frame.bodies.push_back(
        {{vector(), turn}, vector(), vector(), BodyForces{wrench(), wrench(), wrench(), wrench()}});
  }
  return frame;
}

// ---- the same, bit for bit ---------------------------------------------------------------------

inline bool same(const LiquidFrame& a, const LiquidFrame& b) {
  if (a.id != b.id || a.position != b.position || a.fields.size() != b.fields.size()) return false;
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    const Field &f = a.fields[i], &g = b.fields[i];
    if (f.name != g.name || f.unit != g.unit || f.components != g.components ||
        f.values != g.values)
      return false;
  }
  return true;
}

inline bool same(const Wrench& a, const Wrench& b) {
  return a.force == b.force && a.torque == b.torque;
}

inline bool same(const std::optional<BodyForces>& a, const std::optional<BodyForces>& b) {
  if (!a || !b) return !a && !b;
  return same(a->pressure, b->pressure) && same(a->viscosity, b->viscosity) &&
         same(a->contact, b->contact) && same(a->friction, b->friction);
}

inline bool same(const BodyFrame& a, const BodyFrame& b) {
  return a.pose.position == b.pose.position &&
         a.pose.orientation.coeffs() == b.pose.orientation.coeffs() && a.velocity == b.velocity &&
         a.angular_velocity == b.angular_velocity && same(a.forces, b.forces);
}

inline bool same(const LiquidInfo& a, const LiquidInfo& b) {
  return a.name == b.name && a.density == b.density && a.colour == b.colour;
}

inline bool same(const BodyInfo& a, const BodyInfo& b) {
  return a.name == b.name && a.object == b.object && a.mesh == b.mesh && a.kind == b.kind &&
         a.container == b.container && a.mass == b.mass && a.colour == b.colour;
}

inline bool same(const SurfaceMesh& a, const SurfaceMesh& b) {
  return a.vertices == b.vertices && a.triangles == b.triangles;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

inline bool same(const Frame& a, const Frame& b) {
  return a.index == b.index && a.step == b.step && a.time == b.time && same(a.liquids, b.liquids) &&
         same(a.bodies, b.bodies);
}

inline bool same(const Objects& a, const Objects& b) {
  return a.title == b.title && a.dimensions == b.dimensions && a.spacing == b.spacing &&
         a.up == b.up && same(a.liquids, b.liquids) && a.body_objects == b.body_objects &&
         same(a.bodies, b.bodies) && same(a.meshes, b.meshes) && a.has_camera == b.has_camera &&
         (!a.has_camera || (a.camera.from == b.camera.from && a.camera.to == b.camera.to &&
                            a.camera.field_of_view == b.camera.field_of_view));
}

/// The message of the error that `action` throws, or a text no test looks for.
template <class E, class F>
std::string message_of(F&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "(no error)";
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace hydrolith::test
