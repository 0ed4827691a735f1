#include "geometry/distance_grid.h"

#include "hydrolith/error.h"

#include "about.h"
#include "core/parallel.h"
#include "test_meshes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

/// Largest difference to the exact distance at points within `near` of the surface.
double worst_error(const TriangleMesh& mesh, double spacing, double near) {
  const MeshDistance exact(mesh);
  const DistanceGrid grid(exact, bounds(mesh), {.spacing = spacing, .band = 0.35});
  std::mt19937 random(1);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 x = random_point(random, bounds(mesh).grown(near));
    const auto y = exact.closest(x, near);
    if (!y) continue;
    const double d = (x - y->point).dot(y->normal) < 0 ? -y->distance : y->distance;
    worst = std::max(worst, std::abs(grid(x) - d));
  }
  return worst;
}

}  // namespace

TEST_CASE("near a smooth surface the error of the grid falls with the square of its spacing") {
  const TriangleMesh mesh = sphere_mesh(40, 1);
  const double coarse = worst_error(mesh, 0.16, 0.05), fine = worst_error(mesh, 0.08, 0.05);
  // Trilinear interpolation: at most 3/8 of spacing^2 times the largest curvature, 1 / 0.95 m.
  CHECK(coarse < 0.16 * 0.16 * 3 / 8 / 0.95 * 1.1);
  CHECK(coarse / fine == about(4, 0.2));
}

TEST_CASE("the sign of the grid is right everywhere, stored or not") {
  for (const TriangleMesh& mesh :
       {torus_mesh(1, 0.4, 60, 30), box_mesh(Vec3(2, 1, 1.5)), sphere_mesh(6, 1.5)}) {
    const double spacing = 0.05;
    const MeshDistance exact(mesh);
    const DistanceGrid grid(exact, bounds(mesh), {.spacing = spacing, .band = 0.1});
    CHECK(grid.stored_blocks() < grid.blocks());
    std::mt19937 random(2);
    int wrong = 0, deep = 0;
    for (int i = 0; i < 5000; ++i) {
      const Vec3 x = random_point(random, bounds(mesh).grown(1));
      const double d = exact.signed_distance(x), g = grid(x);
      // Within one cell of a sharp edge the interpolated surface may pass on the other side.
      if (std::abs(d) > spacing) wrong += (d < 0) != (g < 0);
      deep += d < -grid.band();
      if (std::abs(d) > grid.band() + 2 * spacing) wrong += std::abs(g) != grid.band();
    }
    CHECK(wrong == 0);
    CHECK(deep > 100);
  }
}

TEST_CASE("the gradient of the grid is the derivative of its interpolant") {
  const TriangleMesh mesh = torus_mesh(1, 0.4, 60, 30);
  const DistanceGrid grid(MeshDistance(mesh), bounds(mesh), {.spacing = 0.1, .band = 0.2});
  std::mt19937 random(3);
  const double step = 1e-6;
  int compared = 0;
  for (int i = 0; i < 500; ++i) {
    const Vec3 x = random_point(random, bounds(mesh).grown(0.1));
    const Vec3 in_cell = (x - grid.box().lo) / grid.spacing();
    const Vec3 t = in_cell.array() - in_cell.array().floor();
    if (t.minCoeff() < 1e-3 || t.maxCoeff() > 1 - 1e-3) continue;  // kinks between cells
    const Vec3 gradient = grid.sample(x).gradient;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 dx = step * Vec3::Unit(axis);
      // Exactly linear along an axis within a cell: rounding over the step is left.
      const double by_difference = (grid(x + dx) - grid(x - dx)) / (2 * step);
      CHECK(std::abs(by_difference - gradient[axis]) < 1e-9);
    }
    ++compared;
  }
  CHECK(compared > 400);
}

TEST_CASE("the grid is continuous across the borders of its blocks") {
  const TriangleMesh mesh = sphere_mesh(20, 1);
  const DistanceGrid grid(MeshDistance(mesh), bounds(mesh), {.spacing = 0.04, .band = 0.1});
  std::mt19937 random(4);
  double worst = 0;
  const double step = 1e-9;
  for (int i = 0; i < 5000; ++i) {
    Vec3 x = random_point(random, grid.box());
    const double width = 8 * grid.spacing();
    x[0] = grid.box().lo[0] + width * std::round((x[0] - grid.box().lo[0]) / width);
    worst =
        std::max(worst, std::abs(grid(x + step * Vec3::UnitX()) - grid(x - step * Vec3::UnitX())));
  }
  CHECK(worst < 1e-7);  // single precision of the nodes
}

TEST_CASE("an inside-out mesh is solid all around and beyond the grid") {
  TriangleMesh mesh = box_mesh();
  turn_inside_out(mesh);
  const DistanceGrid grid(MeshDistance(mesh), bounds(mesh), {.spacing = 0.05, .band = 0.1});
  CHECK(grid(Vec3::Zero()) == doctest::Approx(0.1));
  CHECK(grid(Vec3(0, 0, 5)) == doctest::Approx(-0.1));
  CHECK(grid(Vec3(0.45, 0, 0)) == about(0.05, 1e-6));
}

TEST_CASE("a grid has the same bits for any number of threads") {
  const TriangleMesh mesh = torus_mesh(1, 0.4, 40, 20, 0.3);
  const MeshDistance exact(mesh);
  const DistanceGrid::Options options{.spacing = 0.05, .band = 0.1};
  set_threads(1);
  const DistanceGrid one(exact, bounds(mesh), options);
  set_threads(0);
  const DistanceGrid all(exact, bounds(mesh), options);
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 x = random_point(random, bounds(mesh));
    REQUIRE(one(x) == all(x));
  }
}

TEST_CASE("a grid that makes no sense is refused") {
  const MeshDistance exact(box_mesh());
  const Box3 box{Vec3::Constant(-0.5), Vec3::Constant(0.5)};
  CHECK_THROWS_WITH_AS(DistanceGrid(exact, box, {.spacing = 0, .band = 1}),
                       doctest::Contains("positive spacing"), Error);
  CHECK_THROWS_WITH_AS(DistanceGrid(exact, box, {.spacing = 1e-5, .band = 1e-4}),
                       doctest::Contains("wider spacing"), Error);
}
