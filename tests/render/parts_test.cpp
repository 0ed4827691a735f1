// The renderer's parts: colours, normals, samples, text, files, bad inputs.

#include "hydrolith/error.h"

#include "example_scenes.h"
#include "render/colour.h"
#include "surface/corner_normals.h"
#include "render/overlay.h"
#include "render/render.h"
#include "render/sampler.h"

#include <doctest/doctest.h>
#include <png.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numbers>

using namespace hydrolith;
using examples::World;
namespace fs = std::filesystem;

namespace {

/// An empty folder of this test's own, removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("hydrolith_render_test_" + std::to_string(getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
};

Image read_png(const fs::path& file) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&png, file.c_str()));
  png.format = PNG_FORMAT_RGB;
  Image image{static_cast<int>(png.width), static_cast<int>(png.height),
              std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
  REQUIRE(png_image_finish_read(&png, nullptr, image.rgb.data(), 0, nullptr));
  return image;
}

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the luminance of both colour maps rises from one end to the other") {
  for (const ColourBy what : {ColourBy::speed, ColourBy::pressure}) {
    float last = -1;
    for (int i = 0; i <= 200; ++i) {
      const Colour c = map_colour(what, static_cast<float>(i) / 200);
      CHECK(c.minCoeff() >= 0);
      CHECK(c.maxCoeff() <= 1);
      CHECK(luminance(c) > last);
      last = luminance(c);
    }
  }
  CHECK(speed_colour(-3) == speed_colour(0));
  CHECK(speed_colour(7) == speed_colour(1));
  CHECK(speed_colour(std::nanf("")) == speed_colour(0));
}

TEST_CASE("sRGB and back is the identity on all 256 levels, and tone mapping never leaves 0..1") {
  for (int i = 0; i < 256; ++i)
    CHECK(byte_from_linear(linear_from_srgb(static_cast<float>(i) / 255)) == i);
  CHECK(tone_mapped(Colour(0.5f, 1e6f, -1)).isApprox(Colour(0.5f, 1, 0), 1e-5f));
  CHECK(tone_mapped(Colour::Constant(1.2f)).x() > tone_mapped(Colour::Constant(1.0f)).x());
}

TEST_CASE("bodies keep the colour they are given, up to a variation between copies") {
  BodyInfo info{.name = "a", .colour = {0.2f, 0.4f, 0.1f}};
  const Colour first = body_colour(info, 0), second = body_colour(info, 1);
  CHECK(first != second);
  CHECK(std::abs(luminance(first) / luminance(info.colour) - 1) < 0.35);
  info.kind = BodyKind::fixed;
  CHECK(body_colour(info, 0) == info.colour);
  const BodyInfo one{.name = "b", .object = 0}, other{.name = "c", .object = 1};
  CHECK((body_colour(one, 0) - body_colour(other, 0)).norm() > 0.1);
}

TEST_CASE("every power of two samples is spread evenly over both axes") {
  for (const std::uint32_t seed : {1u, 77u, 12345u})
    for (const int n : {2, 8, 16}) {
      std::vector<int> columns(n, 0), rows(n, 0);
      for (int i = 0; i < n; ++i) {
        const Sample2 s = stratified(static_cast<std::uint32_t>(i), seed);
        ++columns[static_cast<int>(s.x * static_cast<float>(n))];
        ++rows[static_cast<int>(s.y * static_cast<float>(n))];
      }
      CHECK(std::all_of(columns.begin(), columns.end(), [](int k) { return k == 1; }));
      CHECK(std::all_of(rows.begin(), rows.end(), [](int k) { return k == 1; }));
    }
}

TEST_CASE("a box keeps flat faces and twelve edges, a sphere gets radial normals and no edge") {
  const double crease = 35 * std::numbers::pi / 180;
  const SurfaceMesh box = examples::box_mesh({1, 2, 3});
  for (const auto& corners : corner_normals(box, crease))
    for (const Vec3f& n : corners) {
      CHECK(n.isApprox(corners[0], 1e-6f));
      CHECK(n.cwiseAbs().maxCoeff() == doctest::Approx(1));
    }
  CHECK(sharp_edges(box, crease).size() == 12);

  SurfaceMesh sphere;
  examples::add_ellipsoid(sphere, Vec3::Zero(), Vec3::Ones(), 32);
  const auto normals = corner_normals(sphere, crease);
  for (std::size_t t = 0; t < normals.size(); ++t)
    for (int k = 0; k < 3; ++k)
      if (!normals[t][k].isZero())  // slivers at the poles
        CHECK(normals[t][k].dot(sphere.vertices[sphere.triangles[t][k]]) >
              0.995f);  // 32 rings: within a facet's 3 degrees
}

