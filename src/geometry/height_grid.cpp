#include "geometry/height_grid.h"

#include "hydrolith/error.h"

#include "geometry/grey_png.h"
#include "geometry/shape_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace hydrolith {

double HeightGrid::height(double px, double pz) const {
  const double gx = std::clamp((px / width + 0.5) * (nx - 1), 0.0, double(nx - 1));
  const double gz = std::clamp((pz / depth + 0.5) * (nz - 1), 0.0, double(nz - 1));
  const int i = std::min(int(gx), nx - 2), j = std::min(int(gz), nz - 2);
  const double u = gx - i, v = gz - j;
  const double low = at(i, j), high = at(i + 1, j + 1);
  if (u >= v) return low + u * (at(i + 1, j) - low) + v * (high - at(i + 1, j));
  return low + v * (at(i, j + 1) - low) + u * (high - at(i, j + 1));
}

double HeightGrid::steepest() const {
  const double dx = width / (nx - 1), dz = depth / (nz - 1);
  double slope = 0;
  for (int j = 0; j + 1 < nz; ++j)
    for (int i = 0; i + 1 < nx; ++i) {
      const double a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      slope = std::max(
          {slope, std::hypot((b - a) / dx, (c - b) / dz), std::hypot((c - d) / dx, (d - a) / dz)});
    }
  return slope;
}

double HeightGrid::highest() const { return *std::max_element(heights.begin(), heights.end()); }

namespace {

void read_text(const HeightFieldShape& shape, HeightGrid& grid) {
  std::ifstream in(shape.file);
  if (!in) throw IoError(fmt::format("{}: cannot open this height field.", shape.file));
  int line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
    std::istringstream words(line);
    int count = 0;
    for (std::string word; words >> word; ++count) {
      char* end = nullptr;
      const double value = std::strtod(word.c_str(), &end);
      if (*end != '\0' || !std::isfinite(value))
        throw MeshError(fmt::format("{}:{}  height field: \"{}\" is not a number.", shape.file,
                                    line_number, word));
      grid.heights.push_back(shape.scale * value);
    }
    if (grid.nz > 0 && count != grid.nx)
      throw MeshError(fmt::format("{}:{}  height field: {} numbers, but the rows above have {}.",
                                  shape.file, line_number, count, grid.nx));
    grid.nx = count;
    ++grid.nz;
  }
}

void read_png(const HeightFieldShape& shape, HeightGrid& grid) {
  const GreyImage image = read_grey_png(shape.file);
  grid.nx = image.width;
  grid.nz = image.height;
  for (const float value : image.pixels) grid.heights.push_back(shape.scale * double(value));
}

// About 400 000 triangles at most. An even number of rows keeps the plane z = 0, where 2D cuts,
// clear of vertices.
void sample_expression(const HeightFieldShape& shape, double resolution, HeightGrid& grid) {
  const double finest = std::sqrt(shape.width * shape.depth / 200000);
  const double step = std::max(0.5 * resolution, finest);
  grid.nx = std::max(2, int(std::ceil(shape.width / step)) + 1);
  grid.nz = std::max(2, (int(std::ceil(shape.depth / step)) + 2) / 2 * 2);
  for (int j = 0; j < grid.nz; ++j)
    for (int i = 0; i < grid.nx; ++i) {
      const std::array<double, 2> at = {grid.x(i), grid.z(j)};
      const double h = shape.height(at);
      if (!std::isfinite(h))
        throw MeshError(fmt::format(
            "height_field: \"{}\" is not a finite number at x = {:.4g} m, z = {:.4g} m.",
            shape.height.text(), at[0], at[1]));
      grid.heights.push_back(h);
    }
}

}  // namespace

HeightGrid tabulate(const HeightFieldShape& shape, double resolution) {
  check(shape);
  HeightGrid grid;
  grid.width = shape.width;
  grid.depth = shape.depth;
  if (shape.file.empty())
    sample_expression(shape, resolution, grid);
  else if (std::filesystem::path(shape.file).extension() == ".png")
    read_png(shape, grid);
  else
    read_text(shape, grid);
  if (grid.nx < 2 || grid.nz < 2)
    throw MeshError(fmt::format("{}: a height field needs at least 2 by 2 numbers, found {} by {}.",
                                shape.file, grid.nx, grid.nz));
  grid.bottom = *std::min_element(grid.heights.begin(), grid.heights.end()) - shape.thickness;
  return grid;
}

}  // namespace hydrolith
