// What a step reports, takes back, and repeats bit for bit.

#include "about.h"
#include "core/parallel.h"
#include "small_run.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace hydrolith;
using namespace hydrolith::particles;
using hydrolith::about;
using hydrolith::particles::test::SmallRun;

namespace {

const std::string bullet = R"(
spacing: 20 mm
gravity: [0, 0, 0]
liquids: [{name: water, shape: {box: [0.1, 0.1, 0.1]}}]
bodies: [{name: bullet, velocity: [100, 0, 0], shape: {sphere: 0.05}, at: [1, 0, 0]}]
)";

const std::string tank_with_stack = R"yaml(
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.24, 0.12, 0.16], at: [0, 0.06, 0]}}
emitters:
  - {name: tap, liquid: water, radius: 0.03, at: [0, 0.3, 0], direction: [0, -1, 0], speed: 1}
bodies:
  - {name: tank, kind: static, shape: {box: [0.24, 0.4, 0.16], inside_out: true}, at: [0, 0.2, 0]}
  - {name: low, density: 2500, shape: {box: [0.06, 0.06, 0.06]}, at: [0.05, 0.031, 0]}
  - {name: top, density: 2500, shape: {box: [0.06, 0.06, 0.06]}, at: [0.057, 0.092, 0.01]}
  - {name: wall, kind: kinematic, motion: {velocity: ["0.5*sin(20*t)", 0, 0]}, shape: {box: [0.04, 0.2, 0.1]}, at: [-0.06, 0.13, 0]}
)yaml";

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
bool same_bits(const State& a, const State& b) {
  return same_bits(a.x, b.x) && same_bits(a.v, b.v) && same_bits(a.pressure, b.pressure) &&
         same_bits(a.id, b.id) && same_bits(a.bodies.x, b.bodies.x) &&
         same_bits(a.bodies.q, b.bodies.q) && same_bits(a.bodies.v, b.bodies.v) &&
         same_bits(a.bodies.L, b.bodies.L);
}

}  // namespace

TEST_CASE("liquid, stack, moving wall and emitter give the same bits with 1, 2 and 7 threads") {
  const int before = threads();
  const auto run = [](int count) {
    set_threads(count);
    SmallRun r(tank_with_stack);
    r.advance(30, 1e-3);
    return r.s;
  };
  const State one = run(1);
  REQUIRE(one.emitters[0].released > 0);
  for (int count : {2, 7}) {
    CAPTURE(count);
    CHECK(same_bits(run(count), one));
  }
  set_threads(before);
}

TEST_CASE("a copy of the state goes on with the same bits in a new workspace") {
  SmallRun r(tank_with_stack);
  r.advance(15, 1e-3);
  State copy = r.s;
  Workspace fresh(r.m, copy);
  for (int k = 0; k < 15; ++k) {
    r.advance(1, 1e-3);
    step(r.m, copy, fresh, 1e-3);
    CAPTURE(k);
    REQUIRE(same_bits(copy, r.s));
  }
}

TEST_CASE("a step that goes too far is tried in halves, and says so") {
  SmallRun r(bullet);
  const double mass_centre = r.s.bodies.x[0].x();
  r.advance(1, 1e-3);  // 100 m/s would be five spacings, four are allowed
  CHECK(r.last.retries == 1);
  CHECK(r.last.dt == 0.5e-3);
  CHECK(r.s.time == 0.5e-3);
  CHECK(r.s.step == 1);
  CHECK(r.s.bodies.x[0].x() - mass_centre == about(0.05, 1e-12));
}

TEST_CASE("an impossible step throws and leaves the state as it was") {
  SmallRun r(bullet);
  r.advance(3, 1e-4);
  r.s.bodies.v[0] = Vec3(1e6, 0, 0);
  const State before = r.s;
  CHECK_THROWS_AS(r.advance(1, 1e-3), SimulationError);
  CHECK(r.s.time == before.time);
  CHECK(r.s.step == before.step);
  CHECK(same_bits(r.s, before));  // particles too: they were in order already
}

TEST_CASE("a step that produces no number names the body") {
  SmallRun r(bullet);
  r.s.bodies.v[0].y() = std::nan("");
  try {
    r.advance(1, 1e-3);
    FAIL("no error");
  } catch (const SimulationError& e) {
    CHECK(std::string(e.what()).find("bullet") != std::string::npos);
  }
}

TEST_CASE("a step that may not iterate enough is reported as not converged, with its residual") {
  const auto run = [](const std::string& solver) {
    SmallRun r(solver + R"(
spacing: 20 mm
liquids: [{name: water, shape: {box: [0.1, 0.4, 0.1], at: [0, 0.2, 0]}}]
bodies: [{name: tank, kind: static, shape: {box: [0.1, 0.6, 0.1], inside_out: true}, at: [0, 0.3, 0]}]
)");
    r.advance(1, 1e-3);
    return r.last;
  };
  const StepReport few = run("solver: {max_iterations: 2}"), many = run("");
  CHECK_FALSE(few.converged);
  CHECK(few.iterations >= 2);
  CHECK(few.residual_mean > many.residual_mean);
  CHECK(many.converged);
  CHECK(many.residual_mean <= 1e-5);
}

TEST_CASE("what emitters released and outlets took accounts for all liquid at every step") {
  SmallRun r(R"(
spacing: 20 mm
liquids: [{name: water, shape: {box: [0.2, 0.1, 0.2], at: [0, 0.05, 0]}}]
emitters: [{name: tap, liquid: water, radius: 0.04, at: [-0.04, 0.3, 0], direction: [0, -1, 0], speed: 1}]
outlets: [{name: drain, shape: {box: [0.06, 0.04, 0.2], at: [0.08, 0.02, 0]}, rate: 2 l/s}]
bodies: [{name: tank, kind: static, shape: {box: [0.2, 0.4, 0.2], inside_out: true}, at: [0, 0.2, 0]}]
)");
  double start = 0;
  for (double v : r.s.volume) start += v;
  r.advance(300, 1e-3, [&](const StepReport& now) {
    const double expected = start + r.s.emitters[0].released - r.s.outlets[0].removed;
    CHECK(now.liquid_volume == about(expected, 1e-12));  // sums of a thousand
    CHECK(now.max_speed < 4);                            // falls 0.3 m at 1 m/s: 2.6 m/s
  });
  // 1 m/s through pi (4 cm)^2 for 0.3 s to a layer; 2 l/s to a particle of 8 ml.
  CHECK(std::abs(r.s.emitters[0].released - 1.508e-3) < 1.01 * r.m.emitters[0].area * 0.02);
  CHECK(std::abs(r.s.outlets[0].removed - 0.6e-3) < 16e-6);
}
