// What every engine starts from, with particles as far apart as the engine wants them.

#include "setup/world.h"

#include "hydrolith/error.h"

#include "about.h"
#include "setup/flow.h"

#include <doctest/doctest.h>

#include <string>

using namespace hydrolith;

namespace {

constexpr double coarse = 0.0625, fine = 0.03125;  // [m]

/// A cube of water, and an opening of 1/4 m by 1/8 m through which it comes at 2 m/s. All sizes are
/// powers of two, so that nothing is rounded.
Scene fed_cube() {
  Scene scene;
  scene.file = "test.yaml";
  scene.spacing = coarse;
  LiquidSpec water;
  water.name = "water";
  water.velocity = {Expression::constant(1), Expression::constant(0), Expression::constant(0)};
  water.shape = Shape{.kind = BoxShape{Vec3(0.5, 0.5, 0.5)}};
  water.mark = {3, 5, "liquids[0]"};
  scene.liquids.push_back(water);
  EmitterSpec emitter;
  emitter.liquid = "water";
  emitter.opening = EmitterOpening::rectangle;
  emitter.width = 0.25;
  emitter.height = 0.125;
  emitter.direction = Vec3::UnitX();
  emitter.speed = TimeFunction(2.0);
  scene.emitters.push_back(emitter);
  return scene;
}

struct Sum {
  std::size_t particles = 0;
  double volume = 0;
};

}  // namespace

TEST_CASE("liquids hold the same volume however far apart their particles are") {
  const World w = build_world(fed_cube());
  for (const double spacing : {coarse, fine}) {
    Sum sum;
    fill_liquids(w, spacing, 0.5 * spacing,
                 [&](std::uint32_t liquid, const Vec3&, const Vec3& v, double volume) {
                   CHECK(liquid == 0);
                   CHECK(v == Vec3(1, 0, 0));
                   ++sum.particles;
                   sum.volume += volume;
                 });
    // A lattice that fits the cube.
    CHECK(sum.particles == static_cast<std::size_t>(spacing == coarse ? 512 : 4096));
    // 4096 terms, each rounded.
    CHECK(sum.volume == about(0.125, 1e-12));
  }
}

TEST_CASE("a liquid that does not fit is a fault at its place in the scene") {
  Scene scene = fed_cube();
  scene.domain = Box3{Vec3(-0.1, -1, -1), Vec3(1, 1, 1)};
  const World w = build_world(scene);
  std::string fault;
  try {
    fill_liquids(w, coarse, 0.5 * coarse, [](std::uint32_t, const Vec3&, const Vec3&, double) {});
  } catch (const SceneError& e) {
    fault = e.what();
  }
  CHECK(fault.find("test.yaml:3:5") != std::string::npos);
  CHECK(fault.find("outside the domain") != std::string::npos);
}

TEST_CASE("an emitter releases its rate however far apart the particles are") {
  for (const double spacing : {coarse, fine}) {
    const World w = build_world(fed_cube(), spacing);
    WorldState s = initial_world_state(w);
    Sum sum;
    const double dt = 0.25 * spacing / 2;  // a layer every four steps
    for (int k = 0; k < 40; ++k) {
      emit(w, s, [&](std::uint32_t, const Vec3&, const Vec3& v, double volume) {
        CHECK(v == Vec3(2, 0, 0));
        ++sum.particles;
        sum.volume += volume;
      });
      move_emitters(w, s, s.time, dt);
      s.time += dt;
    }
    const double layers = 10;  // at steps 0, 4, ..., 36
    CHECK(sum.particles == static_cast<std::size_t>(layers * (spacing == coarse ? 8 : 32)));
    CHECK(sum.volume == layers * spacing * 0.25 * 0.125);
    CHECK(s.emitters[0].released == sum.volume);
  }
}

TEST_CASE("an outlet marks what is inside it, up to its rate, and the domain what is outside") {
  Scene scene = fed_cube();
  scene.domain = Box3{Vec3::Constant(-1), Vec3::Constant(1)};
  OutletSpec outlet;
  outlet.shape = Shape{.kind = BoxShape{Vec3(0.2, 0.2, 0.2)}};
  outlet.rate = 1;  // [m^3/s]
  scene.outlets.push_back(outlet);
  const World w = build_world(scene);
  WorldState s = initial_world_state(w);
  std::vector<Vec3> x = {Vec3(0, 0, 0), Vec3(0.5, 0, 0), Vec3(2, 0, 0), Vec3(0.01, 0, 0),
                         Vec3(0.02, 0, 0)};
  const std::vector<double> volume(x.size(), 1e-4);
  const std::vector<std::uint32_t> liquid(x.size(), 0);
  std::vector<char> keep;
  // In 0.1 ms it may take 1e-4 m^3: one of the three inside.
  CHECK(mark_drained(w, s, 1e-4, {x, volume, liquid}, keep));
  CHECK(keep == std::vector<char>{0, 1, 0, 1, 1});
  CHECK(s.outlets[0].removed == 1e-4);
  keep_marked(keep, x);
  CHECK(x == std::vector<Vec3>{Vec3(0.5, 0, 0), Vec3(0.01, 0, 0), Vec3(0.02, 0, 0)});
}
