// Weak and interlinked coupling (Gissler et al. 2019), with both liquid solvers and every interface
// force: momentum, agreement with the one solve, what weak coupling gets wrong, explicit friction.

#include "about.h"
#include "core/parallel.h"
#include "small_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::particles;
using hydrolith::particles::test::SmallRun;

namespace {

constexpr double dt = 1e-3;  // [s]

struct Choice {
  const char *coupling, *liquid, *boundary;
  std::string solver(const std::string& more = "") const {
    return fmt::format("solver: {{coupling: {}, liquid: {}, boundary: {}{}}}\n", coupling, liquid,
                       boundary, more);
  }
};

constexpr Choice all_choices[] = {
    {"weak", "iisph", "balanced"},
    {"weak", "iisph", "mirrored"},
    {"weak", "iisph", "mls"},
    {"weak", "dfsph", "mirrored"},
    {"weak", "dfsph", "zero"},
    {"interlinked", "iisph", "balanced"},
    {"interlinked", "iisph", "mirrored"},
    {"interlinked", "iisph", "mls"},
    {"interlinked", "dfsph", "balanced"},
    {"interlinked", "dfsph", "mls"},
};

/// Nothing is fixed: two boxes meet askew, one of them in a drop.
const std::string free_space = R"(
spacing: 20 mm
gravity: [0, 0, 0]
liquids:
  - {name: water, velocity: [0.5, 0, 0.2], shape: {box: [0.1, 0.1, 0.1], at: [-0.201, 0, 0]}}
bodies:
  - {name: one, friction: 0.4, shape: {box: [0.1, 0.1, 0.1]}, at: [-0.101, 0, 0]}
  - {name: two, friction: 0.4, density: 3000, velocity: [-1, 0.6, 0.1], angular_velocity: [1, 2, 3], shape: {box: [0.1, 0.1, 0.1]}, at: [0, 0.03, 0.01]}
)";

/// A light ball held under water in a tank that is wide for it.
const std::string light_ball = R"(
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.32, 0.32, 0.32], at: [0, 0.16, 0]}}
bodies:
  - {name: tank, kind: static, shape: {box: [0.32, 0.5, 0.32], inside_out: true}, at: [0, 0.25, 0]}
  - {name: ball, density: 100, shape: {sphere: 0.06}, at: [0, 0.16, 0]}
)";

std::string box_on_slope(double mu, const std::string& solver) {
  return fmt::format(R"(
spacing: 20 mm
{}
bodies:
  - rotate: {{axis: [0, 0, 1], angle: -30}}
    group:
      - {{name: slope, kind: static, friction: {}, shape: {{box: [1, 0.1, 0.4]}}, at: [0, -0.05, 0]}}
      - {{name: box, friction: {}, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0, 0.05, 0]}}
)",
                     solver, mu, mu);
}

/// [m/s] down a slope of 30 degrees.
double speed_down(const SmallRun& run) {
  const double angle = std::numbers::pi / 6;
  return Vec3(std::cos(angle), -std::sin(angle), 0).dot(run.s.bodies.v[run.body("box")]);
}

}  // namespace

// Every force on a particle is taken from a body or another particle. What is left is the rounding
// of sums of some thousand terms of at most 1 kg m/s.
TEST_CASE("momentum is kept by every coupling, liquid solver and interface force") {
  for (const Choice& choice : all_choices) {
    CAPTURE(choice.solver());
    SmallRun run(choice.solver() + free_space);
    StepReport start;
    audit(run.m, run.s, start);
    run.advance(30, dt);
    double pushed = 0;
    for (const BodyForces& f : run.s.forces) pushed += f.pressure.force.norm();
    CHECK(pushed > 0);
    CHECK((run.last.momentum - start.momentum).norm() < 1e-12);
  }
}

// On a system that no friction and no stabiliser tells apart, the two Jacobi solvers that inform
// each other end where the one solve ends. A residual of 1e-7 is 2e-6 m/s at one particle, 0.0002 g
// dt; a column sums it over some ten layers.
TEST_CASE("interlinked coupling converges to the one solve") {
  const std::string common = R"(
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.24, 0.16, 0.24], at: [0, 0.08, 0]}}
bodies:
  - {name: tank, kind: static, shape: {box: [0.24, 0.3, 0.24], inside_out: true}, at: [0, 0.15, 0]}
  - {name: cork, density: 100, shape: {box: [0.12, 0.08, 0.12]}, at: [0.01, 0.16, 0]}
)";
  SmallRun one(
      "solver: {volumes: kernel, correction: 1, correction_speed: 1000, tolerance: 1e-8, "
      "velocity_tolerance: 1e-4, max_iterations: 5000}\n" +
      common);
  SmallRun two("solver: {coupling: interlinked, volume_tolerance: 1e-7, max_iterations: 20000}\n" +
               common);
  two.s = one.s;
  one.advance(1, dt);
  two.advance(1, dt);
  CHECK(two.last.converged);
  const std::size_t cork = one.body("cork");
  const double g_dt = 9.81 * dt;
  CHECK((one.s.bodies.v[cork] - two.s.bodies.v[cork]).norm() < 0.02 * g_dt);
  double largest = 0;
  for (std::size_t i = 0; i < one.s.particles(); ++i)
    largest = std::max(largest, (one.s.v[i] - two.s.v[i]).norm());
  CHECK(largest < 0.05 * g_dt);
}

