#include "hybrid/reseed.h"

#include "particles_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace hydrolith;
using namespace hydrolith::hybrid;

namespace {

struct Sample {
  explicit Sample(LiquidParticles of, int dimensions, double dx = 0.1)
      : particles(std::move(of)), grid(dx, dimensions) {
    sort();
  }
  void sort() {
    grid.cover(particles.x);
    sorter.sort(grid, particles);
  }
  ReseedReport run(ReseedOptions options) {
    inside.assign(grid.cells(), 1);
    options.inside = inside;
    return reseed(grid, sorter.first(), options, particles, scratch);
  }
  LiquidParticles particles;
  TileGrid grid;
  ParticleSorter sorter;
  std::vector<char> inside;
  ReseedScratch scratch;
};

struct Totals {
  double volume[2] = {};  // by liquid
  Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero(), centre = Vec3::Zero();
  explicit Totals(const LiquidParticles& p) {
    for (std::size_t n = 0; n < p.size(); ++n) {
      const double m = p.volume[n] * (1 + p.liquid[n]);  // two densities
      volume[p.liquid[n]] += p.volume[n];
      momentum += m * p.v[n];
      angular += m * p.x[n].cross(p.v[n]);
      centre += m * p.x[n];
    }
  }
};

}  // namespace

TEST_CASE("reseeding keeps volume by liquid, momentum and centre of mass") {
  for (int dimensions : {2, 3}) {
    Sample s(random_particles(dimensions, 0.1, 11), dimensions);
    const Totals before(s.particles);
    const std::size_t count = s.particles.size();
    const ReseedReport report = s.run(ReseedOptions::defaults(dimensions));
    CHECK(report.split > 10);
    CHECK(report.merged > 5);
    REQUIRE(s.particles.size() == count + report.split - report.merged);
    const Totals after(s.particles);
    // Round-off of sums of 10^4 terms; all totals of sizes are of the size of one.
    for (int l : {0, 1}) CHECK(std::abs(after.volume[l] - before.volume[l]) < 1e-13);
    CHECK((after.momentum - before.momentum).norm() < 1e-13);
    CHECK((after.centre - before.centre).norm() < 1e-13);
    std::vector<std::uint32_t> ids = s.particles.id;
    std::sort(ids.begin(), ids.end());
    CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
    CHECK(*std::min_element(s.particles.volume.begin(), s.particles.volume.end()) > 0);
  }
}

TEST_CASE("a split gains the angular momentum m d x (c d), a merger of the halves loses it") {
  LiquidParticles p;
  p.add(1, Vec3(0.05, 0.05, 0.05), Vec3(1, 2, 3), 2);
  p.c[0] << 0, -1, 2, 1, 0.5, 0, 3, 0, -0.5;
  p.pressure[0] = 7;
  const LiquidParticles old = p;
  Sample s(p, 3);
  CHECK(s.run({.least = 2}).split == 1);
  const Vec3 d = 0.5 * (s.particles.x[0] - s.particles.x[1]);
  const Vec3 gain = 2 * 2 * d.cross(old.c[0].cast<double>() * d);
  CHECK(d.norm() == doctest::Approx(0.025));
  CHECK(s.particles.pressure[1] == 7);
  // Round-off of numbers of the size of ten.
  CHECK((Totals(s.particles).angular - Totals(old).angular - gain).norm() < 1e-14);
  // Both in one cell again, whichever the halves lie in.
  s.grid = TileGrid(10, 3);
  s.sort();
  CHECK(s.run({.least = 1, .most = 1}).merged == 1);
  CHECK((s.particles.x[0] - old.x[0]).norm() < 1e-15);
  CHECK((s.particles.v[0] - old.v[0]).norm() < 1e-15);
  CHECK(s.particles.c[0] == old.c[0]);
  CHECK(s.particles.volume[0] == old.volume[0]);
  CHECK(s.particles.id[0] == 0);
}

TEST_CASE("splits and mergers leave a linear velocity field as it is") {
  LiquidParticles p = random_particles(3, 0.1, 8);
  Mat3f c;
  c << 0.5f, -2, 1, 2, 0.25f, -0.5f, -1, 0.5f, -0.75f;
  for (std::size_t n = 0; n < p.size(); ++n) p.v[n] = c.cast<double>() * p.x[n], p.c[n] = c;
  Sample s(p, 3);
  const ReseedReport report = s.run({});
  CHECK(report.split + report.merged > 10);
  for (std::size_t n = 0; n < s.particles.size(); ++n) {
    REQUIRE((s.particles.v[n] - c.cast<double>() * s.particles.x[n]).norm() < 1e-15);
    REQUIRE((s.particles.c[n] - c).norm() < 1e-6f);  // float
  }
}

TEST_CASE("counts per cell stay within bounds when the cells are those of the particles") {
  // One cell with three particles, one with twenty, one of the surface with one.
  LiquidParticles p;
  for (int n = 0; n < 3; ++n) p.add(0, Vec3(0.5, 0.4 + 0.1 * n, 0.5), Vec3::Zero(), 1 + n);
  for (int n = 0; n < 20; ++n) p.add(n % 2, Vec3(1.5, 0.04 * n + 0.1, 0.5), Vec3::Zero(), 1);
  p.add(0, Vec3(2.5, 0.5, 0.5), Vec3::Zero(), 1);
  Sample s(p, 3, 1.0);
  std::vector<char> inside(s.grid.cells(), 1);
  inside[static_cast<std::size_t>(s.grid.find_cell(Cell3(2, 0, 0)))] = 0;
  const ReseedReport report =
      reseed(s.grid, s.sorter.first(), {.inside = inside}, s.particles, s.scratch);
  CHECK(report.split == 1);
  CHECK(report.merged == 6);
  CHECK(s.particles.size() == 24 + 1 - 6);
  // The largest was split: none of volume 3 is left, two of 1.5 are there.
  CHECK(std::count(s.particles.volume.begin(), s.particles.volume.end(), 1.5) == 2);
  CHECK(s.particles.next_id == 25);
  // Without marks nothing is split.
  CHECK(reseed(s.grid, s.sorter.first(), {.least = 9, .most = 99}, s.particles, s.scratch).split ==
        0);
}

TEST_CASE("particles of different liquids are never merged") {
  LiquidParticles p;
  for (std::uint32_t n = 0; n < 5; ++n) p.add(n, Vec3(0.05, 0.05, 0.05), Vec3::Zero(), 1);
  Sample s(p, 3);
  CHECK(s.run({.least = 1, .most = 2}).merged == 0);
  CHECK(s.particles.size() == 5);
}

TEST_CASE("reseeding gives the same bits with one and two threads") {
  const auto [one, two] = with_one_and_two_threads([] {
    Sample s(random_particles(3, 0.1, 14), 3);
    s.run({});
    return s.particles;
  });
  CHECK(same(one, two));
}
