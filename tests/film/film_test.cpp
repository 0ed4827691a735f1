// Films in narrow gaps against closed answers: what a fully wet film lifts, what one with a dry rim
// does, and where there is none.

#include "film/film.h"

#include "geometry/test_meshes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;

namespace {

constexpr double h = 0.02, length = 0.2, height = 0.1, gravity = 9.81, rho = 1000;

Polygons rectangle(double w, double t) {
  return {{{{-w / 2, -t / 2}, {w / 2, -t / 2}, {w / 2, t / 2}, {-w / 2, t / 2}}}};
}

/// A block `gap` [m] above a floor at y = 0, in the plane. Liquid 0 lies on its left, 1 on its
/// right, 2 on top, each if wanted.
struct Block {
  Polygons block = rectangle(length, height), floor = rectangle(2, 0.2);
  SurfaceIndex block_index{block}, floor_index{floor};
  FilmShape shape{block, h};
  Film film;
  std::vector<FilmSolid> solids;
  std::vector<double> pressure = {0, 0, 0};
  double level = height / 2;  // [m] above the floor: where pressures are

  explicit Block(double gap, bool seals = false) {
    const Vec3 at(0, height / 2 + gap, 0);
    solids = {{&floor_index, nullptr, {Vec3(0, -0.1, 0), Quat::Identity()}, Vec3(0, -0.1, 0)},
              {&block_index, &shape, {at, Quat::Identity()}, at, seals}};
  }
  bool find(bool left, bool right) {
    const bool found = film.find_gaps({.h = h, .gravity = {0, -gravity, 0}}, solids);
    const Vec3 at = solids[1].pose.position;
    std::vector<WetSurface> wet = {{2, 1, at + Vec3(0, height / 2, 0), Vec3(0, -length, 0)}};
    for (double y = -height / 2 + h / 2; y < height / 2; y += h) {
      if (left) wet.push_back({0, 1, at + Vec3(-length / 2, y, 0), Vec3(h, 0, 0)});
      if (right) wet.push_back({1, 1, at + Vec3(length / 2, y, 0), Vec3(-h, 0, 0)});
    }
    film.fill(wet, [&](std::uint32_t j) -> RimLiquid {
      return {Vec3(j == 0 ? -length / 2 : length / 2, level, 0), rho, pressure[j]};
    });
    return found;
  }
  Vec6 wrench(std::size_t body) const {
    Vec6 w = film.loads()[body];
    for (const FilmLink& link : film.links())
      if (link.body == body) w += pressure[link.liquid] * link.value;
    return w;
  }
};

}  // namespace

TEST_CASE("a film with liquid all round carries the pressure at the floor") {
  for (const double gap : {0.0, 0.5 * h, h}) {
    CAPTURE(gap);
    Block b(gap);
    b.level = 0.05;
    b.pressure = {rho * gravity * 0.45, rho * gravity * 0.45, 3000};  // water 0.5 m deep
    CHECK(b.find(true, true));
    const double force = rho * gravity * (0.5 - gap) * length;
    CHECK(b.wrench(1)[1] == doctest::Approx(force).epsilon(1e-9));
    CHECK(b.wrench(1)[5] == doctest::Approx(0).epsilon(1e-9));
    CHECK(b.wrench(0)[1] == doctest::Approx(-force).epsilon(1e-9));
    CHECK(b.film.area() == doctest::Approx(length));
    CHECK(b.film.volume() == doctest::Approx(gap * length));
  }
}

TEST_CASE("towards a dry rim pressure falls linearly") {
  Block b(0);
  b.pressure = {5000, 0, 0};
  b.level = 0;
  b.find(true, false);
  const double force = 0.5 * 5000 * length;
  CHECK(b.wrench(1)[1] == doctest::Approx(force).epsilon(0.005));
  // Its resultant lies a third of the length from the wet rim.
  CHECK(b.wrench(1)[5] == doctest::Approx(-force * length / 6).epsilon(0.02));
  CHECK(b.wrench(1)[0] == doctest::Approx(0));
}

