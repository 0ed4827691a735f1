// Liquid in gaps narrower than a cell: uplift under bodies that lie flat, by the rule of film/.

#include "small_hybrid_run.h"
#include "submerged.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;
using namespace hydrolith::hybrid;
using hydrolith::hybrid::test::SmallRun;

namespace {

constexpr double g = 9.81, rho = 1000, dt = 0.002, edge = hydrolith::test::block_edge;

std::string submerged(double density, double gap, const std::string& more = "") {
  return hydrolith::test::submerged("engine: hybrid", density, gap, more);
}

double push(const SmallRun& run) { return run.s.forces[1].pressure.force.y(); }

}  // namespace

TEST_CASE("on the grid a block flat on the floor has its buoyancy") {
  SmallRun heavy(submerged(1500, 0));
  heavy.advance(20, dt);
  CHECK(push(heavy) == doctest::Approx(rho * g * edge * edge).epsilon(0.02));
  CHECK(heavy.last.film_area > 0.5 * edge);
  SmallRun sealed(submerged(1500, 0, ", seal: true"));
  sealed.advance(20, dt);
  CHECK(push(sealed) < 0);
  CHECK(sealed.last.film_area == 0);
}

TEST_CASE("on the grid a light block rises from the floor, and from half a cell and one above it") {
  for (const double gap : {0.0, 0.01, 0.02}) {
    CAPTURE(gap);
    SmallRun light(submerged(500, gap));
    const double start = light.s.bodies.x[1].y();
    light.advance(50, dt);
    const double height = light.s.bodies.x[1].y() - start;
    CHECK(height > 0.007);
    CHECK(height < 0.025);
  }
}
