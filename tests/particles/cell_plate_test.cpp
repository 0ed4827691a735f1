// Plates thinner than a spacing with liquid on both sides, on cells: tight, and with the right
// force on both.

#include "about.h"
#include "small_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::particles;
using hydrolith::particles::test::SmallRun;

namespace {

constexpr double h = 0.025, dt = 2e-3;

/// Two columns, 0.4 m and 0.2 m high and 0.2 m wide each, with a plate between them.
std::string columns(int dimensions, double thick) {
  const char* depth = dimensions == 2 ? "1" : "0.1";
  return fmt::format(
      "dimensions: {0}\nspacing: {1}\nduration: 1\nliquids:\n"
      "  - {{name: deep, shape: {{box: [0.2, 0.4, {2}], at: [-0.1, 0.2, 0]}}}}\n"
      "  - {{name: shallow, shape: {{box: [0.2, 0.2, {2}], at: [0.1, 0.1, 0]}}}}\n"
      "bodies:\n"
      "  - {{name: tank, kind: static, shape: {{box: [0.4, 0.8, {2}], inside_out: true}}, at: [0, "
      "0.4, 0]}}\n"
      "  - {{name: plate, kind: static, shape: {{box: [{3}, 0.9, 1.2]}}, at: [0, 0.4, 0]}}\n",
      dimensions, h, depth, thick);
}

}  // namespace

TEST_CASE(
    "a thin plate between two columns is tight and carries the difference of their pressures") {
  for (const int d : {2, 3})
    for (const double thick : {0.25 * h, 0.1 * h}) {
      CAPTURE(d);
      CAPTURE(thick / h);
      SmallRun run(columns(d, thick));
      double force = 0;
      constexpr int before = 20, steps = 60;
      run.advance(before, dt);
      run.advance(steps, dt, [&](const StepReport&) {
        force += run.s.forces[run.body("plate")].pressure.force.x() / steps;
      });
      const double depth = d == 2 ? 1 : 0.1;
      CHECK(force == about(0.5 * 1000 * 9.81 * (0.16 - 0.04) * depth, 0.005));
      for (std::size_t i = 0; i < run.s.particles(); ++i)
        CHECK((run.s.x[i].x() > 0) == (run.s.liquid[i] == 1));
      CHECK(run.last.max_speed < 0.05);
    }
}

TEST_CASE("nothing passes a thin plate that a flood runs against") {
  SmallRun run(
      "dimensions: 2\nspacing: 0.025\nduration: 1\n"
      "liquids: [{shape: {box: [0.2, 0.4, 1], at: [-0.5, 0.2, 0]}}]\nbodies:\n"
      "  - {name: tank, kind: static, shape: {box: [1.2, 1, 1], inside_out: true}, at: [0, 0.5, "
      "0]}\n"
      "  - {name: plate, kind: static, shape: {box: [0.0025, 1.2, 1]}, at: [-0.1, 0.5, 0]}\n");
  run.advance(150, 3e-3);
  for (const Vec3& x : run.s.x) CHECK(x.x() < -0.1);
}

/// A plate whose ends lie in the liquid parts nothing: both sides have the same pressure.
TEST_CASE("liquid round a thin plate rests") {
  for (const double thick : {0.25 * h, 0.1 * h}) {
    SmallRun run(fmt::format(
        "dimensions: 2\nspacing: {}\nduration: 1\n"
        "liquids: [{{shape: {{box: [0.6, 0.5, 1], at: [0, 0.25, 0]}}}}]\nbodies:\n"
        "  - {{name: tank, kind: static, shape: {{box: [0.6, 1, 1], inside_out: true}}, at: [0, "
        "0.5, "
        "0]}}\n"
        "  - {{name: plate, kind: static, shape: {{box: [{}, 0.35, 1]}}, at: [0, 0.25, 0], rotate: "
        "{{axis: [0, 0, 1], angle: 20}}}}\n",
        h, thick));
    double speed = 0;
    run.advance(200, dt, [&](const StepReport& r) { speed = std::max(speed, r.max_speed); });
    CHECK(speed < 0.05);
  }
}

TEST_CASE("the resolution of a body does not change what the liquid does to it") {
  const auto speed = [](int d, const char* resolution) {
    SmallRun run(fmt::format(
        "dimensions: {}\nspacing: 0.025\nduration: 1\n"
        "liquids: [{{shape: {{box: [0.4, 0.4, 0.4], at: [0, 0.2, 0]}}}}]\nbodies:\n"
        "  - {{name: tank, kind: static, shape: {{box: [0.4, 0.6, 0.4], inside_out: true}}, at: "
        "[0, "
        "0.3, 0]}}\n"
        "  - {{name: ball, density: 200, shape: {{sphere: 0.075}}, at: [0, 0.2, 0]{}}}\n",
        d, resolution));
    const double volume =
        d == 2 ? std::numbers::pi * 0.075 * 0.075 : 4 * std::numbers::pi / 3 * std::pow(0.075, 3);
    CHECK(run.s.bodies.mass[1] == about(200 * volume, 1e-9));  // of the ball, not of its facets
    run.advance(10, dt);
    CHECK(run.last.void_fraction == 0);
    return run.s.bodies.v[1].y();
  };
  for (const int d : {2, 3}) CHECK(speed(d, ", resolution: 0.00625") == about(speed(d, ""), 0.01));
}