// A ball of a tenth of the liquid's density takes liquid along: half its volume if there are no
// walls, and C = 1/2 (b^3 + 2 a^3) / (b^3 - a^3) = 0.583 of it within a sphere of radius b, here
// half the width of the tank. Its acceleration is 0.9 g / (0.1 + C) = 12.9 m/s^2. Coupled weakly it
// falls freely while the liquid is solved and gets, besides the buoyancy of a body at rest, the
// force that makes liquid give way to that fall: (1 + C) 10 g - g = 145 m/s^2, eleven times too
// much. At six spacings across either is right to a seventh.
TEST_CASE("a light ball starts with its added mass, unless it is coupled weakly") {
  const SmallRun settled("settle: 0.5 s\nsolver: {volumes: kernel, correction: 1}\n" + light_ball);
  const auto acceleration = [&](const std::string& coupling, const char* liquid) {
    SmallRun run(fmt::format("solver: {{volumes: kernel, coupling: {}, liquid: {}, "
                             "volume_tolerance: 1e-6, correction: 1, max_iterations: 5000}}\n",
                             coupling, liquid) +
                 light_ball);
    run.s = settled.s;
    run.advance(1, dt);
    return run.s.bodies.v[run.body("ball")].y() / dt;
  };
  const double one = acceleration("monolithic", "iisph");
  CHECK(one == about(12.9, 0.15));
  for (const char* liquid : {"iisph", "dfsph"}) {
    CHECK(acceleration("interlinked", liquid) == about(one, 0.05));
    CHECK(acceleration("weak", liquid) == about(145, 0.15));
  }
}

// Friction of 1 holds on 30 degrees, tan 30 = 0.58. Explicit friction is bounded by what single
// samples need to stop their own velocity, not by what the box needs.
TEST_CASE("explicit friction creeps down a slope on which implicit friction sticks") {
  for (const char* contact : {"distance", "volumes"}) {
    CAPTURE(contact);
    SmallRun sticks(box_on_slope(1, fmt::format("solver: {{contact: {}}}", contact)));
    SmallRun creeps(
        box_on_slope(1, fmt::format("solver: {{coupling: interlinked, contact: {}}}", contact)));
    sticks.advance(300, dt);
    creeps.advance(300, dt);
    CHECK(std::abs(speed_down(sticks)) < 1e-4);
    CHECK(speed_down(creeps) > 20 * std::abs(speed_down(sticks)));
    CHECK(speed_down(creeps) > 1e-3);
  }
}

// The rigid solver by itself: a stack comes to rest. It stops at 1e-4 spacings a step, 2 mm/s, and
// overlaps are undone to 0.005 spacings.
TEST_CASE("the rigid solver of interlinked and weak coupling works without liquid") {
  for (const char* coupling : {"weak", "interlinked"}) {
    CAPTURE(coupling);
    SmallRun run(fmt::format(R"(
spacing: 20 mm
solver: {{coupling: {}}}
bodies:
  - {{name: ground, kind: static, shape: {{box: [0.4, 0.1, 0.4]}}, at: [0, -0.05, 0]}}
  - {{name: low, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0, 0.06, 0]}}
  - {{name: top, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0.01, 0.17, 0]}}
)",
                             coupling));
    run.advance(400, dt);
    CHECK(run.s.bodies.x[run.body("low")].y() == about(0.05, 0.02));
    CHECK(run.s.bodies.x[run.body("top")].y() == about(0.15, 0.02));
    CHECK(run.s.bodies.v[run.body("top")].norm() < 0.01);
  }
}

