#include "hybrid/advect.h"

#include "particles_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace hydrolith;
using namespace hydrolith::hybrid;

namespace {

struct Sample {
  explicit Sample(int dimensions, int cells = 10)
      : particles(random_particles(dimensions, 0.1, cells)), grid(0.1, dimensions) {
    grid.cover(particles.x);
    sorter.sort(grid, particles);
  }
  std::vector<Vec3> advected(const FaceField& u, double dt) const {
    std::vector<Vec3> x = particles.x;
    advect(grid, u, dt, x, sorter.first());
    return x;
  }
  LiquidParticles particles;
  TileGrid grid;
  ParticleSorter sorter;
};

Vec3 turn(const Vec3& x) { return {-x.y(), x.x(), 0}; }

}  // namespace

TEST_CASE("a constant field moves every point by u dt, in one substep or several") {
  for (int dimensions : {2, 3}) {
    const Sample s(dimensions);
    const Vec3 u(0.3, -0.4, dimensions == 3 ? 0.2 : 0);
    const FaceField field = faces_of(s.grid, [&](const Vec3&) { return u; });
    for (double dt : {0.1, 0.9, 1.2}) {  // up to 4.8 cells
      const std::vector<Vec3> x = s.advected(field, dt);
      for (std::size_t n = 0; n < x.size(); ++n)
        REQUIRE((x[n] - s.particles.x[n] - dt * u).norm() < 1e-14);  // round-off of numbers below 2
    }
  }
}

TEST_CASE("rotation keeps the radius to third order") {
  for (int dimensions : {2, 3}) {
    const Sample s(dimensions);
    const FaceField field = faces_of(s.grid, turn);  // linear: interpolated exactly
    double last = 0;
    for (double dt : {0.06, 0.03, 0.015}) {  // less than a cell at 1.6 m: one substep
      const std::vector<Vec3> x = s.advected(field, dt);
      double worst = 0, off = 0;
      const Mat3 exact = Eigen::AngleAxisd(dt, Vec3::UnitZ()).toRotationMatrix();
      for (std::size_t n = 0; n < x.size(); ++n) {
        const double r = s.particles.x[n].head<2>().norm();
        worst = std::max(worst, std::abs(x[n].head<2>().norm() / r - 1));
        off = std::max(off, (x[n] - exact * s.particles.x[n]).norm() / r);
      }
      // |R(i t)|^2 = (1 - t^2/2)^2 + (t - t^3/6)^2 = 1 - t^4/12 + ...: the radius changes by t^4/24
      // a step, the place by t^4/24 too: third order over a fixed time.
      CHECK(worst < 1.01 * std::pow(dt, 4) / 24);
      CHECK(off < 1.01 * std::pow(dt, 4) / 24 * std::sqrt(2));
      if (last > 0) CHECK(last / worst > 15.5);  // 16 when halved
      last = worst;
    }
  }
}

TEST_CASE(
    "what is fast within a tile equals the velocity found by a search, beyond its reach too") {
  for (int dimensions : {2, 3}) {
    const Sample s(dimensions);
    const FaceField field = faces_of(s.grid, [](const Vec3& x) {
      return Vec3(std::sin(9 * x.y()), std::cos(7 * x.x()), std::sin(5 * x.x() * x.z()));
    });
    const double fastest = largest(field);
    for (double cells : {0.9, 4.5, 11.0}) {  // 11: past the neighbouring tiles' copies
      const double dt = cells * s.grid.dx() / fastest;
      const int substeps = static_cast<int>(std::ceil(cells));
      const double h = dt / substeps;
      const std::vector<Vec3> x = s.advected(field, dt);
      for (std::size_t n = 0; n < x.size(); n += 7) {
        Vec3 at = s.particles.x[n];
        const auto u = [&](const Vec3& y) { return velocity_at(s.grid, field, y); };
        for (int k = 0; k < substeps; ++k) {
          const Vec3 k1 = u(at), k2 = u(at + 0.5 * h * k1), k3 = u(at + 0.75 * h * k2);
          at += h / 9 * (2 * k1 + 3 * k2 + 4 * k3);
        }
        REQUIRE((x[n] - at).norm() < 1e-13);  // round-off, grown by the flow over 11 substeps
      }
    }
  }
}

TEST_CASE("moving gives the same bits with one and two threads") {
  const auto [one, two] = with_one_and_two_threads([] {
    const Sample s(3, 14);
    return s.advected(faces_of(s.grid, turn), 0.3);
  });
  CHECK(one == two);
}

TEST_CASE("the largest value of a field counts whatever its sign and axis") {
  FaceField field{std::vector<double>(9000, 1), std::vector<double>(9000, 2), {}};
  CHECK(largest(field) == 2);
  field[0][8999] = -3;
  CHECK(largest(field) == 3);
  CHECK(largest(FaceField{}) == 0);
}
