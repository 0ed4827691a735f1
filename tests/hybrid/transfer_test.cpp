#include "hybrid/transfer.h"

#include "hybrid/advect.h"
#include "particles_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace hydrolith;
using namespace hydrolith::hybrid;

namespace {

const std::vector<double> density{1000, 1300}, viscosity{1e-3, 2};

struct Sample {
  explicit Sample(int dimensions, double dx = 0.1, int cells = 11)
      : particles(random_particles(dimensions, dx, cells)), grid(dx, dimensions) {
    grid.cover(particles.x);
    sorter.sort(grid, particles);
  }
  void to_grid() { particles_to_grid(grid, particles, sorter.first(), density, viscosity, liquid); }
  void to_particles(const FaceField& u) { grid_to_particles(grid, u, sorter.first(), particles); }
  double mass(std::size_t n) const { return particles.volume[n] * density[particles.liquid[n]]; }
  LiquidParticles particles;
  TileGrid grid;
  ParticleSorter sorter;
  GridLiquid liquid;
};

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // [kg m/s], [kg m^2/s] about the origin
  double size = 0, turn = 0;  // sums of the parts' sizes, to compare errors with
  void add(double m, const Vec3& x, const Vec3& v, const Vec3& spin) {
    linear += m * v, angular += m * (x.cross(v) + spin);
    size += m * v.norm(), turn += m * (x.cross(v).norm() + spin.norm());
  }
};

/// With the affine part: sum over a of (D_a c_a) x e_a.
Momenta of_particles(const Sample& s) {
  Momenta sum;
  const double dx = s.grid.dx();
  const LiquidParticles& p = s.particles;
  for (std::size_t n = 0; n < p.size(); ++n) {
    Vec3 spin = Vec3::Zero();
    for (int a = 0; a < s.grid.dimensions(); ++a) {
      Vec3 Dc = Vec3::Zero();
      for (int d = 0; d < s.grid.dimensions(); ++d) {
        const double place = p.x[n][d] / dx - (d == a ? 0 : 0.5), f = place - std::floor(place);
        Dc[d] = dx * dx * f * (1 - f) * static_cast<double>(p.c[n](a, d));
      }
      spin += Dc.cross(Vec3::Unit(a));
    }
    sum.add(s.mass(n), p.x[n], p.v[n], spin);
  }
  return sum;
}

Momenta of_grid(const Sample& s, const FaceField& u) {
  Momenta sum;
  for (int a = 0; a < s.grid.dimensions(); ++a)
    for (std::size_t c = 0; c < s.grid.cells(); ++c)
      sum.add(s.liquid.mass[a][c], s.grid.face(s.grid.coordinates(c), a), u[a][c] * Vec3::Unit(a),
              Vec3::Zero());
  return sum;
}

double total(const std::vector<double>& field) {
  double sum = 0;
  for (double value : field) sum += value;
  return sum;
}

/// Largest difference between a field and u(x) at the faces with weight.
template <class F>
double difference(const Sample& s, F&& u) {
  double most = 0;
  for (int a = 0; a < s.grid.dimensions(); ++a)
    for (std::size_t c = 0; c < s.grid.cells(); ++c)
      if (s.liquid.mass[a][c] > 0)
        most = std::max(most,
                        std::abs(s.liquid.u[a][c] - u(s.grid.face(s.grid.coordinates(c), a))[a]));
  return most;
}

}  // namespace

TEST_CASE("weights sum to one: the grid holds the volume, mass and viscosity of the particles") {
  for (int dimensions : {2, 3}) {
    Sample s(dimensions);
    for (int again = 0; again < 2; ++again) s.to_grid();  // fields start from zero every time
    double volume = 0, mass = 0, eta = 0;
    for (std::size_t n = 0; n < s.particles.size(); ++n) {
      volume += s.particles.volume[n];
      mass += s.mass(n);
      eta += s.particles.volume[n] * viscosity[s.particles.liquid[n]];
    }
    // Sums of 10^4 terms of one sign: round-off grows like sqrt(n) eps = 2e-14 at most.
    const double margin = 2e-14;
    CHECK(std::abs(total(s.liquid.volume) / volume - 1) < margin);
    CHECK(std::abs(total(s.liquid.cell_mass) / mass - 1) < margin);
    CHECK(std::abs(total(s.liquid.viscosity) / eta - 1) < margin);
    for (int a = 0; a < dimensions; ++a)
      CHECK(std::abs(total(s.liquid.mass[a]) / mass - 1) < margin);
    if (dimensions == 2) CHECK(total(s.liquid.mass[2]) == 0);
  }
}

