// Who rules the length of a step: everything but what flies alone or has left the container.

#include "contact/time_step.h"

#include "about.h"
#include "scene/reader.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace hydrolith;

namespace {

/// A tank of 2 m with a pool of 0.4 m at rest, spacing 20 mm; one more particle where it is put.
struct Pool {
  World w;
  WorldState s;
  std::vector<Vec3> x, v;

  Pool()
      : w(build_world(read_scene_text(R"(
spacing: 20 mm
time_step: {max: 5 ms, min: 1 us}
liquids: [{name: water, shape: {box: [0.4, 0.4, 0.4], at: [0, 0.2, 0]}}]
bodies: [{name: tank, kind: static, shape: {box: [2, 2, 2], inside_out: true}, at: [0, 1, 0]}]
)",
                                      "pool.yaml")
                          .scene)),
        s(initial_world_state(w)) {
    fill_liquids(w, 0.02, 0.01, [&](std::uint32_t, const Vec3& p, const Vec3&, double) {
      x.push_back(p), v.push_back(Vec3::Zero());
    });
  }
  double step() const { return choose_time_step(w, s, {x, v}); }
  double step_with(const Vec3& at, const Vec3& velocity) {
    x.push_back(at), v.push_back(velocity);
    const double dt = step();
    x.pop_back(), v.pop_back();
    return dt;
  }
};

/// cfl h / (v + g dt_max)
double followed(double speed) { return 0.4 * 0.02 / (speed + 9.81 * 5e-3); }

}  // namespace

TEST_CASE("liquid at rest takes the longest step, fast liquid the CFL number's") {
  Pool pool;
  CHECK(pool.step() == 5e-3);
  pool.v[pool.v.size() / 2] = Vec3(0, 0, 20);
  CHECK(pool.step() == about(followed(20), 1e-12));
}

TEST_CASE("a drop that flies alone does not rule the step unless it is about to meet something") {
  Pool pool;
  const Vec3 fast(0, 20, 0);  // 0.1 m in the longest step
  CHECK(pool.step_with(Vec3(0, 1.2, 0), fast) == 5e-3);
  // Two spacings and twice its way above the pool, 0.24 m: liquid. One spacing more: none.
  CHECK(pool.step_with(Vec3(0, 0.6, 0), fast) == about(followed(20), 1e-12));
  CHECK(pool.step_with(Vec3(0, 0.66, 0), fast) == 5e-3);
  // Two spacings and its way from the wall, 0.14 m.
  CHECK(pool.step_with(Vec3(0.88, 1.2, 0), fast) == about(followed(20), 1e-12));
  CHECK(pool.step_with(Vec3(0.84, 1.2, 0), fast) == 5e-3);
}

TEST_CASE("two drops that fly together rule the step, wherever they are in memory") {
  Pool pool;
  pool.x.insert(pool.x.begin(), Vec3(0, 1.2, 0)), pool.v.insert(pool.v.begin(), Vec3(0, 20, 0));
  CHECK(pool.step_with(Vec3(0.03, 1.2, 0), Vec3(0, 1, 0)) == about(followed(20), 1e-12));
}

TEST_CASE("the fastest of those that rule does rule") {
  Pool pool;
  pool.v[pool.v.size() / 2] = Vec3(0, 0, 4);
  CHECK(pool.step_with(Vec3(0, 1.2, 0), Vec3(0, 20, 0)) == about(followed(4), 1e-12));
}

TEST_CASE("what has left the container does not rule the step, alone or not") {
  Pool pool;
  pool.x.push_back(Vec3(0, -30, 0)), pool.v.push_back(Vec3(0, -25, 0));
  CHECK(pool.step_with(Vec3(0.02, -30, 0), Vec3(0, -25, 0)) == 5e-3);
}

TEST_CASE("an engine may bound how far lone drops go in a step") {
  Pool pool;
  pool.x.push_back(Vec3(0, 1.2, 0)), pool.v.push_back(Vec3(0, 20, 0));
  const double dt = choose_time_step(pool.w, pool.s, {pool.x, pool.v, 2});
  CHECK(dt == about(followed(20 * 0.4 / 2), 1e-12));
}

TEST_CASE("what is not a number rules the step") {
  Pool pool;
  CHECK(pool.step_with(Vec3(0, 1.2, 0), Vec3(0, std::nan(""), 0)) == 1e-6);
}
