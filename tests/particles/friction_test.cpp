// Friction beyond Coulomb's: anchored contacts, torsional friction, rolling resistance, grain.

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

constexpr double g = 9.81, dt = 1e-3;  // [m/s^2], [s]
constexpr double degree = std::numbers::pi / 180;

/// A box on a slope of 30 degrees, shaken along it by a tenth of its weight.
struct Shaken : SmallRun {
  const Vec3 down = Vec3(std::cos(30 * degree), -std::sin(30 * degree), 0);
  Shaken(double mu, double tolerance, bool anchor)
      : SmallRun(fmt::format(R"yaml(
spacing: 20 mm
solver: {{tolerance: {1}, anchor: {2}}}
bodies:
  - rotate: {{axis: [0, 0, 1], angle: -30}}
    group:
      - {{name: slope, kind: static, friction: {0}, shape: {{box: [0.6, 0.1, 0.3]}}, at: [0.1, -0.05, 0]}}
      - name: box
        friction: {0}
        shape: {{box: [0.1, 0.1, 0.1]}}
        at: [0, 0.05, 0]
        loads: [{{force: ["0.85*sin(200*t)", "-0.49*sin(200*t)", 0]}}]
)yaml",
                             mu, tolerance, anchor ? "true" : "false")) {}
  /// [m] down the slope
  double moved(int steps) {
    const Vec3 start = s.bodies.x[1];
    advance(steps, dt);
    return (s.bodies.x[1] - start).dot(down);
  }
};

/// A ball of radius 0.1 m on a floor, both of the same stuff.
struct Ball : SmallRun {
  static constexpr double radius = 0.1;  // [m]
  Ball(const std::string& stuff, const std::string& motion, double slope = 0)
      : SmallRun(fmt::format(R"(
spacing: 20 mm
materials: {{stuff: {{density: 1000, {0}}}}}
bodies:
  - rotate: {{axis: [0, 0, 1], angle: {2}}}
    group:
      - {{name: floor, kind: static, material: stuff, shape: {{box: [1.2, 0.1, 0.4]}}, at: [0, -0.05, 0]}}
      - {{name: ball, material: stuff, shape: {{sphere: 0.1}}, at: [0, 0.1, 0], {1}}}
)",
                             stuff, motion, -slope)) {}
};

/// A flat box of 1 kg on a floor, with a grain along x, pulled by a force.
struct Grained : SmallRun {
  Grained(double along, double across, const Vec3& pull, double turned)
      : SmallRun(fmt::format(R"(
spacing: 20 mm
bodies:
  - {{name: floor, kind: static, friction: 1, shape: {{box: [1, 0.1, 1]}}, at: [0, -0.05, 0]}}
  - name: box
    mass: 1
    friction: {{along: {0}, across: {1}, direction: [1, 0, 0]}}
    shape: {{cylinder: {{radius: 0.1, height: 0.04}}}}
    at: [0, 0.02, 0]
    rotate: {{axis: [0, 1, 0], angle: {4}}}
    loads: [{{force: [{2}, 0, {3}]}}]
)",
                             along, across, pull.x(), pull.z(), turned)) {}
};

}  // namespace

// At a tolerance of 1e-2 contacts may be off by 1e-3 h / dt = 2 cm/s on average; an anchor balances
// that at dt / correction = 5 ms of it, 0.1 mm, at most.
TEST_CASE("a shaken box near the limit creeps at a loose tolerance, but not if it is anchored") {
  const double free = Shaken(0.75, 1e-2, false).moved(400);
  const double anchored = Shaken(0.75, 1e-2, true).moved(400);
  CHECK(free > 1e-4);
  CHECK(std::abs(anchored) < 0.1 * free);
}

TEST_CASE("what slides all the time slides the same with anchors, to the last bit") {
  Shaken with(0.2, 1e-5, true), without(0.2, 1e-5, false);
  CHECK(with.moved(50) == without.moved(50));
  CHECK(with.s.bodies.v[1] == without.s.bodies.v[1]);
  CHECK(with.s.bodies.v[1].norm() > 0.1);
}

