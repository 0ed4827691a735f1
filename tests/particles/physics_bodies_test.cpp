// Laws of nature for bodies in contact, without liquid.

#include "about.h"
#include "small_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::particles;
using hydrolith::about;
using hydrolith::particles::test::SmallRun;

namespace {

constexpr double g = 9.81, dt = 1e-3, h = 0.02;  // [m/s^2], [s], [m]
constexpr double degree = std::numbers::pi / 180;

/// Angle [deg] by which a body has turned about the vertical since the start.
double yaw(const SmallRun& r, std::size_t i, const Quat& start) {
  const Quat turn = r.s.bodies.q[i] * start.conjugate();
  return 2 * std::atan2(turn.y(), turn.w()) / degree;
}

/// Boxes on a slope of 30 degrees, whose lattices are aligned, shifted and turned.
struct Slope : SmallRun {
  const Vec3 down = Vec3(std::cos(30 * degree), -std::sin(30 * degree), 0);
  explicit Slope(double mu)
      : SmallRun(fmt::format(R"(
spacing: 20 mm
materials: {{stone: {{friction: {}}}}}
bodies:
  - rotate: {{axis: [0, 0, 1], angle: -30}}
    group:
      - {{name: slope, kind: static, material: stone, shape: {{box: [0.6, 0.1, 0.6]}}, at: [0.1, -0.05, 0]}}
      - {{name: aligned, material: stone, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0, 0.05, -0.2]}}
      - {{name: shifted, material: stone, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0.0074, 0.05, 0.0042]}}
      - {{name: turned, material: stone, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0, 0.05, 0.2], rotate: {{axis: [0, 1, 0], angle: 20}}}}
)",
                             mu)) {}
};

}  // namespace

TEST_CASE("boxes that collide askew in free space keep momentum, and never gain energy") {
  SmallRun r(R"(
spacing: 20 mm
gravity: [0, 0, 0]
bodies:
  - {name: one, friction: 0.4, velocity: [1, 0, 0], shape: {box: [0.1, 0.1, 0.1]}, at: [-0.12, 0, 0]}
  - {name: two, friction: 0.4, density: 3000, velocity: [-1, 0.5, 0.1], angular_velocity: [1, 2, 3], shape: {box: [0.1, 0.1, 0.1]}, at: [0, 0.02, 0.01], rotate: {axis: [1, 2, 3], angle: 25}}
)");
  StepReport first;
  audit(r.m, r.s, first);
  const double sum = 1 + 3 * std::sqrt(1.26);  // [kg m/s] of both, without sign
  double energy = first.kinetic_energy;
  r.advance(200, dt, [&](const StepReport& now) {
    // Round-off of two hundred steps; cubes turn without any error of energy.
    CHECK((now.momentum - first.momentum).norm() < 1e-12 * sum);
    CHECK((now.angular_momentum - first.angular_momentum).norm() < 1e-12 * sum * 0.1);
    CHECK(now.kinetic_energy <= energy * (1 + 1e-12));
    energy = now.kinetic_energy;
  });
  CHECK(energy < 0.9 * first.kinetic_energy);  // they did collide
}

TEST_CASE("on a slope of 30 degrees boxes stick at friction 0.58, on any lattice") {
  Slope r(0.58);  // tan 30 = 0.5774
  const std::vector<Vec3> start = r.s.bodies.x;
  r.advance(150, dt);
  for (std::size_t i = 1; i < r.s.bodies.size(); ++i) {
    CAPTURE(r.m.scene.bodies[i].name);
    // The stated drift at the default tolerance, 1e-4 m/s; sliding without friction: 0.74 m/s.
    CHECK((r.s.bodies.x[i] - start[i]).norm() < 1e-4 * 0.15);
    CHECK(r.s.bodies.v[i].norm() < 1e-4);
  }
}

TEST_CASE("on a slope of 30 degrees boxes slide with g (sin - mu cos), on any lattice") {
  for (double mu : {0.57, 0.4}) {
    CAPTURE(mu);
    Slope r(mu);
    r.advance(150, dt);
    const double gained = g * (std::sin(30 * degree) - mu * std::cos(30 * degree));
    for (std::size_t i = 1; i < r.s.bodies.size(); ++i) {
      CAPTURE(r.m.scene.bodies[i].name);
      const double a = r.s.bodies.v[i].dot(r.down) / r.s.time;
      CHECK(a > 0.2 * gained);
      CHECK(std::abs(a - gained) < 0.005 * g);  // the stated margin
    }
  }
}

