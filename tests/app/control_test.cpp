// Bodies looked at, set and pushed from outside between steps, with both engines.

#include "hydrolith/simulation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>

using namespace hydrolith;

namespace {

constexpr const char* engines[] = {"particles", "hybrid"};

SceneFile scene_of(const std::string& engine, const std::string& yaml) {
  return SceneFile::parse("engine: " + engine + "\n" + yaml, "scene.yaml");
}

/// A brick alone in space, no gravity.
const std::string brick =
    "spacing: 0.1\nduration: 1\ntime_step: 0.01\ngravity: [0, 0, 0]\n"
    "bodies: [{name: brick, shape: {box: [0.4, 0.3, 0.2]}, density: 500}]\n";

/// A box in a small tank of water; `more` is added to the box.
std::string floating(const std::string& more) {
  return "spacing: 0.05\nduration: 1\ntime_step: 0.004\n"
         "liquids: [{name: water, shape: {box: [0.6, 0.3, 0.4], at: [0, 0.15, 0]}}]\n"
         "bodies:\n"
         "  - {name: tank, kind: static, shape: {box: [0.6, 0.6, 0.4], inside_out: true}, at: [0, "
         "0.3, 0]}\n"
         "  - {name: box, density: 500, shape: {box: [0.2, 0.1, 0.2]}, at: [0, 0.3, 0]" +
         more + "}\n";
}

}  // namespace

TEST_CASE("a force applied from outside is the scene's load, bit for bit") {
  for (const char* engine : engines) {
    CAPTURE(engine);
    Simulation loaded(scene_of(engine, floating(", loads: [{force: [2, 1, 0]}]")));
    Simulation pushed(scene_of(engine, floating("")));
    pushed.on_step([](Simulation& s) { s.apply_force(s.body("box"), {2, 1, 0}); });
    for (int n = 0; n < 5; ++n) {
      loaded.step();
      pushed.step();
    }
    CHECK(loaded.metrics() == pushed.metrics());
    CHECK(loaded.body_state(1).pose.position == pushed.body_state(1).pose.position);
    CHECK(loaded.body_state(1).velocity.x() > 0);
  }
}

TEST_CASE("a force acts over one step alone; beside the centre of mass it turns the body") {
  for (const char* engine : engines) {
    CAPTURE(engine);
    Simulation s(scene_of(engine, brick));
    const double mass = s.bodies().mass[0];
    s.apply_force(0, {6, 0, 0}, s.body_state(0).pose.position + Vec3(0, 0.1, 0));
    s.apply_torque(0, {0, 0, 0.5});
    s.step();
    const BodyFrame once = s.body_state(0);
    const double I = mass * (0.4 * 0.4 + 0.3 * 0.3) / 12;
    // v = F dt / m and omega = T dt / I: the discrete answers, to round-off of the mesh's mass.
    CHECK(once.velocity.x() == doctest::Approx(6 * 0.01 / mass).epsilon(1e-10));
    CHECK(once.angular_velocity.z() == doctest::Approx((0.5 - 0.6) * 0.01 / I).epsilon(1e-10));
    s.step();
    CHECK(s.body_state(0).velocity == once.velocity);
  }
}

TEST_CASE("a step that is taken back and halved keeps the force, not the impulse") {
  for (const char* engine : engines) {
    CAPTURE(engine);
    Simulation s(scene_of(engine, brick));
    const double mass = s.bodies().mass[0];
    // 60 m/s are 6 spacings in a step of 10 ms: more than an engine lets pass (max_travel).
    s.set_body_velocity(0, {0, 60, 0}, Vec3::Zero());
    s.apply_force(0, {6, 0, 0});
    const StepReport report = s.step();
    CHECK(report.retries > 0);
    CHECK(report.dt < 0.01);
    CHECK(s.body_state(0).velocity.x() == doctest::Approx(6 * report.dt / mass).epsilon(1e-10));
  }
}

TEST_CASE("a body put elsewhere and set in motion goes on as if it had started there") {
  for (const char* engine : engines) {
    CAPTURE(engine);
    std::string other = brick;
    other.replace(other.find("density"), 0,
                  "at: [1, 2, 3], rotate: {axis: [1, 1, 0], angle: 40}, velocity: [0.3, 0, 0], "
                  "angular_velocity: [1, 2, 3], ");
    Simulation started(scene_of(engine, other)), put(scene_of(engine, brick));
    put.step();
    const BodyFrame there = started.body_state(0);
    // The angular velocity first: turning the body afterwards must keep it, not the momentum.
    put.set_body_velocity(0, there.velocity, there.angular_velocity);
    put.set_body_pose(0, there.pose);
    for (int n = 0; n < 20; ++n) {
      started.step();
      put.step();
    }
    const BodyFrame a = started.body_state(0), b = put.body_state(0);
    // Round-off: both take the same steps; the quaternion was normalised once more.
    CHECK((a.pose.position - b.pose.position).norm() < 1e-13);
    CHECK(a.pose.orientation.angularDistance(b.pose.orientation) < 1e-7);
    CHECK((a.angular_velocity - b.angular_velocity).norm() < 1e-12);
  }
}

