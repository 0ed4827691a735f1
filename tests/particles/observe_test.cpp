#include "particles/observe.h"

#include "about.h"
#include "particles/build.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;
using namespace hydrolith::particles;

namespace {

Scene pool() {
  Scene s;
  s.spacing = 0.1;
  LiquidSpec water, oil;
  water.name = "water";
  water.shape = Shape{.kind = BoxShape{Vec3(1, 1, 1)}, .at = Vec3(0, 0.5, 0)};
  oil.name = "oil";
  oil.shape = Shape{.kind = BoxShape{Vec3(1, 0.5, 1)}, .at = Vec3(0, 1.25, 0)};
  oil.density = 800;
  s.liquids = {water, oil};
  BodySpec cork;
  cork.name = "cork";
  cork.shape.kind = SphereShape{0.3};
  cork.pose.position = Vec3(4, 5, 6);
  cork.velocity = Vec3(1, 2, 3);
  s.body_objects = {"cork"};
  s.bodies = {cork};
  return s;
}

double value_of(const Model& m, const State& s, const std::string& column) {
  std::vector<double> values;
  read_probes(m, s, values);
  const std::vector<std::string> columns = probe_columns(m.scene);
  REQUIRE(values.size() == columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k] == column) return values[k];
  FAIL("no column ", column);
  return 0;
}

}  // namespace

TEST_CASE("a frame keeps the liquids apart and has the fields asked for, in order") {
  const Model m = build_model(pool());
  const State s = initial_state(m);
  const Frame f = make_frame(m, s, {"pressure", "velocity", "density"});
  REQUIRE(f.liquids.size() == 2);
  CHECK(f.liquids[0].position.size() == 1000);
  CHECK(f.liquids[1].position.size() == 500);
  REQUIRE(f.liquids[1].fields.size() == 3);
  CHECK(f.liquids[1].fields[0].name == "pressure");
  CHECK(f.liquids[1].fields[1].values.size() == 1500);
  CHECK(f.liquids[1].fields[2].values[7] == 800.0f);
  CHECK(f.bodies[0].pose.position == Vec3(4, 5, 6));
}

TEST_CASE("a height probe reads the surface, a pose probe the body") {
  Scene scene = pool();
  ProbeSpec level{.name = "level", .kind = ProbeKind::height};
  ProbeSpec away{.name = "away", .kind = ProbeKind::height, .at = Vec3(9, 0, 0)};
  ProbeSpec pose{.name = "cork", .kind = ProbeKind::pose, .body = "cork"};
  scene.probes = {level, away, pose};
  const Model m = build_model(scene);
  const State s = initial_state(m);
  // The oil is carved by the water below, so its lattice is fitted, not exact.
  CHECK(value_of(m, s, "level.height") == about(1.5, 0.01));
  CHECK(value_of(m, s, "away.height") == 0);
  CHECK(value_of(m, s, "cork.position.z") == about(6, 1e-6));
  CHECK(value_of(m, s, "cork.velocity.y") == 2);
  CHECK(value_of(m, s, "cork.orientation.w") == 1);
}

TEST_CASE("a pressure probe averages its neighbourhood and is empty outside the liquid") {
  Scene scene = pool();
  scene.probes = {{.name = "in", .kind = ProbeKind::pressure, .at = Vec3(0, 0.5, 0)},
                  {.name = "out", .kind = ProbeKind::pressure, .at = Vec3(5, 0, 0)}};
  const Model m = build_model(scene);
  State s = initial_state(m);
  for (std::size_t i = 0; i < s.particles(); ++i) s.pressure[i] = 42;
  CHECK(value_of(m, s, "in.pressure") == doctest::Approx(42));
  CHECK(std::isnan(value_of(m, s, "out.pressure")));
}

TEST_CASE("a force probe splits by origin and adds up") {
  Scene scene = pool();
  scene.probes = {{.name = "f", .kind = ProbeKind::force, .body = "cork"}};
  const Model m = build_model(scene);
  State s = initial_state(m);
  s.forces[0].pressure.force = Vec3(1, 2, 3);
  s.forces[0].friction.force = Vec3(10, 20, 30);
  s.forces[0].contact.torque = Vec3(0, 0, 5);
  CHECK(value_of(m, s, "f.force.y") == 22);
  CHECK(value_of(m, s, "f.pressure_force.z") == 3);
  CHECK(value_of(m, s, "f.friction_force.x") == 10);
  CHECK(value_of(m, s, "f.torque.z") == 5);
  CHECK(value_of(m, s, "f.viscosity_torque.x") == 0);
}
