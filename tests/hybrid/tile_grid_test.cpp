#include "hybrid/tile_grid.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace hydrolith;
using hydrolith::hybrid::Cell3;
using hydrolith::hybrid::TileGrid;

TEST_CASE("a tile grid exists around its points and nowhere else") {
  for (int dimensions : {2, 3}) {
    TileGrid grid(0.5, dimensions);
    grid.cover(std::vector<Vec3>{Vec3(0.1, 0.1, 0), Vec3(100.1, -0.1, 0)});
    CHECK(grid.tiles() == 2 * (dimensions == 3 ? 27 : 9));
    CHECK(grid.find_cell(Cell3(0, 0, 0)) != TileGrid::none);
    CHECK(grid.find_cell(Cell3(-8, 15, 0)) != TileGrid::none);
    CHECK(grid.find_cell(Cell3(16, 0, 0)) == TileGrid::none);
  }
}

TEST_CASE("indices and coordinates of a tile grid are each other's inverse, neighbours adjoin") {
  for (int dimensions : {2, 3}) {
    TileGrid grid(0.25, dimensions);
    grid.cover(std::vector<Vec3>{Vec3(-0.1, 0.1, dimensions == 3 ? -3.0 : 0.0)});
    for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
      const Cell3 c = grid.coordinates(cell);
      REQUIRE(grid.find_cell(c) == static_cast<std::int32_t>(cell));
      REQUIRE(grid.cell_of(grid.centre(c)) == c);
      for (int axis = 0; axis < dimensions; ++axis)
        for (int step : {-1, 1}) {
          Cell3 n = c;
          n[axis] += step;
          REQUIRE(grid.next(cell, axis, step) == grid.find_cell(n));
        }
    }
  }
}

TEST_CASE("a tile grid does not depend on the order of its points") {
  std::vector<Vec3> points;
  for (int n = 0; n < 200; ++n) points.emplace_back(std::sin(n) * 9, std::cos(3 * n) * 9, n % 7);
  TileGrid a(0.3, 3), b(0.3, 3);
  a.cover(points);
  std::reverse(points.begin(), points.end());
  b.cover(points);
  REQUIRE(a.tiles() == b.tiles());
  for (std::size_t t = 0; t < a.tiles(); ++t) {
    CHECK(a.first_cell(t) == b.first_cell(t));
    CHECK(a.holds_points(t) == b.holds_points(t));
  }
}
