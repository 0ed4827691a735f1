// The start before the first step: settling can be stopped, and ends when nothing moves any more.

#include "particles/small_run.h"

#include <doctest/doctest.h>

#include <atomic>

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
