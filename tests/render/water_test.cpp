// Liquids drawn as surfaces to look through.

#include "hydrolith/error.h"

#include "core/parallel.h"
#include "example_scenes.h"
#include "render/render.h"

#include <doctest/doctest.h>

#include <array>

using namespace hydrolith;
using examples::World;

namespace {

/// A blue block of liquid, 0.4 m in each direction, in front of a wall of the given colour.
World block_before_wall(const Vec3f& wall) {
  World world;
  world.objects.spacing = 0.05;
  std::vector<Vec3f> x;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 8; ++k)
        x.emplace_back(0.05f * (static_cast<float>(i) - 3.5f),
                       0.05f * (static_cast<float>(j) - 3.5f),
                       0.05f * (static_cast<float>(k) - 3.5f));
  examples::add_liquid(world, x, std::vector<Vec3f>(x.size(), Vec3f::Zero()));
  world.objects.liquids[0].colour = {0.05f, 0.2f, 0.8f};
  BodyInfo info;
  info.name = "wall";
  info.colour = wall;
  examples::add_body(world, examples::box_mesh(Vec3(1.2, 1.2, 0.1)), info,
                     Pose{Vec3(0, 0, -0.6), Quat::Identity()});
  return world;
}

RenderOptions options_of(LiquidLook look) {
  RenderOptions options;
  options.width = 64, options.height = 64, options.samples = 4;
  options.legend = options.ground = false;
  options.colour_by = ColourBy::body;
  options.liquid = look;
  options.camera = Camera{{0, 0, 3}, {0, 0, 0}, 30};
  return options;
}

Image picture(const World& world, const RenderOptions& options) {
  return render_frame(world.objects, world.frame, set_stage(world.objects, {world.frame}, options),
                      options);
}

/// Red, green, blue in the middle of the picture.
std::array<int, 3> middle(const Image& image) {
  const std::size_t at = 3 * (32 * 64 + 32);
  return {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
}

}  // namespace

TEST_CASE("what lies behind a liquid is seen through it in the liquid's colour") {
  const auto red =
      middle(picture(block_before_wall({0.9f, 0.05f, 0.05f}), options_of(LiquidLook::surface)));
  const auto white =
      middle(picture(block_before_wall({0.9f, 0.9f, 0.9f}), options_of(LiquidLook::surface)));
  const auto spheres =
      middle(picture(block_before_wall({0.9f, 0.05f, 0.05f}), options_of(LiquidLook::particles)));
  // A white wall sends more green and blue through the liquid than a red one; red fades most.
  CHECK(white[1] > red[1] + 10);
  CHECK(white[2] > red[2] + 10);
  CHECK(white[2] > white[0]);
  // Spheres hide the wall.
  CHECK(spheres[2] > spheres[0] + 30);
}

TEST_CASE("a picture of a surface has the same bits for any number of threads") {
  const World world = block_before_wall({0.9f, 0.4f, 0.1f});
  set_threads(1);
  const Image one = picture(world, options_of(LiquidLook::surface));
  set_threads(3);
  const Image three = picture(world, options_of(LiquidLook::surface));
  set_threads(0);
  CHECK(one.rgb == three.rgb);
}

TEST_CASE("a surface is coloured by speed or body; pressure is refused") {
  const World world = block_before_wall({0.9f, 0.4f, 0.1f});
  RenderOptions options = options_of(LiquidLook::surface);
  options.colour_by = ColourBy::pressure;
  options.range_min = 0, options.range_max = 1;
  CHECK_THROWS_AS(picture(world, options), Error);
}