TEST_CASE("anchored contacts keep momentum") {
  SmallRun r(R"(
spacing: 20 mm
gravity: [0, 0, 0]
solver: {anchor: true}
bodies:
  - {name: one, friction: 0.8, velocity: [1, 0, 0], shape: {box: [0.1, 0.1, 0.1]}, at: [-0.11, 0, 0]}
  - {name: two, friction: 0.8, density: 3000, velocity: [-1, 0.2, 0.1], shape: {box: [0.1, 0.1, 0.1]}, at: [0, 0.02, 0.01]}
)");
  StepReport first;
  audit(r.m, r.s, first);
  bool stuck = false;
  r.advance(50, dt, [&](const StepReport& now) {
    CHECK((now.momentum - first.momentum).norm() < 1e-12 * 4);
    CHECK((now.angular_momentum - first.angular_momentum).norm() < 1e-12);
    for (const Vec3& x : r.s.contacts.anchor) stuck = stuck || x.norm() > 0;
  });
  CHECK(stuck);
}

TEST_CASE("a run continued from a copy of an anchored state goes on the same way") {
  Shaken straight(0.75, 1e-2, true), resumed(0.75, 1e-2, true);
  straight.advance(20, dt);
  resumed.s = straight.s;
  straight.advance(20, dt);
  resumed.advance(20, dt);
  CHECK(straight.s.bodies.x[1] == resumed.s.bodies.x[1]);
}

// Central differences of a piecewise smooth function, away from its kinks: step^2 = 1e-12.
TEST_CASE("the projection of a spin has the derivatives it says, and lies within its limits") {
  const Vec3 n = Vec3(1, 2, -2) / 3;
  const double torsional = 0.3, rolling = 0.2, gamma_n = 2, step = 1e-6;
  for (const Vec3& y :
       {Vec3(0.1, 0.2, 0.1), Vec3(3, 1, 1), Vec3(1, 2, -1.8), Vec3(0.5, -0.5, -0.2)}) {
    const auto value = [&](const Vec3& at, double gamma) {
      return project_spin(at, n, torsional, rolling, gamma).value;
    };
    const SpinProjection p = project_spin(y, n, torsional, rolling, gamma_n);
    CHECK(std::abs(p.value.dot(n)) <= torsional * gamma_n * (1 + 1e-14));
    CHECK((p.value - p.value.dot(n) * n).norm() <= rolling * gamma_n * (1 + 1e-14));
    for (int k = 0; k < 3; ++k) {
      const Vec3 e = step * Vec3::Unit(k);
      const Vec3 slope = (value(y + e, gamma_n) - value(y - e, gamma_n)) / (2 * step);
      CHECK((p.by_y.col(k) - slope).norm() < 1e-8);
    }
    const Vec3 slope = (value(y, gamma_n + step) - value(y, gamma_n - step)) / (2 * step);
    CHECK((p.by_gamma_n - slope).norm() < 1e-8);
  }
}

// The torque l m g about the contact, where the moment of inertia is 7/5 m R^2, takes 5/7 g l / R
// off the speed each second while friction keeps it rolling.
TEST_CASE("a rolling ball is slowed down by 5/7 g l / R and stops") {
  constexpr double l = 0.002, v = 0.1;  // [m], [m/s]
  constexpr double deceleration = 5.0 / 7 * g * l / Ball::radius;
  Ball r("friction: 0.5, rolling_friction: 2 mm",
         "velocity: [0.1, 0, 0], angular_velocity: [0, 0, -1]");
  const double x = r.s.bodies.x[1].x();
  r.advance(400, dt);
  // 2 %: the moment of inertia of the faceted ball is 0.3 % short, steps add v dt / 2 = 0.14 % to
  // the distance, and the residual, 1e-5 h / dt = 2e-4 m/s, is 0.5 % of the speed here.
  CHECK(r.s.bodies.v[1].x() == about(v - 0.4 * deceleration, 0.02));
  // It never turns back, but for that residual.
  r.advance(500, dt, [&](const StepReport&) { CHECK(r.s.bodies.v[1].x() > -1e-4); });
  CHECK(std::abs(r.s.bodies.v[1].x()) < 1e-4);
  CHECK(r.s.bodies.x[1].x() - x == about(v * v / (2 * deceleration), 0.02));
}