TEST_CASE("a box stands on one of a thousandth of its weight after a drop of 2 cm") {
  SmallRun r(R"(
spacing: 20 mm
materials: {feather: {density: 10}, lead: {density: 10000}}
bodies:
  - {name: ground, kind: static, shape: {box: [1.2, 0.1, 0.4]}, at: [0, -0.05, 0]}
  - {name: light, material: feather, shape: {box: [0.2, 0.2, 0.2]}, at: [-0.4, 0.1, 0], repeat: {array: {count: 3, step: [0.4, 0, 0]}}}
  - {name: aligned, material: lead, shape: {box: [0.2, 0.2, 0.2]}, at: [-0.4, 0.32, 0]}
  - {name: shifted, material: lead, shape: {box: [0.2, 0.2, 0.2]}, at: [0.0074, 0.32, 0.0042]}
  - {name: turned, material: lead, shape: {box: [0.2, 0.2, 0.2]}, at: [0.4, 0.32, 0], rotate: {axis: [0, 1, 0], angle: 30}}
)");
  const State start = r.s;
  r.advance(300, dt);
  for (std::size_t i = 1; i < r.s.bodies.size(); ++i) {
    CAPTURE(r.m.scene.bodies[i].name);
    const double height = i <= 3 ? 0.1 : 0.3;
    CHECK(std::abs(r.s.bodies.x[i].y() - height) < 0.05 * h);  // the stated margins
    CHECK(std::abs(yaw(r, i, start.bodies.q[i])) < 1);
    CHECK(r.s.bodies.v[i].norm() < 1e-3);  // a tenth of what gravity adds in a step
  }
}

TEST_CASE("masonry with corners where three stones meet stays where it is") {
  SmallRun r(R"(
spacing: 20 mm
bodies:
  - {name: ground, kind: static, shape: {box: [0.6, 0.1, 0.3]}, at: [0, -0.05, 0]}
  - {name: low, shape: {box: [0.1, 0.1, 0.1]}, at: [-0.05, 0.05, 0], repeat: {array: {count: 2, step: [0.1, 0, 0]}}}
  - {name: top, shape: {box: [0.1, 0.1, 0.1]}, at: [-0.025, 0.15, 0], repeat: {array: {count: 2, step: [0.1, 0, 0]}}}
)");
  const std::vector<Vec3> start = r.s.bodies.x;
  r.advance(200, dt);
  for (std::size_t i = 1; i < r.s.bodies.size(); ++i) {
    CAPTURE(r.m.scene.bodies[i].name);
    // Nothing pushes: what is left is the solver's error of a residual of 1e-6 h per step at most.
    CHECK((r.s.bodies.x[i] - start[i]).norm() < 1e-4 * h);
  }
}

TEST_CASE("a moving wall pushes a box along at its own speed") {
  SmallRun r(R"(
spacing: 20 mm
bodies:
  - {name: ground, kind: static, shape: {box: [0.8, 0.1, 0.3]}, at: [0, -0.05, 0]}
  - {name: wall, kind: kinematic, friction: 0, motion: {velocity: [0.5, 0, 0]}, shape: {box: [0.1, 0.2, 0.2]}, at: [-0.2, 0.101, 0]}
  - {name: box, shape: {box: [0.1, 0.1, 0.1]}, at: [-0.08, 0.05, 0]}
)");
  const std::size_t wall = r.body("wall"), box = r.body("box");
  r.advance(300, dt);  // 15 cm, of which 2 cm to reach the box
  CHECK((r.s.bodies.v[wall] - Vec3(0.5, 0, 0)).norm() < 1e-9);
  // Residual 1e-5 h / dt = 2e-4 m/s.
  CHECK((r.s.bodies.v[box] - Vec3(0.5, 0, 0)).norm() < 2e-4);
  CHECK(r.s.bodies.x[box].x() - r.s.bodies.x[wall].x() == about(0.1, 1e-3));
  // It costs the wall the friction of the ground, mu m g; the wall itself is smooth.
  CHECK(r.s.forces[wall].contact.force.x() == about(-0.5 * 1 * g, 0.01));
}