TEST_CASE("a body lifted off the ground has forgotten what it stood on and falls freely") {
  for (const char* engine : engines) {
    CAPTURE(engine);
    const double dt = 0.005;
    Simulation s(scene_of(
        engine,
        std::string("spacing: 0.1\nduration: 1\ntime_step: 5 ms\n") +
            (engine == std::string("particles") ? "solver: {anchor: true}\n" : "") +
            "bodies:\n"
            "  - {name: ground, kind: static, shape: {box: [2, 0.4, 2]}, at: [0, -0.2, 0]}\n"
            "  - {name: box, density: 500, shape: {box: [0.4, 0.4, 0.4]}, at: [0, 0.2, 0]}\n"));
    for (int n = 0; n < 10; ++n) s.step();
    CHECK(s.body_state(1).forces->contact.force.y() > 0);
    s.set_body_pose(1, {Vec3(0, 5, 0), Quat::Identity()});
    s.set_body_velocity(1, Vec3::Zero(), Vec3::Zero());
    for (int n = 0; n < 10; ++n) s.step();
    const BodyFrame box = s.body_state(1);
    // y_n = y_0 - g dt^2 n (n + 1) / 2, to round-off.
    CHECK(std::abs(box.pose.position.y() - (5 - 9.81 * dt * dt * 55)) < 1e-12);
    CHECK(box.pose.position.x() == 0);
    CHECK(box.forces->contact.force.norm() == 0);
  }
}

TEST_CASE("what cannot be set is refused by name, and nothing changes") {
  Simulation s(scene_of(
      "particles",
      "dimensions: 2\nspacing: 0.1\nduration: 1\nbodies:\n"
      "  - {name: wall, kind: static, shape: {box: [1, 1, 1]}, at: [3, 0, 0]}\n"
      "  - {name: wheel, kind: kinematic, shape: {sphere: 0.5}, motion: {rotation: {axis: [0, 0, "
      "1], rate: 1}}}\n"
      "  - {name: ball, shape: {sphere: 0.5}, at: [-3, 0, 0]}\n"));
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  const double nan = std::nan("");
  const Vec3 start = s.body_state(2).pose.position;
  CHECK(message([&] { s.set_body_pose(0, {}); }) == "pose of wall: a static body does not move");
  CHECK(message([&] { s.apply_force(1, {1, 0, 0}); }).starts_with("force of wheel: a kinematic"));
  CHECK(message([&] {
          s.apply_torque(2, {0, 0, nan});
        }).starts_with("torque of ball: not a finite"));
  CHECK(message([&] {
          s.apply_force(2, {1, 0, 0}, Vec3(nan, 0, 0));
        }).find("not a finite") != std::string::npos);
  CHECK(message([&] {
          s.set_body_velocity(2, {0, 0, 1}, Vec3::Zero());
        }) == "velocity of ball: in a 2D scene z must be 0");
  CHECK(message([&] {
          s.set_body_velocity(2, Vec3::Zero(), {1, 0, 0});
        }) == "angular velocity of ball: in a 2D scene x and y must be 0");
  CHECK(message([&] {
          s.set_body_pose(2, {Vec3::Zero(), Quat(0, 0, 0, 0)});
        }).find("a quaternion other than 0") != std::string::npos);
  CHECK(message([&] {
          s.set_body_pose(2, {Vec3::Zero(), Quat(0, 1, 0, 0)});
        }).find("turns about z alone") != std::string::npos);
  CHECK(message([&] { s.set_body_pose(7, {}); }) == "there is no body 7; the scene has 3");
  CHECK(message([&] { (void)s.body("bal"); }) ==
        "there is no body \"bal\". Did you mean \"ball\"?");
  CHECK(s.body_state(2).pose.position == start);
  CHECK(s.body_state(2).velocity == Vec3::Zero());
  s.step();
  CHECK(s.body_state(2).velocity.x() == 0);
}

