// The start before the first step: settling can be stopped, and ends when nothing moves any more.

#include "hydrolith/error.h"

#include "about.h"
#include "particles/small_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::particles;

namespace {

const char* const scene = R"(
name: settling
dimensions: 2
spacing: 0.05
duration: 1
settle: 5 s
liquids:
  - {name: water, shape: {box: [1, 0.5], at: [0, 0.25]}}
bodies:
  - {name: tank, kind: static, shape: {box: [1, 1], inside_out: true}, at: [0, 0.5]}
  - {name: disc, density: 500, shape: {sphere: 0.1}, at: [0, 0.25]}
)";

struct Unsettled {
  Model m = build_model(read_scene_text(scene, "settling.yaml").scene);
  State s = initial_state(m);
  Workspace w{m, s};
};

}  // namespace

TEST_CASE("Settling that is told to stop leaves everything where the scene puts it") {
  Unsettled run;
  const State before = run.s;
  const std::atomic<bool> stopped = true;
  CHECK_FALSE(settle(run.m, run.s, run.w, &stopped));
  CHECK(run.s.x == before.x);
  CHECK(run.s.v == before.v);
  CHECK(run.s.step == 0);
  CHECK(run.s.bodies.kind == before.bodies.kind);

  Unsettled other;  // what was begun in vain leaves no trace
  CHECK(settle(run.m, run.s, run.w));
  CHECK(settle(other.m, other.s, other.w));
  CHECK(run.s.x == other.s.x);
  CHECK(run.s.x != before.x);
}

namespace {

/// Liquid that fills a round tank to the last corner.
std::string full_tank(int dimensions) {
  return fmt::format(
      "dimensions: {}\nspacing: 0.02\nduration: 1\nliquids: [{{shape: {{sphere: 0.1}}}}]\n"
      "bodies: [{{name: tank, kind: static, shape: {{sphere: 0.1, inside_out: true}}}}]\n",
      dimensions);
}

}  // namespace

TEST_CASE("A round tank filled to the brim is full, and stays so") {
  for (const int d : {2, 3}) {
    CAPTURE(d);
    test::SmallRun run(full_tank(d));
    const double pi = std::numbers::pi, room = d == 2 ? pi * 0.01 : 4 * pi / 3 * 0.001;
    double liquid = 0;
    for (const double v : run.s.volume) liquid += v;
    CHECK(liquid / room == about(1, 2e-4));  // made to fit, with 1e-4 to spare
    REQUIRE(run.w.notes.size() == 1);
    CHECK(run.w.notes[0].find("fill a closed room of") != std::string::npos);
    double speed = 0;
    run.advance(50, 2e-3, [&](const StepReport& r) { speed = std::max(speed, r.max_speed); });
    CHECK(speed < 0.05);
    CHECK(run.last.outside == 0);
    CHECK(run.last.converged);
  }
}

TEST_CASE("More liquid than a closed room holds is a fault with numbers") {
  Model m = build_model(read_scene_text(full_tank(2), "full.yaml").scene);
  State s = initial_state(m);
  Workspace w{m, s};
  for (double& v : s.volume) v *= 1.03;
  try {
    settle(m, s, w);
    FAIL("nothing was thrown");
  } catch (const SimulationError& e) {
    const std::string text = e.what();
    CAPTURE(text);
    CHECK(text.find("0.0323584 m^2 of liquid fill a closed room of 0.0314159 m^2: 3 % too much") ==
          0);
  }
}
