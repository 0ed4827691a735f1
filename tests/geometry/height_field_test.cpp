#include "hydrolith/error.h"

#include "about.h"
#include "geometry/build_mesh.h"
#include "geometry/height_grid.h"
#include "geometry/sdf.h"
#include "shape_cases.h"

#include <png.h>

#include <filesystem>
#include <fstream>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

// A file in the system's folder for such, gone with the test.
struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("hydrolith_height_field_" + name)) {}
  TemporaryFile(const std::string& name, const std::string& text) : TemporaryFile(name) {
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

Expression in_x_and_z(std::string_view text) {
  const std::string_view variables[] = {"x", "z"};
  return Expression::parse(text, "m", {}, variables);
}

std::string error_of(const HeightFieldShape& shape) {
  try {
    build_mesh(shape_of(shape), {.resolution = 0.1});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a height field from an expression has the volume of its integral") {
  const HeightFieldShape slope{.height = in_x_and_z("0.3*x"), .file = {}, .width = 2, .depth = 1};
  const TriangleMesh mesh = build_mesh(shape_of(slope), {.resolution = 0.1});
  REQUIRE(is_closed(mesh));
  // From the bottom at -0.3 - 0.2 up to 0.3 x, whose mean is 0.
  CHECK(volume_of(mesh) == doctest::Approx(0.5 * 2));
  CHECK(bounds(mesh).hi.y() == doctest::Approx(0.3));
  const HeightFieldShape hills{.height = in_x_and_z("0.1*sin(2*pi*x)*cos(2*pi*z)"), .file = {}};
  const TriangleMesh waves = build_mesh(shape_of(hills), {.resolution = 0.02});
  REQUIRE(is_closed(waves));
  CHECK(volume_of(waves) == about(0.3, 0.002));
}

TEST_CASE("a composed height field has the same surface") {
  const HeightFieldShape hills{.height = in_x_and_z("0.1*sin(6*x)*cos(5*z)"), .file = {}};
  const double plain = volume_of(build_mesh(shape_of(hills), {.resolution = 0.05}));
  const double composed =
      volume_of(build_mesh(shape_of(UnionShape{{shape_of(hills)}}), {.resolution = 0.05}));
  CHECK(composed == about(plain, 0.002));
}

TEST_CASE("a height field is read from text with rows along z") {
  const TemporaryFile file("grid.txt", "# x: 0, 1, 2\n0 1 2\n0, 1, 4\n\n");
  const HeightGrid grid =
      tabulate({.height = {}, .file = file.path, .width = 2, .depth = 1, .scale = 0.5}, 0.1);
  CHECK(grid.nx == 3);
  CHECK(grid.nz == 2);
  CHECK(grid.height(1, 0.5) == 2);
  CHECK(grid.height(1, -0.5) == 1);
  CHECK(grid.height(0.5, -0.5) == 0.75);
  CHECK(grid.height(9, 9) == 2);
  CHECK(grid.bottom == doctest::Approx(-0.2));
}

TEST_CASE("a height field is read from a greyscale picture") {
  const TemporaryFile file("ramp.png");
  const std::vector<png_byte> pixels = {0, 51, 255, 0, 102, 255};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 3;
  image.height = 2;
  image.format = PNG_FORMAT_GRAY;
  REQUIRE(png_image_write_to_file(&image, file.path.c_str(), 0, pixels.data(), 0, nullptr));
  const HeightGrid grid = tabulate({.height = {}, .file = file.path, .scale = 2}, 0.1);
  CHECK(grid.nx == 3);
  CHECK(grid.nz == 2);
  CHECK(grid.at(1, 0) == about(0.4, 1e-6));  // 51/255 of 2 m, without gamma
  CHECK(grid.at(1, 1) == about(0.8, 1e-6));
  CHECK(grid.at(2, 1) == about(2, 1e-6));
}

TEST_CASE("bad height fields say where and why") {
  const auto contains = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const TemporaryFile ragged("ragged.txt", "1 2 3\n1 2\n"), words("words.txt", "1 2\n3 high\n"),
      single("single.txt", "1 2 3\n"), broken("broken.png", "not a picture");
  contains(error_of({.height = {}, .file = ragged.path}),
           ":2  height field: 2 numbers, but the rows above have 3");
  contains(error_of({.height = {}, .file = words.path}),
           ":2  height field: \"high\" is not a number");
  contains(error_of({.height = {}, .file = single.path}), "at least 2 by 2 numbers, found 3 by 1");
  contains(error_of({.height = {}, .file = broken.path}), "not a readable PNG");
  contains(error_of({.height = {}, .file = "/nowhere/hills.txt"}),
           "/nowhere/hills.txt: cannot open");
  contains(error_of({.height = {}, .file = "/nowhere/hills.png"}),
           "/nowhere/hills.png: cannot open");
  contains(error_of({.height = in_x_and_z("1/x"), .file = {}, .width = 2}),
           "not a finite number at x = 0");
}