TEST_CASE("a turntable carries a box round as long as friction allows") {
  // Two rad/s reached in 0.2 s: 3 m/s^2 along and 1.2 m/s^2 inwards, friction gives 0.5 g = 4.9.
  SmallRun r(R"yaml(
spacing: 20 mm
bodies:
  - {name: table, kind: kinematic, motion: {rotation: {rate: "2*min(1, t/0.2)"}}, shape: {cylinder: {radius: 0.4, height: 0.1}}, at: [0, -0.05, 0]}
  - {name: box, shape: {box: [0.1, 0.1, 0.1]}, at: [0.3, 0.05, 0]}
)yaml");
  const std::size_t box = r.body("box");
  r.advance(400, dt);
  const double angle = 2 * 0.1 + 2 * 0.2;  // [rad]
  const Vec3 place(0.3 * std::cos(angle), 0.05, -0.3 * std::sin(angle));
  // The rate is taken at the start of each step (2 rad/s * dt / 2 too little), the velocity along
  // the tangent at its start: a drift of omega^2 r dt / 2 = 0.6 mm/s outwards.
  CHECK((r.s.bodies.x[box] - place).norm() < 1e-3);
  CHECK((r.s.bodies.omega[box] - Vec3(0, 2, 0)).norm() < 0.01);
}

TEST_CASE("bodies that overlap at the start part slowly and meet at their true sizes") {
  SmallRun r(R"(
spacing: 20 mm
gravity: [0, 0, 0]
bodies:
  - {name: one, shape: {box: [0.1, 0.1, 0.1]}, at: [0, 0, 0]}
  - {name: two, shape: {box: [0.1, 0.1, 0.1]}, at: [0.094, 0.01, 0.02]}
)");
  double fastest = 0;
  r.advance(200, dt, [&](const StepReport&) {
    fastest = std::max(fastest, (r.s.bodies.v[1] - r.s.bodies.v[0]).norm());
  });
  CHECK(fastest > 0.05);
  // correction_speed at the contacts; they lie off the line of centres, so the bodies also turn.
  CHECK(fastest < 0.1 * (1 + 1e-3));
  CHECK(r.last.overlap < 1e-4 * h);
}

// Overlaps of 0.05 h on both sides push against each other: no motion can undo them. The box must
// stay, the solve must end, and forces must be of the size of its weight, not of the stiffness.
TEST_CASE("a box in a gap too narrow for it stays where it is, without being crushed") {
  SmallRun r(R"(
spacing: 20 mm
bodies:
  - {name: floor, kind: static, friction: 0.5, shape: {box: [0.6, 0.1, 0.3]}, at: [0, -0.05, 0]}
  - {name: left, kind: static, friction: 0.5, shape: {box: [0.1, 0.1, 0.3]}, at: [-0.099, 0.05, 0]}
  - {name: right, kind: static, friction: 0.5, shape: {box: [0.1, 0.1, 0.3]}, at: [0.099, 0.05, 0]}
  - {name: box, friction: 0.5, shape: {box: [0.1, 0.1, 0.1]}, at: [0, 0.05, 0]}
)");
  const std::size_t box = r.body("box"), left = r.body("left");
  const Vec3 start = r.s.bodies.x[box];
  r.advance(100, dt, [&](const StepReport& report) {
    CHECK(report.converged);
    CHECK(r.s.forces[left].contact.force.norm() < 10 * r.s.bodies.mass[box] * g);
  });
  CHECK((r.s.bodies.x[box] - start).norm() < 0.01 * h);
}

TEST_CASE("links of a taut chain that fit each other exactly hang without end to their forces") {
  SmallRun r(R"(
spacing: 10 mm
materials: {iron: {density: 7800, friction: 0.3}}
bodies:
  - {name: top, kind: static, material: iron, shape: {chain_link: {length: 0.12, width: 0.075, wire: 0.0125}}, at: [0, 0, 0], rotate: [{axis: [0, 0, 1], angle: 90}, {axis: [0, 1, 0], angle: 90}]}
  - name: link
    material: iron
    shape: {chain_link: {length: 0.12, width: 0.075, wire: 0.0125}}
    at: [0, -0.07, 0]
    rotate: {axis: [0, 0, 1], angle: 90}
    repeat: {stack: {count: 5, step: [0, -0.07, 0], alternate: {rotate: {axis: [0, 1, 0], angle: 90}}}}
)");
  double worst = 0;
  const double start = r.s.bodies.x[5].y();
  r.advance(200, dt, [&](const StepReport& report) {
    CHECK(report.converged);
    worst = std::max(worst, r.s.forces[0].contact.force.norm());
  });
  const double weight = 5 * r.s.bodies.mass[1] * g;
  const double held = r.s.forces[0].contact.force.y() + r.s.forces[0].friction.force.y();
  CHECK(held == about(-weight, 0.02));
  CHECK(worst < 2 * weight);
  CHECK(std::abs(r.s.bodies.x[5].y() - start) < 0.02 * 0.01);
}