TEST_CASE("there is no film where nothing is wet, where a body seals, or where the gap is wide") {
  Block dry(0);
  dry.pressure = {5000, 5000, 5000};
  CHECK(dry.find(false, false));
  CHECK(dry.film.links().empty());
  CHECK(dry.film.area() == 0);
  Block sealed(0, true);
  sealed.find(true, true);
  CHECK(sealed.film.links().empty());
  Block wide(1.3 * h);
  CHECK(!wide.find(true, true));
}

TEST_CASE("what liquid wets already is not pushed twice") {
  Block b(0.5 * h);
  b.pressure = {5000, 5000, 0};
  b.level = 0.5 * h;
  b.film.find_gaps({.h = h, .gravity = {0, -gravity, 0}}, b.solids);
  const Vec3 at = b.solids[1].pose.position;
  std::vector<WetSurface> wet;
  for (const double side : {-1.0, 1.0}) {
    const std::uint32_t j = side < 0 ? 0 : 1;
    wet.push_back(
        {j, 1, at + Vec3(side * length / 2, -height / 2 + h / 2, 0), Vec3(-side * h, 0, 0)});
    // Cells that reach under the block by 1.7 spacings.
    const double x = side * (length / 2 - 0.85 * h);
    wet.push_back({j, 1, at + Vec3(x, -height / 2, 0), Vec3(0, 1.7 * h, 0)});
  }
  b.film.fill(wet, [&](std::uint32_t j) -> RimLiquid {
    return {Vec3(0, b.level, 0), rho, b.pressure[j]};
  });
  CHECK(b.film.area() == doctest::Approx(length - 3.4 * h));
  CHECK(b.wrench(1)[1] == doctest::Approx(5000 * (length - 3.4 * h)));
}

TEST_CASE("in space a film wet all round continues a linear pressure") {
  const TriangleMesh block = test::box_mesh({0.16, 0.08, 0.12}),
                     floor = test::box_mesh({1, 0.2, 1});
  const SurfaceIndex block_index(block), floor_index(floor);
  const FilmShape shape(block, h);
  double total = 0;
  for (const FilmShape::Piece& p : shape.pieces()) total += p.size();
  CHECK(total == doctest::Approx(2 * (0.16 * 0.08 + 0.08 * 0.12 + 0.16 * 0.12)));
  const Vec3 at(0, 0.04, 0);
  const std::vector<FilmSolid> solids = {
      {&floor_index, nullptr, {Vec3(0, -0.1, 0), Quat::Identity()}, Vec3(0, -0.1, 0)},
      {&block_index, &shape, {at, Quat::Identity()}, at}};
  Film film;
  CHECK(film.find_gaps({.h = h}, solids));
  std::vector<WetSurface> wet;
  std::vector<Vec3> x;
  for (const FilmShape::Piece& p : shape.pieces()) {
    if (p.side == 3) continue;  // the underside
    wet.push_back({static_cast<std::uint32_t>(x.size()), 1, at + p.centre, -p.area});
    x.push_back(at + p.centre);
  }
  film.fill(wet, [&](std::uint32_t j) -> RimLiquid { return {x[j], rho, 0}; });
  const auto p = [](const Vec3& y) { return 2000 + 9000 * y.x() - 4000 * y.z(); };
  Vec6 w = Vec6::Zero();
  for (const FilmLink& link : film.links())
    if (link.body == 1) w += p(x[link.liquid]) * link.value;
  const double area = 0.16 * 0.12;
  CHECK(w[1] == doctest::Approx(2000 * area).epsilon(0.01));
  // Moments of p over the underside: sum of p (x, z) dA.
  CHECK(w[5] == doctest::Approx(9000 * area * 0.16 * 0.16 / 12).epsilon(0.03));
  CHECK(w[3] == doctest::Approx(4000 * area * 0.12 * 0.12 / 12).epsilon(0.03));
}
