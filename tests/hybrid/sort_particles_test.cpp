#include "hybrid/sort_particles.h"

#include "hydrolith/error.h"

#include "particles_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace hydrolith;
using namespace hydrolith::hybrid;

TEST_CASE("sorting puts every particle with all it carries into its cell, in the old order") {
  for (int dimensions : {2, 3}) {
    const LiquidParticles old = random_particles(dimensions, 0.1, 11);
    LiquidParticles p = old;
    TileGrid grid(0.1, dimensions);
    grid.cover(p.x);
    ParticleSorter sorter;
    for (int again = 0; again < 2; ++again) {  // a sorted set stays as it is
      sorter.sort(grid, p);
      const auto first = sorter.first();
      REQUIRE(first.size() == grid.cells() + 1);
      CHECK(first.back() == p.size());
      for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
        REQUIRE(first[cell] <= first[cell + 1]);
        for (std::size_t n = first[cell]; n < first[cell + 1]; ++n) {
          REQUIRE(grid.find_cell(grid.cell_of(p.x[n])) == static_cast<std::int32_t>(cell));
          if (n > first[cell]) REQUIRE(p.id[n - 1] < p.id[n]);
          const std::size_t k = p.id[n];
          REQUIRE((p.x[n] == old.x[k] && p.v[n] == old.v[k] && p.c[n] == old.c[k] &&
                   p.volume[n] == old.volume[k] && p.pressure[n] == old.pressure[k] &&
                   p.liquid[n] == old.liquid[k]));
        }
      }
      std::vector<std::uint32_t> ids = p.id;
      std::sort(ids.begin(), ids.end());
      CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
    }
  }
}

TEST_CASE("sorting gives the same bits with one and two threads") {
  const auto [one, two] = with_one_and_two_threads([] {
    LiquidParticles p = random_particles(3, 0.1, 12);
    TileGrid grid(0.1, 3);
    grid.cover(p.x);
    ParticleSorter sorter;
    sorter.sort(grid, p);
    return p;
  });
  CHECK(same(one, two));
}

TEST_CASE("sorting no particles gives an empty table, one outside the grid is an error") {
  TileGrid grid(0.1, 3);
  LiquidParticles p;
  ParticleSorter sorter;
  sorter.sort(grid, p);
  CHECK(sorter.first().size() == 1);
  p.add(0, Vec3::Zero(), Vec3::Zero(), 1);
  CHECK_THROWS_AS(sorter.sort(grid, p), Error);
  grid.cover(p.x);
  p.x[0].x() = 5;
  CHECK_THROWS_AS(sorter.sort(grid, p), Error);
}
