// Pictures, judged by their pixels.

#include "core/parallel.h"
#include "example_scenes.h"
#include "render/colour.h"
#include "render/render.h"
#include "render/view.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace hydrolith;
using examples::World;

namespace {

RenderOptions small_picture() {
  RenderOptions options;
  options.width = 160, options.height = 90, options.samples = 4;
  options.legend = false;
  return options;
}

struct Rgb {
  int r, g, b;
  int sum() const { return r + g + b; }
};

Rgb pixel(const Image& image, const Vec2& at) {
  const auto* p = &image.rgb[3 * (static_cast<std::size_t>(at.y()) * image.width +
                                  static_cast<std::size_t>(at.x()))];
  return {p[0], p[1], p[2]};
}

/// Where `point` of the world is seen in the picture.
Vec2 seen_at(const World& world, const Stage& stage, const RenderOptions& options,
             const Vec3& point) {
  return View(stage.camera, world.objects.up, options.width, options.height,
              world.objects.dimensions == 2)
      .project(point);
}

World one_particle(const Vec3f& at, float radius) {
  World world;
  world.objects.spacing = 2 * double{radius};
  examples::add_liquid(world, {at}, {Vec3f::Zero()});
  world.objects.liquids[0].colour = {0.8f, 0.02f, 0.02f};
  return world;
}

}  // namespace

TEST_CASE("a particle is a disc of its colour where the camera's geometry says") {
  const Vec3f centre(0.3f, 0.2f, -0.1f);
  const World world = one_particle(centre, 0.25f);
  RenderOptions options = small_picture();
  options.colour_by = ColourBy::body;
  options.camera = Camera{{0.3, 0.2, 3.9}, {0.3, 0.2, -0.1}, 40};
  const Stage stage = set_stage(world.objects, {world.frame}, options);
  const Image image = render_frame(world.objects, world.frame, stage, options);

  // A sphere of radius r at distance d is seen under the half angle asin(r / d).
  const double half_height = std::tan(20 * std::numbers::pi / 180), d = 4, r = 0.25;
  const double radius = std::tan(std::asin(r / d)) / half_height * 0.5 * options.height;
  const auto is_red = [&](double x, double y) {
    const Rgb p = pixel(image, {80 + x, 45 + y});
    return p.r > 2 * p.g && p.r > 2 * p.b;
  };
  CHECK(is_red(0, 0));
  for (int k = 0; k < 16; ++k) {
    const double c = std::cos(k * 0.4), s = std::sin(k * 0.4);
    CHECK(is_red((radius - 1.5) * c, (radius - 1.5) * s));  // a pixel and a half of slack for
    CHECK_FALSE(
        is_red((radius + 1.5) * c, (radius + 1.5) * s));  // the width of the pixels themselves
  }
}

TEST_CASE("the ground under a body is darker than the ground far from it") {
  World world;
  examples::add_body(world, examples::box_mesh(Vec3::Ones()), {.name = "box"},
                     {.position = {0, 1.2, 0}});
  RenderOptions options = small_picture();
  options.samples = 16;
  Stage stage = set_stage(world.objects, {world.frame}, options);
  stage.ground_level = 0;
  stage.camera = {{0, 4, 8}, {0, 0.5, 0}, 30};
  const Image image = render_frame(world.objects, world.frame, stage, options);
  const Rgb under = pixel(image, seen_at(world, stage, options, {0.35, 0, 0.1}));
  const Rgb beside = pixel(image, seen_at(world, stage, options, {-4, 0, 0.3}));
  CHECK(under.sum() < 0.7 * beside.sum());

  options.ground = false;
  const Image without = render_frame(world.objects, world.frame, stage, options);
  CHECK(pixel(without, seen_at(world, stage, options, {0.35, 0, 0.1})).sum() > 0.9 * beside.sum());
}

TEST_CASE("a container shows what is in it, a solid box hides it") {
  World world = one_particle(Vec3f::Zero(), 0.3f);
  RenderOptions options = small_picture();
  options.colour_by = ColourBy::body;
  const auto redness = [&] {
    const Stage stage = set_stage(world.objects, {world.frame}, options);
    const Image image = render_frame(world.objects, world.frame, stage, options);
    const Rgb p = pixel(image, seen_at(world, stage, options, Vec3::Zero()));
    return p.r - p.g;
  };
  const int bare = redness();
  examples::add_body(world, examples::turned_inside_out(examples::box_mesh(Vec3::Ones())),
                     {.name = "tank", .kind = BodyKind::fixed, .container = true}, {});
  CHECK(bare > 60);
  CHECK(redness() > 0.9 * bare);  // the framing changes a little, and with it the shade
  world.objects.bodies[0].container = false;
  CHECK(redness() < 0.2 * bare);
}

