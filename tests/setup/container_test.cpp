#include "setup/container.h"

#include "about.h"
#include "scene/reader.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hydrolith;

namespace {

World world(const std::string& yaml) {
  return build_world(read_scene_text("spacing: 50 mm\n" + yaml, "container.yaml").scene);
}

const std::string tank =
    "bodies: [{name: tank, kind: static, shape: {box: [2, 1, 2], inside_out: true}, at: [1, 0.5, "
    "0]}]\n";

}  // namespace

TEST_CASE("what is beside or below all static bodies is outside, what is above is not") {
  const World w = world(tank + "liquids: [{name: water, shape: {box: [9, 9, 9]}}]\n");
  REQUIRE(w.container);
  const Vec3 places[] = {Vec3(1, 0.5, 0), Vec3(1, 50, 0),   Vec3(1, -0.04, 0),
                         Vec3(1, -1, 0),  Vec3(2.2, 50, 0), Vec3(1, 0.5, -1.2)};
  CHECK(count_outside(w, places) == 3);
}

TEST_CASE("static bodies hold nothing where liquid starts or enters beside them") {
  const std::string floor =
      "bodies: [{name: floor, kind: static, shape: {box: [1, 0.2, 1]}, at: [0, -0.1, 0]}]\n";
  const auto water = [](double x) {
    return fmt::format(
        "liquids: [{{name: water, shape: {{box: [0.4, 0.4, 0.4], at: [{}, 0.2, 0]}}}}]\n", x);
  };
  CHECK(world(floor + water(0)).container);
  CHECK_FALSE(world(floor + water(0.5)).container);
  CHECK_FALSE(world(water(0)).container);
  const std::string jet = "emitters: [{liquid: water, radius: 0.1, at: [2, 1, 0], speed: 1}]\n";
  CHECK_FALSE(world(floor + water(0) + jet).container);
}

TEST_CASE("in two dimensions there is no depth to leave by") {
  const World w = world("dimensions: 2\n" + tank);
  REQUIRE(w.container);
  const Vec3 deep[] = {Vec3(1, 0.5, 7)};
  CHECK(count_outside(w, deep) == 0);
}