// Mirrored and extrapolated pressure: a column stands, its floor carries the weight.
TEST_CASE("a column at rest weighs what it weighs with every interface force") {
  for (const Choice& choice : all_choices) {
    CAPTURE(choice.solver());
    SmallRun run(choice.solver() + R"(
spacing: 20 mm
settle: 0.15 s
liquids:
  - {name: water, viscosity: 5, shape: {box: [0.12, 0.2, 0.12], at: [0, 0.1, 0]}}
bodies:
  - {name: tank, kind: static, shape: {box: [0.12, 0.5, 0.12], inside_out: true}, at: [0, 0.25, 0]}
)");
    double force = 0;
    run.advance(100, dt, [&](const StepReport&) {
      force += run.s.forces[run.body("tank")].pressure.force.y() / 100;
    });
    // What is not yet at rest bounces; 5 % of g is 5 cm/s in the 0.1 s seen.
    CHECK(force == about(-9.81 * 1000 * 0.12 * 0.12 * 0.2, 0.05));
  }
}

TEST_CASE("weak coupling tells how often it went over contacts, besides the liquid") {
  const std::string scene = R"(
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.2, 0.1, 0.2], at: [0, 0.05, 0]}}
bodies:
  - {name: tank, kind: static, shape: {box: [0.2, 0.5, 0.2], inside_out: true}, at: [0, 0.25, 0]}
  - {name: stone, density: 3000, shape: {box: [0.08, 0.08, 0.08]}, at: [0, 0.04, 0]}
)";
  SmallRun weak("solver: {coupling: weak}\n" + scene), one(scene);
  weak.advance(5, dt);
  one.advance(5, dt);
  CHECK(weak.last.iterations > 0);
  CHECK(weak.last.contact_iterations > 0);
  CHECK(one.last.contact_iterations == 0);
}

// The velocities that a step leaves are free of divergence up to the tolerance, the more so the
// shorter the step: the first half of dfsph finds nothing that it would have to do.
TEST_CASE("dfsph is not iisph by another name, even with short steps of a calm liquid") {
  for (const char* coupling : {"weak", "interlinked"}) {
    CAPTURE(coupling);
    SmallRun iisph(Choice{coupling, "iisph", "balanced"}.solver() + light_ball);
    SmallRun dfsph(Choice{coupling, "dfsph", "balanced"}.solver() + light_ball);
    iisph.advance(5, 0.1 * dt);
    dfsph.advance(5, 0.1 * dt);
    double off = 0;
    for (std::size_t i = 0; i < iisph.s.particles(); ++i)
      off = std::max(off, (iisph.s.v[i] - dfsph.s.v[i]).norm());
    CHECK(off > 0);
  }
}

TEST_CASE("couplings give the same bits for any number of threads") {
  for (const Choice& choice :
       {Choice{"interlinked", "dfsph", "mls"}, Choice{"weak", "iisph", "mirrored"}}) {
    CAPTURE(choice.solver());
    const auto end = [&](int threads) {
      set_threads(threads);
      SmallRun run(choice.solver() + light_ball);
      run.advance(5, dt);
      set_threads(0);
      return std::make_pair(run.s.x, run.s.bodies.x);
    };
    const auto one = end(1), three = end(3);
    CHECK(std::memcmp(one.first.data(), three.first.data(), one.first.size() * sizeof(Vec3)) == 0);
    CHECK(std::memcmp(one.second.data(), three.second.data(), one.second.size() * sizeof(Vec3)) ==
          0);
  }
}

// Two dimensions: the added mass of a disc is its own in an unbounded liquid, and (b^2 + a^2) /
// (b^2 - a^2) of it within a circle of radius b: between 8.03 and, with the tank's half width for
// b, 5.97 m/s^2.
TEST_CASE("a light disc in two dimensions") {
  const std::string scene = R"(
dimensions: 2
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.6, 0.6], at: [0, 0.3]}}
bodies:
  - {name: tank, kind: static, shape: {box: [0.6, 0.8], inside_out: true}, at: [0, 0.4]}
  - {name: ball, density: 100, shape: {sphere: 0.12}, at: [0, 0.3]}
)";
  SmallRun one("settle: 1 s\nsolver: {volumes: kernel, correction: 1}\n" + scene);
  SmallRun two("solver: {coupling: interlinked, volume_tolerance: 1e-6, max_iterations: 5000}\n" +
               scene);
  two.s = one.s;
  // Settling took steps of 4 ms; what its last one left of compression a first step of 1 ms undoes
  // four times as fast, which alone gives the disc up to 2.5 m/s^2 more. Over five steps that is
  // a tenth; the disc has moved by 0.1 mm.
  one.advance(5, dt);
  two.advance(5, dt);
  const double a = one.s.bodies.v[one.body("ball")].y() / (5 * dt);
  CHECK(a > 0.9 * 5.97);
  CHECK(a < 8.03);
  // The one solve stops at velocities that are right to 0.03 g dt.
  CHECK(two.s.bodies.v[two.body("ball")].y() / (5 * dt) == about(a, 0.1));
}