TEST_CASE("the inner walls of a container are seen, lightly") {
  World world;
  examples::add_body(
      world, examples::turned_inside_out(examples::box_mesh(Vec3::Ones())),
      {.name = "tank", .kind = BodyKind::fixed, .container = true, .colour = {0.8f, 0.05f, 0.05f}},
      {});
  RenderOptions options = small_picture();
  options.ground = false;
  const Stage stage = set_stage(world.objects, {world.frame}, options);
  const Image image = render_frame(world.objects, world.frame, stage, options);
  const Rgb wall = pixel(image, seen_at(world, stage, options, {-0.1, 0.1, -0.5}));
  CHECK(wall.r > wall.g + 15);
  CHECK(wall.g > 100);  // the backdrop shines through
}

TEST_CASE("pictures are the same bits for 1, 2 and 7 threads") {
  // Bricks that touch: many rays meet two faces at the same distance.
  World world = examples::tower(60);
  std::vector<Vec3f> positions, velocities;
  for (int i = 0; i < 3000; ++i) {
    positions.emplace_back(0.05f * static_cast<float>(i % 20), 0.05f * static_cast<float>(i / 400),
                           0.05f * static_cast<float>(i / 20 % 20) + 1.2f);
    velocities.emplace_back(static_cast<float>(i % 7), 0, 0);
  }
  world.objects.spacing = 0.06;  // overlapping spheres, so they tie too
  examples::add_liquid(world, positions, velocities);
  const RenderOptions options = small_picture();
  std::vector<Image> images;
  for (const int count : {1, 2, 7}) {
    set_threads(count);
    const Stage stage = set_stage(world.objects, {world.frame}, options);
    images.push_back(render_frame(world.objects, world.frame, stage, options));
  }
  set_threads(0);
  CHECK(images[0].rgb == images[1].rgb);
  CHECK(images[0].rgb == images[2].rgb);
}

TEST_CASE("a renderer used again draws the same picture") {
  const World world = examples::tower(28);
  const RenderOptions options = small_picture();
  const Stage stage = set_stage(world.objects, {world.frame}, options);
  const Renderer renderer(world.objects, stage, options);
  CHECK(renderer.draw(world.frame).rgb == renderer.draw(world.frame).rgb);
}

TEST_CASE("scenes in two dimensions are seen straight from the front, without perspective") {
  const World world = examples::flat(40);
  RenderOptions options = small_picture();
  options.width = 320, options.height = 180;
  const Stage stage = set_stage(world.objects, {world.frame}, options);
  // Both ends of an extruded edge fall on the same pixel.
  const Vec2 front = seen_at(world, stage, options, {2, 1, 0.5}),
             back = seen_at(world, stage, options, {2, 1, -0.5});
  CHECK((front - back).norm() == doctest::Approx(0).epsilon(1e-9));
  // The tank (2 x 1) keeps its proportions and lies in the picture.
  const Vec2 corner = seen_at(world, stage, options, {0, 0, 0});
  CHECK((front.x() - corner.x()) == doctest::Approx(2 * (corner.y() - front.y())));
  CHECK(corner.x() > 0);
  CHECK(front.x() < options.width);
  // Slow water on the left is blue; the crate has its own colour; the empty half is light.
  const Image image = render_frame(world.objects, world.frame, stage, options);
  const Rgb water = pixel(image, seen_at(world, stage, options, {0.2125, 0.2125, 0}));
  const Rgb crate = pixel(image, seen_at(world, stage, options, {1.4, 0.1, 0}));
  const Rgb air = pixel(image, seen_at(world, stage, options, {1.5, 0.7, 0}));
  CHECK(water.b > water.r + 40);
  CHECK(crate.r > crate.b + 40);
  CHECK(air.sum() > 600);
}

