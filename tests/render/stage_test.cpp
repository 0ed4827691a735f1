// Camera, ground and colour range found from the run.

#include "about.h"
#include "example_scenes.h"
#include "render/render.h"
#include "render/view.h"

#include <doctest/doctest.h>

#include <random>

using namespace hydrolith;
using examples::World;

namespace {

World cloud(unsigned seed, int dimensions, const Vec3& up) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Vec3 size(1 + 5 * std::abs(unit(random)), 1 + 5 * std::abs(unit(random)),
                  dimensions == 2 ? 0 : 1 + 5 * std::abs(unit(random)));
  const Vec3 centre = 100 * Vec3(unit(random), unit(random), dimensions == 2 ? 0 : unit(random));
  World world;
  world.objects.dimensions = dimensions;
  world.objects.spacing = 0.02;
  world.objects.up = up;
  std::vector<Vec3f> positions;
  for (int i = 0; i < 1000; ++i)
    positions.push_back(
        (centre + size.cwiseProduct(Vec3(unit(random), unit(random), unit(random)))).cast<float>());
  examples::add_liquid(world, positions, std::vector<Vec3f>(positions.size(), Vec3f::Ones()));
  return world;
}

}  // namespace

TEST_CASE("the automatic camera sees every particle of random clouds and wastes little room") {
  const std::vector<Vec3> ups = {Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX(), -Vec3::UnitY(),
                                 Vec3(1, 2, 0.5)};
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const int dimensions = seed % 4 == 3 ? 2 : 3;
    const World world =
        cloud(seed, dimensions, dimensions == 2 ? Vec3::UnitY() : ups[seed % ups.size()]);
    RenderOptions options;
    if (seed % 3 == 0) std::swap(options.width, options.height);
    const Stage stage = set_stage(world.objects, {world.frame}, options);
    const View view(stage.camera, world.objects.up, options.width, options.height, dimensions == 2);
    Vec2 lo = Vec2::Constant(1e9), hi = Vec2::Constant(-1e9);
    for (const Vec3f& p : world.frame.liquids[0].position) {
      const Vec2 at = view.project(p.cast<double>());
      REQUIRE(at.allFinite());
      lo = lo.cwiseMin(at), hi = hi.cwiseMax(at);
    }
    CHECK(lo.minCoeff() >= 0);
    CHECK(hi.x() <= options.width);
    CHECK(hi.y() <= options.height);
    // The corners of the cloud's box, not its particles, touch the margins.
    CHECK(std::max((hi - lo).x() / options.width, (hi - lo).y() / options.height) > 0.55);
  }
}

TEST_CASE("a few particles that flew off do not move the camera far") {
  const World world = cloud(5, 3, Vec3::UnitY());
  World splash = world;
  for (int i = 0; i < 5; ++i) splash.frame.liquids[0].position[i] += Vec3f(1000, 1000, 0);
  const RenderOptions options;
  const Stage a = set_stage(world.objects, {world.frame}, options),
              b = set_stage(splash.objects, {splash.frame}, options);
  CHECK((a.camera.from - b.camera.from).norm() < 0.5 * (a.camera.from - a.camera.to).norm());
}

TEST_CASE("up in the world is up in the picture") {
  for (const Vec3& up : {Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(0, 0, -2)}) {
    const World world = cloud(1, 3, up);
    const RenderOptions options;
    const Stage stage = set_stage(world.objects, {world.frame}, options);
    const View view(stage.camera, up, options.width, options.height, false);
    const Vec2 low = view.project(stage.camera.to), high = view.project(stage.camera.to + 0.1 * up);
    CHECK(high.x() == doctest::Approx(low.x()));
    CHECK(high.y() < low.y());
    CHECK((stage.camera.from - stage.camera.to).dot(up) > 0);  // from above
  }
}

TEST_CASE("cameras are taken from the options first, then from the scene") {
  World world = cloud(2, 3, Vec3::UnitY());
  RenderOptions options;
  world.objects.has_camera = true;
  world.objects.camera = {{1, 2, 3}, {0, 0, 0}, 50};
  CHECK(set_stage(world.objects, {world.frame}, options).camera.from == Vec3(1, 2, 3));
  options.camera = Camera{{4, 5, 6}, {0, 0, 0}, 20};
  CHECK(set_stage(world.objects, {world.frame}, options).camera.from == Vec3(4, 5, 6));
}

TEST_CASE("rays and projection are inverse to each other") {
  const Camera camera{{3, 2, 5}, {0.5, 0.2, -1}, 40};
  for (const bool parallel : {false, true}) {
    const View view(camera, Vec3::UnitY(), 640, 480, parallel);
    for (const Vec2& at : {Vec2(0, 0), Vec2(320, 240), Vec2(600.25, 17.5)}) {
      const ViewRay ray = view.ray(at.x(), at.y());
      CHECK((view.project(ray.origin + 7.3 * ray.direction) - at).norm() < 1e-9);  // round-off
    }
  }
}

TEST_CASE("looking straight down works") {
  const View view({{0, 5, 0}, {0, 0, 0}, 40}, Vec3::UnitY(), 100, 100, false);
  CHECK(view.project({1, 0, 0}).x() > 60);
  CHECK(view.axes().right.cross(view.axes().up).dot(view.axes().back) == doctest::Approx(1));
}

TEST_CASE("the ground lies under the lowest thing, static bodies included") {
  World world = examples::tower(14);
  const RenderOptions options;
  CHECK(set_stage(world.objects, {world.frame}, options).ground_level ==
        doctest::Approx(0).epsilon(0.01));
  examples::add_body(world, examples::box_mesh({1, 2, 1}),
                     {.name = "pier", .kind = BodyKind::fixed}, {.position = {0, -2, 0}});
  CHECK(set_stage(world.objects, {world.frame}, options).ground_level == about(-3, 0.01));
}

TEST_CASE("a huge static floor does not drive the camera away, nor does a huge tank") {
  World world = examples::tower(56);
  const RenderOptions options;
  const auto distance = [&] {
    const Stage stage = set_stage(world.objects, {world.frame}, options);
    return (stage.camera.from - stage.camera.to).norm();
  };
  const double alone = distance();
  examples::add_body(world, examples::box_mesh({200, 10, 200}),
                     {.name = "floor", .kind = BodyKind::fixed}, {.position = {0, -5, 0}});
  CHECK(distance() == doctest::Approx(alone));
  examples::add_body(world, examples::turned_inside_out(examples::box_mesh({200, 200, 200})),
                     {.name = "tank", .kind = BodyKind::fixed, .container = true},
                     {.position = {0, 100, 0}});
  CHECK(distance() < 3 * alone);
}

TEST_CASE("the colour range spans the values of all frames without the extremes") {
  World world = cloud(3, 3, Vec3::UnitY());
  std::vector<float>& pressure = world.frame.liquids[0].fields[1].values;
  for (std::size_t i = 0; i < pressure.size(); ++i) pressure[i] = 1000 + static_cast<float>(i);
  pressure[17] = 1e9f;
  Frame later = world.frame;
  for (float& p : later.liquids[0].fields[1].values) p += 1000;
  RenderOptions options;
  options.colour_by = ColourBy::pressure;
  const Stage stage = set_stage(world.objects, {world.frame, later}, options);
  // Values are even over 1000..2999, so the 2 % and 98 % quantiles lie 40 from the ends.
  CHECK(stage.range_min == about(1040, 0.01));
  CHECK(stage.range_max == about(2960, 0.01));
  options.range_max = 5000;
  CHECK(set_stage(world.objects, {world.frame}, options).range_max == 5000);
}
