#include "small_hybrid_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace hydrolith;
using hydrolith::hybrid::test::SmallRun;

namespace {

constexpr double g = 9.81;

std::string incline(double degrees, double mu, const std::string& hybrid) {
  const double c = std::cos(degrees * M_PI / 180), s = std::sin(degrees * M_PI / 180);
  // The block's centre is a block's half height above the slope through the origin.
  return fmt::format(
      "engine: hybrid\nspacing: 0.05\n{}\nmaterials: {{m: {{friction: {}}}}}\nbodies:\n"
      "  - {{name: slope, kind: static, material: m, shape: {{box: [6, 0.2, 2]}}, at: [{}, {}, 0], "
      "rotate: {{axis: [0, 0, 1], angle: {}}}}}\n"
      "  - {{name: block, material: m, shape: {{box: [0.3, 0.2, 0.3]}}, at: [{}, {}, 0], rotate: "
      "[{{axis: [0, 0, 1], angle: {}}}]}}\n",
      hybrid, mu, 0.1 * s, -0.1 * c, degrees, -0.1 * s, 0.1 * c, degrees);
}

}  // namespace

TEST_CASE("a block on a slope sticks and slides within a degree of the angle of friction") {
  const double mu = 0.5, angle = std::atan(mu) * 180 / M_PI, dt = 0.002;
  for (const char* options : {"", "hybrid: {friction: pyramid}",
                              "hybrid: {friction_solve: staggered, friction_solves: 40}"})
    for (double off : {-1.0, 1.0}) {
      SmallRun run(incline(angle + off, mu, options));
      run.advance(100, dt);
      const double speed = run.s.bodies.v[run.body("block")].norm();
      CAPTURE(options);
      CAPTURE(off);
      if (off < 0)
        CHECK(speed < 1e-5);  // the solver's tolerance, 1e-6 of g dt in 100 steps
      else
        CHECK(speed > 0.5 * 0.2 * g * std::sin(M_PI / 180));
    }
}

// a = g (sin - mu cos), within 1 %: the first step starts without friction's bounds.
TEST_CASE("a sliding block accelerates as Coulomb says") {
  const double mu = 0.3, theta = 30 * M_PI / 180, dt = 0.002;
  for (const char* options : {"", "hybrid: {friction: pyramid}",
                              "hybrid: {friction_solve: staggered, friction_solves: 40}"}) {
    SmallRun run(incline(30, mu, options));
    run.advance(150, dt);
    const double speed = run.s.bodies.v[run.body("block")].norm();
    CAPTURE(options);
    CHECK(speed ==
          doctest::Approx(150 * dt * g * (std::sin(theta) - mu * std::cos(theta))).epsilon(0.01));
  }
}

TEST_CASE("a stack of ten stands, its top 1 and 100 times as heavy") {
  for (double top : {1.0, 100.0}) {
    SmallRun run(fmt::format(
        "engine: hybrid\nspacing: 0.05\nhybrid: {{tolerance: 1e-8}}\nmaterials: {{m: {{friction: "
        "0.5}}}}\nbodies:\n"
        "  - {{name: ground, kind: static, material: m, shape: {{box: [2, 0.2, 2]}}, at: [0, -0.1, "
        "0]}}\n"
        "  - {{name: box, material: m, density: \"1000*(1 + {}*step(9, i))\", shape: {{box: [0.2, "
        "0.2, "
        "0.2]}}, at: [0, 0.1, 0], repeat: {{stack: {{count: 10, step: [0, 0.2, 0]}}}}}}\n",
        top - 1));
    run.advance(250, 0.004);
    double weight = 0;
    for (double m : run.s.bodies.mass) weight += m * g;
    CAPTURE(top);
    CHECK(run.last.converged);
    // What the ground carries, and that nothing moves: a micron a second.
    CHECK(-run.s.forces[run.body("ground")].contact.force.y() ==
          doctest::Approx(weight).epsilon(1e-3));
    CHECK(run.last.max_speed < 1e-5);
    CHECK(run.s.bodies.x[run.body("box[9]")].y() == doctest::Approx(1.9).epsilon(1e-5));
  }
}

// Boxes stacked in water: forces of liquid and contacts are one solution, however it is found.
TEST_CASE("unified and iterative solves agree to 1e-8") {
  const auto run_with = [](int dimensions, const std::string& coupling) {
    return fmt::format(
        "engine: hybrid\ndimensions: {}\nspacing: 0.05\nhybrid: {{coupling: {}, tolerance: 1e-11, "
        "friction_solves: 60, friction_tolerance: 1e-11, max_sweeps: 2000}}\nmaterials: {{m: "
        "{{friction: 0.4}}}}\nliquids: [{{shape: {{box: [1, 0.6, 1], at: [0, 0.3, "
        "0]}}}}]\nbodies:\n"
        "  - {{name: tank, kind: static, material: m, shape: {{box: [1, 1, 1], inside_out: true}}, "
        "at: [0, 0.5, 0]}}\n"
        "  - {{name: low, material: m, density: 2500, shape: {{box: [0.3, 0.2, 0.2]}}, at: [0, "
        "0.1, "
        "0]}}\n"
        "  - {{name: high, material: m, density: 1800, shape: {{box: [0.2, 0.2, 0.2]}}, at: [0.03, "
        "0.3, 0]}}\n",
        dimensions, coupling);
  };
  for (int dimensions : {2, 3}) {
    SmallRun a(run_with(dimensions, "unified")), b(run_with(dimensions, "iterative"));
    a.advance(1, 0.004), b.advance(1, 0.004);
    CAPTURE(dimensions);
    for (const char* name : {"low", "high"}) {
      const std::size_t i = a.body(name);
      CHECK((a.s.bodies.v[i] - b.s.bodies.v[i]).norm() <= 1e-8 * g * 0.004);
      CHECK((a.s.forces[i].pressure.force - b.s.forces[i].pressure.force).norm() <=
            1e-8 * a.s.forces[i].pressure.force.norm());
    }
  }
}

// Added mass: a0 = (rho_f - rho_s) g / (rho_s + rho_f / 2) in unbounded liquid, 14.7 m/s^2; walls
// one diameter and more away add some percent to the mass.
TEST_CASE("a light sphere is released with the acceleration of its added mass") {
  SmallRun run(
      "engine: hybrid\nspacing: 0.05\nliquids: [{shape: {box: [1.6, 1.6, 1.6], at: [0, 0.8, 0]}}]\n"
      "bodies:\n"
      "  - {name: tank, kind: static, shape: {box: [1.6, 2, 1.6], inside_out: true}, at: [0, 1, "
      "0]}\n"
      "  - {name: ball, density: 100, shape: {sphere: 0.2}, at: [0, 0.8, 0]}\n");
  run.advance(1, 0.001);
  CHECK(run.s.bodies.v[run.body("ball")].y() / 0.001 ==
        doctest::Approx(900 * g / (100 + 500)).epsilon(0.1));
}