TEST_CASE("the colour of particles follows the field and the range") {
  World world = one_particle(Vec3f::Zero(), 0.5f);
  RenderOptions options = small_picture();
  const auto colour_at = [&](double top) {
    options.range_min = 0, options.range_max = top;
    const Stage stage = set_stage(world.objects, {world.frame}, options);
    return pixel(render_frame(world.objects, world.frame, stage, options),
                 seen_at(world, stage, options, {0, 0.2, 0}));
  };
  world.frame.liquids[0].fields[0].values = {3, 0, 4};  // 5 m/s
  const Rgb fast = colour_at(5), slow = colour_at(100);
  CHECK(fast.r > slow.r + 80);
  CHECK(slow.b > slow.r + 50);
  options.colour_by = ColourBy::pressure;
  world.frame.liquids[0].fields[1].values = {1000};
  const Rgb high = colour_at(1000), low = colour_at(1e6);
  CHECK(high.r > high.b + 80);  // yellow
  CHECK(low.b > low.g + 20);    // violet
}

TEST_CASE("particles that are nowhere are skipped") {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  World world = one_particle(Vec3f::Zero(), 0.5f), broken = world;
  for (const Vec3f& bad : {Vec3f(nan, 0, 0), Vec3f(0, inf, 0), Vec3f(0, 0, -inf)}) {
    broken.frame.liquids[0].position.push_back(bad);
    broken.frame.liquids[0].fields[1].values.push_back(0);
    for (int k = 0; k < 3; ++k) broken.frame.liquids[0].fields[0].values.push_back(nan);
  }
  const RenderOptions options = small_picture();
  const auto draw = [&](const World& w) {
    return render_frame(w.objects, w.frame, set_stage(w.objects, {w.frame}, options), options);
  };
  CHECK(draw(world).rgb == draw(broken).rgb);
}

TEST_CASE("a body whose pose is not finite is skipped") {
  World world = examples::tower(14), broken = world;
  examples::add_copy(broken,
                     {.position = Vec3::Constant(std::numeric_limits<double>::quiet_NaN())});
  const RenderOptions options = small_picture();
  const Stage stage = set_stage(broken.objects, {broken.frame}, options);
  CHECK(render_frame(world.objects, world.frame, stage, options).rgb ==
        render_frame(broken.objects, broken.frame, stage, options).rgb);
}

TEST_CASE("an empty frame gives a light, empty stage") {
  const World world;
  const RenderOptions options = small_picture();
  const Image image =
      render_frame(world.objects, world.frame, set_stage(world.objects, {}, options), options);
  REQUIRE(image.rgb.size() == 3u * 160 * 90);
  for (const std::uint8_t v : image.rgb) CHECK(v > 180);
}

TEST_CASE("a scene a thousand kilometres from the origin looks like the one at the origin") {
  World here = examples::tower(56), there = here;
  for (BodyFrame& body : there.frame.bodies) body.pose.position += Vec3(1e6, -2e6, 3e6);
  const RenderOptions options = small_picture();
  const auto draw = [&](const World& w) {
    return render_frame(w.objects, w.frame, set_stage(w.objects, {w.frame}, options), options);
  };
  const Image a = draw(here), b = draw(there);
  double difference = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) difference += std::abs(a.rgb[i] - b.rgb[i]);
  // Doubles leave 1e-10 m there, but single rays on edges may fall to the other side.
  CHECK(difference / static_cast<double>(a.rgb.size()) < 0.5);
}

TEST_CASE("the legend draws only into the lower corners") {
  const World world = one_particle(Vec3f::Zero(), 0.5f);
  RenderOptions options;
  options.width = 480, options.height = 270, options.samples = 1;
  const Stage stage = set_stage(world.objects, {world.frame}, options);
  const Image with = render_frame(world.objects, world.frame, stage, options);
  options.legend = false;
  const Image without = render_frame(world.objects, world.frame, stage, options);
  int left = 0, right = 0, elsewhere = 0;
  for (int y = 0; y < 270; ++y)
    for (int x = 0; x < 480; ++x) {
      const std::size_t i = 3 * (static_cast<std::size_t>(y) * 480 + x);
      if (with.rgb[i] == without.rgb[i]) continue;
      ++(y < 220 ? elsewhere : x < 100 ? left : x > 380 ? right : elsewhere);
    }
  CHECK(left > 50);
  CHECK(right > 200);
  CHECK(elsewhere == 0);
}