TEST_CASE("a picture survives the way through a PNG file, and nothing else is left behind") {
  const Folder folder;
  Image image{37, 19, std::vector<std::uint8_t>(3 * 37 * 19)};
  for (std::size_t i = 0; i < image.rgb.size(); ++i)
    image.rgb[i] = static_cast<std::uint8_t>(hash(static_cast<std::uint32_t>(i)));
  const fs::path file = folder.path / "picture.png";
  write_png(file, image);
  write_png(file, image);  // over an existing one
  const Image back = read_png(file);
  CHECK(back.width == 37);
  CHECK(back.height == 19);
  CHECK(back.rgb == image.rgb);
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("a picture that cannot be written says where and why") {
  const Folder folder;
  const Image image{1, 1, {1, 2, 3}};
  const fs::path nowhere = folder.path / "missing" / "picture.png";
  CHECK_THROWS_AS(write_png(nowhere, image), IoError);
  const std::string message = message_of([&] { write_png(nowhere, image); });
  CHECK(has(message, nowhere.c_str()));
  CHECK(has(message, "No such file"));
  fs::create_directory(folder.path / "folder.png");
  std::ofstream(folder.path / "folder.png" / "x") << "x";
  CHECK_THROWS_AS(write_png(folder.path / "folder.png", image), IoError);
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
  CHECK_THROWS_AS(write_png(folder.path / "a.png", Image{2, 2, {1, 2, 3}}), Error);
}

TEST_CASE("a missing field is an error that names the fields there are") {
  World world;
  world.objects.spacing = 0.1;
  examples::add_liquid(world, {Vec3f::Zero()}, {Vec3f::Zero()});
  world.frame.liquids[0].fields.erase(world.frame.liquids[0].fields.begin() + 1);
  RenderOptions options;
  options.colour_by = ColourBy::pressure;
  const std::string message = message_of([&] { set_stage(world.objects, {world.frame}, options); });
  CHECK(has(message, "\"water\""));
  CHECK(has(message, "no field \"pressure\""));
  CHECK(has(message, "written fields: velocity"));
  options.colour_by = ColourBy::body;
  CHECK_NOTHROW(set_stage(world.objects, {world.frame}, options));
}

TEST_CASE("bad inputs are refused with a reason") {
  const World good = examples::tower(2);
  const auto refusal = [&](const auto& spoil) {
    World world = good;
    RenderOptions options;
    options.width = 32, options.height = 18, options.samples = 1;
    Stage stage = set_stage(world.objects, {world.frame}, options);
    spoil(world, stage, options);
    return message_of([&] { render_frame(world.objects, world.frame, stage, options); });
  };
  CHECK(refusal([](auto&, auto&, auto&) {}) == "no error");
  CHECK(has(refusal([](auto&, auto&, auto& o) { o.width = 0; }), "width and height"));
  CHECK(has(refusal([](auto&, auto&, auto& o) { o.height = 1 << 20; }), "width and height"));
  CHECK(has(refusal([](auto&, auto&, auto& o) { o.samples = 0; }), "samples"));
  CHECK(has(refusal([](auto&, auto&, auto& o) { o.particle_radius = -1; }), "particle_radius"));
  CHECK(has(refusal([](auto&, Stage& s, auto&) { s.camera.from = s.camera.to; }), "two different"));
  CHECK(
      has(refusal([](auto&, Stage& s, auto&) { s.camera.field_of_view = 180; }), "field_of_view"));
  CHECK(has(refusal([](World& w, auto&, auto&) { w.objects.up.setZero(); }), "up"));
  CHECK(has(refusal([](World& w, auto&, auto&) { w.frame.bodies.pop_back(); }),
            "1 bodies, the run 0 and 2"));
  CHECK(has(refusal([](World& w, auto&, auto&) { w.objects.bodies[0].mesh = 9; }), "names mesh 9"));
  CHECK(has(refusal([](World& w, auto&, auto&) { w.objects.meshes[0].triangles[0][1] = 99; }),
            "names vertex 99"));
  CHECK(has(refusal([](World& w, auto&, auto&) {
              examples::add_liquid(w, {Vec3f::Zero()}, {Vec3f::Zero()});
            }),
            "spacing must be positive"));
  CHECK(has(refusal([](World& w, auto&, auto&) {
              w.objects.spacing = 1;
              examples::add_liquid(w, {Vec3f::Zero()}, {Vec3f::Zero()});
              w.frame.liquids[0].fields[0].values.pop_back();
            }),
            "2 values for 1 particles"));
}

TEST_CASE("every letter of the legend has strokes") {
  for (const char c : std::string("t=0123456789.s-+e[m/s]speedpressurePa"))
    CHECK_FALSE(glyph_strokes(c).empty());
  CHECK(text_width("11", 12) < text_width("111", 12));
  CHECK(text_width("", 12) == 0);
}