TEST_CASE("a driven body moves at the velocities it is given, and pushes the liquid") {
  const std::string scene =
      "spacing: 0.05\nduration: 1\ntime_step: 0.004\n"
      "liquids: [{name: water, shape: {box: [0.6, 0.3, 0.4], at: [0, 0.15, 0]}}]\n"
      "bodies:\n"
      "  - {name: tank, kind: static, shape: {box: [0.6, 0.6, 0.4], inside_out: true}, at: [0, "
      "0.3, 0]}\n"
      "  - {name: paddle, kind: kinematic, motion: ";
  const std::string shape = ", shape: {box: [0.1, 0.2, 0.2]}, at: [0, 0.2, 0]}\n";
  for (const char* engine : engines) {
    CAPTURE(engine);
    Simulation driven(scene_of(engine, scene + "{driven: true}" + shape));
    Simulation prescribed(scene_of(
        engine, scene +
                    "{velocity: [0.2, 0, 0], rotation: {axis: [0, 1, 0], rate: 1, centre: [0, "
                    "0.2, 0]}}" +
                    shape));
    driven.set_body_velocity(1, {0.2, 0, 0}, Vec3::Zero());
    CHECK_THROWS_WITH_AS(driven.apply_force(1, {1, 0, 0}),
                         doctest::Contains("a driven body moves at the velocity it is given"),
                         Error);
    CHECK_THROWS_WITH_AS(prescribed.set_body_velocity(1, {0.2, 0, 0}, Vec3::Zero()),
                         doctest::Contains("motion: {driven: true}"), Error);
    driven.step();
    // The water is set in motion within a step: about the paddle's own volume of it (added mass), 4
    // kg to 0.2 m/s in 4 ms, 200 N; the small tank makes it more.
    CHECK(driven.body_state(1).forces->pressure.force.x() < -100);
    driven.set_body_velocity(1, {0.2, 0, 0}, {0, 1, 0});
    for (int n = 1; n < 25; ++n) driven.step();
    const BodyFrame paddle = driven.body_state(1);
    // x = v t and angle = omega t, to round-off.
    CHECK((paddle.pose.position - Vec3(0.2 * 0.1, 0.2, 0)).norm() < 1e-14);
    CHECK(std::abs(Eigen::AngleAxisd(paddle.pose.orientation).angle() - 24 * 0.004) < 1e-14);
    CHECK(paddle.velocity == Vec3(0.2, 0, 0));

    // The same motion from the start, by the scene: the same liquid but for rounding of poses.
    Simulation same(scene_of(engine, scene + "{driven: true}" + shape));
    same.set_body_velocity(1, {0.2, 0, 0}, {0, 1, 0});
    for (int n = 0; n < 3; ++n) same.step(), prescribed.step();
    CHECK((same.body_state(1).pose.position - prescribed.body_state(1).pose.position).norm() <
          1e-14);
    CHECK((same.body_state(1).forces->pressure.force -
           prescribed.body_state(1).forces->pressure.force)
              .norm() < 1e-2 * prescribed.body_state(1).forces->pressure.force.norm());
    same.set_body_pose(1, {Vec3(-0.1, 0.25, 0), Quat::Identity()});
    CHECK(same.body_state(1).pose.position == Vec3(-0.1, 0.25, 0));
  }
}

TEST_CASE("a column keeps what it showed, whatever happens to the simulation") {
  for (const char* engine : engines) {
    CAPTURE(engine);
    std::optional<Simulation> s(scene_of(engine, floating("")));
    s->step();
    const LiquidColumns before = s->liquid();
    const RigidColumns bodies = s->bodies();
    const std::vector<Vec3> x(before.position.begin(), before.position.end());
    const Vec3 box = bodies.position[1];
    CHECK(s->liquid().position.data() == before.position.data());  // no copy
    for (int n = 0; n < 3; ++n) s->step();
    const LiquidColumns after = s->liquid();
    CHECK(after.position.data() != before.position.data());
    CHECK(std::equal(x.begin(), x.end(), before.position.begin(), before.position.end()));
    CHECK(bodies.position[1] == box);
    const std::vector<Vec3> x_after(after.position.begin(), after.position.end());
    CHECK(x_after != x);
    *s = Simulation(scene_of(engine, brick));  // the engine behind the columns goes
    CHECK(std::equal(x_after.begin(), x_after.end(), after.position.begin(), after.position.end()));
    const Column<Vec3> last = s->bodies().position;
    s.reset();
    CHECK(last[0] == Vec3::Zero());
  }
}

TEST_CASE("a borrowed column does not change what is simulated") {
  for (const char* engine : engines) {
    CAPTURE(engine);
    Simulation alone(scene_of(engine, floating(""))), watched(scene_of(engine, floating("")));
    std::vector<LiquidColumns> kept;
    watched.on_step([&](Simulation& s) { kept.push_back(s.liquid()); });
    for (int n = 0; n < 5; ++n) {
      alone.step();
      watched.step();
    }
    CHECK(alone.metrics() == watched.metrics());
    CHECK(kept.size() == 5);
  }
}

TEST_CASE("on_step cannot step") {
  Simulation s(scene_of("particles", brick));
  s.on_step([](Simulation& inner) { inner.step(); });
  CHECK_THROWS_WITH_AS(s.step(), "on_step is called before a step; it cannot take one itself",
                       Error);
  s.on_step({});
  CHECK(s.step().step == 1);
}

TEST_CASE("at the start forces are those that the first step finds") {
  Simulation s(scene_of("particles", floating("")));
  CHECK(std::isnan(s.frame().bodies[1].forces->pressure.force.y()));
  s.prepare();
  const Frame start = s.frame();
  CHECK(s.time() == 0);
  CHECK(start.bodies[1].forces->pressure.force.y() > 0);
  s.step();
  const Frame after = s.frame();
  for (const std::size_t i : {0, 1})
    CHECK(after.bodies[i].forces->pressure.force == start.bodies[i].forces->pressure.force);
}