TEST_CASE("particles to grid equals the plain sum over particles and faces") {
  for (int dimensions : {2, 3}) {
    Sample s(dimensions, 0.1, 9);
    s.to_grid();
    for (int a = 0; a < dimensions; ++a) {
      std::vector<double> momentum(s.grid.cells()), mass(s.grid.cells());
      for (std::size_t n = 0; n < s.particles.size(); ++n) {
        const Cell3 at = s.grid.cell_of(s.particles.x[n]);
        for (int corner = 0; corner < (dimensions == 3 ? 27 : 9); ++corner) {
          const Cell3 c =
              at + Cell3(corner % 3 - 1, corner / 3 % 3 - 1, dimensions == 3 ? corner / 9 - 1 : 0);
          const Vec3 r = s.grid.face(c, a) - s.particles.x[n];
          double w = 1;
          for (int d = 0; d < dimensions; ++d) w *= std::max(0.0, 1 - std::abs(r[d]) / s.grid.dx());
          const double u = s.particles.v[n][a] + s.particles.c[n].row(a).cast<double>().dot(r);
          const auto cell = static_cast<std::size_t>(s.grid.find_cell(c));
          mass[cell] += s.mass(n) * w;
          momentum[cell] += s.mass(n) * w * u;
        }
      }
      // A weight of a few eps comes out with the round-off of the place, hence absolute margins;
      // masses are of the size 1 kg (2D 10 kg), momenta as well.
      for (std::size_t c = 0; c < s.grid.cells(); ++c) {
        REQUIRE(std::abs(s.liquid.mass[a][c] - mass[c]) < 1e-13);
        REQUIRE(std::abs(s.liquid.mass[a][c] * s.liquid.u[a][c] - momentum[c]) < 1e-12);
      }
    }
  }
}

TEST_CASE(
    "a transfer keeps linear and angular momentum, with the affine part, in both directions") {
  for (int dimensions : {2, 3}) {
    Sample s(dimensions);
    s.to_grid();
    // Round-off of 10^4 to 10^5 terms of both signs, relative to the sum of their sizes.
    const double margin = 1e-15;
    const Momenta before = of_particles(s), there = of_grid(s, s.liquid.u);
    CHECK((there.linear - before.linear).norm() < margin * before.size);
    CHECK((there.angular - before.angular).norm() < margin * before.turn);

    // Some other field, as after a solve. c is rounded to float: 6e-8 of the affine part at most,
    // random signs make it much less.
    const FaceField u = faces_of(s.grid, [](const Vec3& x) {
      return Vec3(std::sin(9 * x.y()), std::cos(7 * x.x()) + x.z(), std::sin(5 * x.x() * x.y()));
    });
    s.to_particles(u);
    const Momenta field = of_grid(s, u), after = of_particles(s);
    CHECK((after.linear - field.linear).norm() < margin * field.size);
    CHECK((after.angular - field.angular).norm() < 1e-9 * field.turn);
  }
}

TEST_CASE("a linear velocity field survives grid to particles to grid") {
  const auto field = [](const Mat3& c) {
    return [c](const Vec3& x) { return Vec3(Vec3(0.3, -0.2, 0.1) + c * x); };
  };
  Mat3 rotation, shear, general;
  rotation << 0, -2, 1, 2, 0, -0.5, -1, 0.5, 0;
  shear << 0, 3, 0, 0, 0, 0, 0, 0, 0;
  general << 0.1, 0.7, -0.3, 0.9, 1.1, 0.2, 0.6, -0.4, -1.2;
  for (int dimensions : {2, 3})
    for (const Mat3& c : {rotation, shear, general}) {
      Sample s(dimensions);
      const auto u = field(c);
      s.to_particles(faces_of(s.grid, u));
      for (std::size_t n = 0; n < s.particles.size(); ++n) {
        Vec3 v = u(s.particles.x[n]);
        Mat3 g = c;
        if (dimensions == 2) v.z() = 0, g.row(2).setZero(), g.col(2).setZero();
        REQUIRE((s.particles.v[n] - v).norm() < 1e-14);                // speeds of the size 1
        REQUIRE((s.particles.c[n].cast<double>() - g).norm() < 2e-7);  // float
      }
      s.to_grid();
      // Numbers that float can hold come back to round-off, others to 6e-8 |c| dx.
      CHECK(difference(s, u) < (c == general ? 6e-8 * general.norm() * s.grid.dx() : 1e-13));
    }
}

TEST_CASE("a particle on a face, an edge or a corner of a tile is transferred like any other") {
  for (int dimensions : {2, 3})
    for (double shift : {0.0, -1e-17, 1e-17}) {
      TileGrid grid(0.25, dimensions);
      LiquidParticles p;
      for (int corner = 0; corner < 8; ++corner) {
        const Vec3 x(2.0 * (corner & 1), 2.0 * (corner >> 1 & 1), 2.0 * (corner >> 2));
        p.add(0, x + Vec3::Constant(shift), Vec3(1, 2, 3), 1);
        if (dimensions == 2) p.x.back().z() = 0;
      }
      grid.cover(p.x);
      ParticleSorter sorter;
      sorter.sort(grid, p);
      GridLiquid g;
      particles_to_grid(grid, p, sorter.first(), density, viscosity, g);
      CHECK(std::abs(total(g.volume) - 8) < 1e-14);
      grid_to_particles(grid, g.u, sorter.first(), p);
      for (const Vec3& v : p.v) CHECK((v - Vec3(1, 2, dimensions == 3 ? 3 : 0)).norm() < 1e-14);
    }
}

TEST_CASE("transfers give the same bits with one and two threads") {
  for (int dimensions : {2, 3}) {
    const auto [one, two] = with_one_and_two_threads([&] {
      Sample s(dimensions, 0.1, dimensions == 3 ? 20 : 60);
      s.to_grid();
      s.to_particles(s.liquid.u);
      return s;
    });
    CHECK(one.liquid.u == two.liquid.u);
    CHECK(one.liquid.mass == two.liquid.mass);
    CHECK(one.liquid.volume == two.liquid.volume);
    CHECK(one.liquid.cell_mass == two.liquid.cell_mass);
    CHECK(one.liquid.viscosity == two.liquid.viscosity);
    CHECK(same(one.particles, two.particles));
  }
}
