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

// A drop at 3 m above a pool of 1.5 m, and a jet over a dry floor.
TEST_CASE("a height probe reads the filled column, or the highest drop if it is told to") {
  Scene scene = pool();
  const ProbeSpec level{.name = "level", .kind = ProbeKind::height};
  ProbeSpec drop = level, jet = level, jet_top = level;
  drop.name = "drop", jet.name = "jet", jet_top.name = "jet_top";
  jet.at = jet_top.at = Vec3(9, 0, 0);
  drop.reading = jet_top.reading = HeightReading::highest;
  scene.probes = {level, drop, jet, jet_top};
  const Model m = build_model(scene);
  State s = initial_state(m);
  for (const Vec3& x : {Vec3(0.02, 3, 0), Vec3(9, 2, 0), Vec3(9, 2.1, 0)}) {
    s.x.push_back(x), s.v.push_back(Vec3::Zero()), s.volume.push_back(1e-3);
    s.pressure.push_back(0), s.id.push_back(s.next_id++), s.liquid.push_back(0);
  }
  CHECK(value_of(m, s, "level.height") == about(1.5, 0.01));
  CHECK(value_of(m, s, "drop.height") == about(3.05, 1e-9));
  CHECK(value_of(m, s, "jet.height") == 0);
  CHECK(value_of(m, s, "jet_top.height") == about(2.15, 1e-9));
}

// One and a half spacings of 0.1 m: a hole of 0.14 m is part of the column, one of 0.16 m its end.
TEST_CASE("a filled column ends at a gap of one and a half spacings") {
  Scene scene = pool();
  scene.probes = {{.name = "level", .kind = ProbeKind::height, .at = Vec3(9, 0, 0)}};
  const Model m = build_model(scene);
  for (const auto& [gap, height] : {std::pair{0.14, 0.49}, std::pair{0.16, 0.2}}) {
    State s;
    static_cast<WorldState&>(s) = initial_world_state(m);
    for (const double y : {0.05, 0.15, 0.15 + gap, 0.3 + gap})
      s.x.push_back(Vec3(9.05, y, 0.05)), s.pressure.push_back(0);
    CHECK(value_of(m, s, "level.height") == about(height, 1e-9));
  }
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

TEST_CASE("before the first step forces are unknown, not zero") {
  Scene scene = pool();
  scene.probes = {{.name = "f", .kind = ProbeKind::force, .body = "cork"}};
  const Model m = build_model(scene);
  const State s = initial_state(m);
  CHECK(std::isnan(value_of(m, s, "f.force.y")));
  CHECK(std::isnan(value_of(m, s, "f.contact_torque.x")));
}

TEST_CASE("a force probe splits by origin and adds up") {
  Scene scene = pool();
  scene.probes = {{.name = "f", .kind = ProbeKind::force, .body = "cork"}};
  const Model m = build_model(scene);
  State s = initial_state(m);
  s.forces[0] = {};
  s.forces[0].pressure.force = Vec3(1, 2, 3);
  s.forces[0].friction.force = Vec3(10, 20, 30);
  s.forces[0].contact.torque = Vec3(0, 0, 5);
  CHECK(value_of(m, s, "f.force.y") == 22);
  CHECK(value_of(m, s, "f.pressure_force.z") == 3);
  CHECK(value_of(m, s, "f.friction_force.x") == 10);
  CHECK(value_of(m, s, "f.torque.z") == 5);
  CHECK(value_of(m, s, "f.viscosity_torque.x") == 0);
}