TEST_CASE("a ball starts to roll on a slope with tan(angle) > l / R, not below") {
  const double critical = std::atan(0.005 / Ball::radius) / degree;
  for (double part : {0.9, 1.1}) {
    CAPTURE(part);
    Ball r("friction: 0.5, rolling_friction: 5 mm", "velocity: [0, 0, 0]", part * critical);
    r.advance(300, dt);
    const double speed = r.s.bodies.v[1].norm();
    // 5/7 (g sin a - g cos a l / R) = 0.035 m/s^2 above
    if (part < 1) CHECK(speed < 1e-5);
    if (part > 1) CHECK(speed == about(0.3 * 5.0 / 7 * g * 0.1 * std::sin(critical * degree), 0.1));
  }
}

// The torque l m g takes 5/2 l g / R^2 off the spin, 2/5 m R^2 being the moment of inertia.
TEST_CASE("a ball that spins about the vertical is slowed down by 5/2 l g / R^2 and stops") {
  constexpr double l = 0.001, deceleration = 2.5 * l * g / (Ball::radius * Ball::radius);
  Ball r("friction: 0.5, torsional_friction: 1 mm", "angular_velocity: [0, 1, 0]");
  r.advance(200, dt);
  CHECK(r.s.bodies.omega[1].y() == about(1 - 0.2 * deceleration, 0.02));
  // Residual 2e-4 m/s at a radius of gyration of 6 cm: 3e-3 rad/s at most.
  r.advance(300, dt, [&](const StepReport&) { CHECK(r.s.bodies.omega[1].y() > -1e-3); });
  CHECK(std::abs(r.s.bodies.omega[1].y()) < 1e-3);
}

TEST_CASE("balls that resist rolling and spinning keep momentum in free space") {
  SmallRun r(R"(
spacing: 20 mm
gravity: [0, 0, 0]
materials: {stuff: {friction: 0.5, torsional_friction: 1 cm, rolling_friction: 1 cm}}
bodies:
  - {name: one, material: stuff, velocity: [1, 0, 0], angular_velocity: [5, 3, 1], shape: {sphere: 0.1}, at: [-0.11, 0, 0]}
  - {name: two, material: stuff, velocity: [-1, 0, 0], shape: {sphere: 0.1}, at: [0.11, 0.02, 0.01]}
)");
  StepReport first;
  audit(r.m, r.s, first);
  double energy = first.kinetic_energy;
  r.advance(40, dt, [&](const StepReport& now) {
    CHECK((now.momentum - first.momentum).norm() < 1e-12 * 8);
    CHECK((now.angular_momentum - first.angular_momentum).norm() < 1e-12 * 8 * 0.1);
    CHECK(now.kinetic_energy <= energy * (1 + 1e-12));
    energy = now.kinetic_energy;
  });
  CHECK(r.s.bodies.omega[1].norm() > 0.1);  // it was turned by the other
}

// The floor has friction 1, so a pair has the square root of the box's: 0.2 and 0.6.
TEST_CASE("a grained box slides along its grain where it sticks across it, however it is turned") {
  for (double turned : {0.0, 35.0}) {
    CAPTURE(turned);
    const double a = turned * degree;
    const Vec3 along(std::cos(a), 0, -std::sin(a)), across(std::sin(a), 0, std::cos(a));
    Grained slides(0.04, 0.36, 0.4 * g * along, turned),
        sticks(0.04, 0.36, 0.4 * g * across, turned);
    slides.advance(100, dt);
    sticks.advance(100, dt);
    CHECK((slides.s.bodies.v[1] - 0.1 * 0.2 * g * along).norm() < 0.01 * 0.02 * g);
    CHECK(sticks.s.bodies.v[1].norm() < 1e-4);
  }
}

// Sliding along d = (c, s) friction is -mu_i^2 d_i / sqrt(sum mu_i^2 d_i^2) m g: the point of the
// ellipse that takes most power. Pulled by F with F - friction parallel to d it goes straight on
// along d from rest.
TEST_CASE("under an oblique pull a grained box slides where the ellipse of friction lets it") {
  constexpr double along = 0.2, across = 0.6, angle = 25 * degree, a = 2;  // [-], [rad], [m/s^2]
  const Vec3 d(std::cos(angle), 0, std::sin(angle));
  const Vec3 weighed(along * along * d.x(), 0, across * across * d.z());
  const Vec3 pull = a * d + g * weighed / std::sqrt(weighed.dot(d));
  Grained r(along * along, across * across, pull, 0);
  r.advance(100, dt);
  CHECK((r.s.bodies.v[1] - 0.1 * a * d).norm() < 0.005 * 0.1 * g);
  CHECK(r.s.bodies.omega[1].norm() < 0.01);
}
