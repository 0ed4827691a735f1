#include "core/parallel.h"
#include "small_hybrid_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace hydrolith;
using hydrolith::hybrid::test::SmallRun;

namespace {

/// Volume where the surface says there is liquid and solids leave room.
double visible_volume(SmallRun& run) {
  run.w.surface.measure_parts(run.w.grid);
  double sum = 0;
  for (std::size_t i = 0; i < run.w.surface.part.size(); ++i)
    sum += double{run.w.surface.part[i]} * double{run.w.solids.room[i]};
  const double dx = run.w.grid.dx();
  return run.m.scene.dimensions == 3 ? sum * dx * dx * dx / 8 : sum * dx * dx / 4;
}

}  // namespace

// The particles' volume is kept to round-off; what is seen of it, once the water is calm, to 1 %.
TEST_CASE("a dam breaks for ten seconds and no volume is lost or gained") {
  SmallRun run(
      "engine: hybrid\ndimensions: 2\nspacing: 0.05\nliquids: [{shape: {box: [1, 1, 1], at: [0.5, "
      "0.5, "
      "0]}}]\nbodies: [{name: tank, kind: static, shape: {box: [2, 2, 1], inside_out: true}, at: "
      "[1, 1, "
      "0]}]\n");
  run.advance(1, 0.005);
  const double volume = run.last.liquid_volume, seen = visible_volume(run);
  run.advance(2000, 0.005);
  CHECK(run.last.liquid_volume == doctest::Approx(volume).epsilon(1e-12));
  CHECK(visible_volume(run) == doctest::Approx(seen).epsilon(0.01));
}

// Every step projects a velocity that has turned by omega dt, which keeps cos(omega dt) of the
// rotation: cos^N over N steps of a revolution. Transfers may cost another 3 %.
TEST_CASE("a viscous disc turns once about itself and keeps its rotation") {
  constexpr int steps = 200;
  SmallRun run(
      "engine: hybrid\ndimensions: 2\nspacing: 0.05\ngravity: 0\nliquids: [{viscosity: 10000 Pa s, "
      "shape: "
      "{sphere: 0.5}}]\n");
  const double omega = 2 * M_PI, dt = 1.0 / steps;
  for (std::size_t i = 0; i < run.s.liquid.size(); ++i) {
    const Vec3 x = run.s.liquid.x[i];
    run.s.liquid.v[i] = Vec3(-omega * x.y(), omega * x.x(), 0);
    run.s.liquid.c[i](0, 1) = static_cast<float>(-omega);
    run.s.liquid.c[i](1, 0) = static_cast<float>(omega);
  }
  StepReport start;
  hybrid::audit(run.m, run.s, start);
  run.advance(steps, dt);
  const double kept = run.last.angular_momentum.z() / start.angular_momentum.z();
  CHECK(kept >= std::pow(std::cos(omega * dt), steps) - 0.03);
}

// A wall of one cell's thickness, off the grid: nothing of the water passes in a second.
TEST_CASE("a wall one cell thick holds the water") {
  SmallRun run(
      "engine: hybrid\ndimensions: 2\nspacing: 0.05\nliquids: [{shape: {box: [0.5, 0.6, 1], at: "
      "[0.25, "
      "0.3, 0]}}]\nbodies:\n"
      "  - {name: tank, kind: static, shape: {box: [2, 1.5, 1], inside_out: true}, at: [1, 0.75, "
      "0]}\n"
      "  - {name: wall, kind: static, shape: {box: [0.05, 1.5, 1]}, at: [0.537, 0.75, 0]}\n");
  run.advance(200, 0.005);
  double farthest = 0;
  for (const Vec3& x : run.s.liquid.x) farthest = std::max(farthest, x.x());
  CHECK(farthest < 0.52);
  CHECK(run.last.max_speed < 0.2);
}

TEST_CASE("a step gives the same bits with one and two threads") {
  const auto state = [](int count) {
    set_threads(count);
    SmallRun run(
        "engine: hybrid\nspacing: 0.1\nliquids: [{viscosity: 5 Pa s, shape: {box: [0.5, 0.6, 0.5], "
        "at: "
        "[0.25, 0.3, 0.25]}}]\nbodies:\n"
        "  - {name: tank, kind: static, shape: {box: [1.5, 1.5, 1], inside_out: true}, at: [0.75, "
        "0.75, "
        "0.5]}\n  - {name: ball, density: 300, shape: {sphere: 0.15}, at: [0.3, 0.75, 0.3]}\n");
    run.advance(20, 0.005);
    set_threads(0);
    return std::pair(run.s.liquid.x, run.s.bodies.x);
  };
  const auto one = state(1), two = state(2);
  CHECK(one.first == two.first);
  CHECK(one.second == two.second);
}

// Solids are given their true volume on the grid, so the geometric mass is right; one step on its
// surface area meets it to some 1e-4.
TEST_CASE("bodies of the liquid's density hang in it, on and between cells") {
  SmallRun run(
      "engine: hybrid\nspacing: 0.02\nhybrid: {tolerance: 1e-10}\nliquids: [{shape: {box: [0.6, "
      "0.4, "
      "0.36], at: [0, 0.2, 0]}}]\nbodies:\n"
      "  - {name: tank, kind: static, shape: {box: [0.6, 0.6, 0.36], inside_out: true}, at: [0, "
      "0.3, "
      "0]}\n  - {name: box, density: 1000, shape: {box: [0.12, 0.12, 0.12]}, at: [-0.133, 0.207, "
      "0]}\n"
      "  - {name: ball, density: 1000, shape: {sphere: 0.06}, at: [0.14, 0.2, 0]}\n");
  run.advance(1, 0.005);
  for (const char* name : {"box", "ball"}) {
    const std::size_t i = run.body(name);
    CAPTURE(name);
    CHECK(run.s.forces[i].pressure.force.y() ==
          doctest::Approx(9.81 * run.s.bodies.mass[i]).epsilon(1e-3));
  }
}
