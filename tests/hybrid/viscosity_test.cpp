#include "still_liquid.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace hydrolith;
using namespace hydrolith::hybrid;
using hydrolith::hybrid::test::StillLiquid;

namespace {

double everywhere(const Vec3&) { return -1e3; }

/// Velocity of a packet of shear waves, div-free: the curl of e cos(k . x) exp(-x^2 / 2).
Vec3 packet(const Vec3& x, const Vec3& k, const Vec3& e) {
  const double envelope = std::exp(-0.5 * x.squaredNorm());
  const Vec3 gradient = envelope * (-std::sin(k.dot(x)) * k - std::cos(k.dot(x)) * x);
  return gradient.cross(e);
}

/// Viscosity that the packet feels in one short step: it must lose rho nu |grad u|^2 dt of energy.
double effective_viscosity(int dimensions, const Vec3& k, const Vec3& e, double eta, double dt) {
  const double size = dimensions == 3 ? 3.2 : 5.0;
  StillLiquid liquid(
      fmt::format("dimensions: {}\nspacing: 0.1\nengine: hybrid\n", dimensions),
      {Vec3::Constant(-size), Vec3::Constant(size)},
      [&](const Vec3& x) { return x.head(dimensions).cwiseAbs().maxCoeff() - size; }, eta, 1e-7);
  liquid.set([&](const Vec3& x) { return packet(x, k, e); });
  const FaceField before = liquid.u;
  liquid.solve(dt);
  double lost = 0, rate = 0;
  constexpr double h = 1e-4;
  liquid.each_face([&](std::size_t cell, int a, double u) {
    const Vec3 x = liquid.grid.face(liquid.grid.coordinates(cell), a);
    const double u0 = before[static_cast<std::size_t>(a)][cell];
    lost += u0 * (u0 - u);
    for (int b = 0; b < dimensions; ++b) {
      const Vec3 step = h * Vec3::Unit(b);
      const double slope = (packet(x + step, k, e)[a] - packet(x - step, k, e)[a]) / (2 * h);
      rate += slope * slope;
    }
  });
  return 1000 * lost / (rate * dt);
}

}  // namespace

// Waves of 30 cells: second differences are short of k^2 by (k dx)^2 / 12 = 0.4 %; the implicit
// step loses nu k^2 dt = 0.05 % less than the rate at its start says.
TEST_CASE("viscosity is what it is said to be, in every direction, within 1 %") {
  const double q = 2 * M_PI / 3, eta = 10, dt = 0.01;
  double least = 1e9, most = 0;
  const auto see = [&](int dimensions, const Vec3& k, const Vec3& e) {
    const double found =
        effective_viscosity(dimensions, q * k.normalized(), e.normalized(), eta, dt);
    CHECK(found == doctest::Approx(eta).epsilon(0.01));
    least = std::min(least, found), most = std::max(most, found);
  };
  see(2, {1, 0, 0}, {0, 0, 1});
  see(2, {1, 1, 0}, {0, 0, 1});
  see(2, {1, 2, 0}, {0, 0, 1});
  see(3, {1, 0, 0}, {0, 1, 0});
  see(3, {0, 1, 0}, {0, 0, 1});
  see(3, {1, 1, 0}, {0, 0, 1});
  see(3, {0, 1, 1}, {1, 0, 0});
  see(3, {1, 0, 1}, {0, 1, 0});
  see(3, {1, 1, 1}, {1, -1, 0});
  CHECK(most / least < 1.01);
}

namespace {

/// A steady flow: one step so long that inertia does not count.
constexpr double eta_steady = 1, rho_steady = 1000, long_step = 1e6;

}  // namespace

// Faxen 1946: a cylinder of radius a on the axis of a channel of half width h, moving along it.
TEST_CASE("drag of a cylinder in a channel") {
  const double h = 1, a = 0.25, U = 1;
  const auto drag = [&](double dx) {
    StillLiquid liquid(
        fmt::format("dimensions: 2\nspacing: {}\nengine: hybrid\nbodies:\n"
                    "  - {{name: channel, kind: static, shape: {{box: [8, 2, 1], inside_out: "
                    "true}}}}\n"
                    "  - {{name: cylinder, kind: kinematic, motion: {{velocity: [0, 0, 0]}}, "
                    "shape: {{sphere: 0.25}}}}\n",
                    dx / 10),
        {Vec3(-4, -1, 0), Vec3(4, 1, 0)}, everywhere, eta_steady, 1e-9, 10);
    liquid.state.bodies.v[1] = Vec3(U, 0, 0);
    liquid.solve(long_step);
    return -(liquid.coupled.pressure[1] + liquid.coupled.viscous[1])[0];
  };
  const double r = a / h, r2 = r * r;
  const double exact = 4 * M_PI * eta_steady * U /
                       (std::log(1 / r) - 0.9157 + 1.7244 * r2 - 1.7302 * r2 * r2 +
                        2.4056 * r2 * r2 * r2 - 4.5913 * r2 * r2 * r2 * r2);
  // 3.4 % too little at 2.5 cells to the radius, 1 % at 6.
  CHECK(drag(0.1) == doctest::Approx(exact).epsilon(0.04));
  CHECK(drag(0.25 / 6) == doctest::Approx(exact).epsilon(0.01));
}

// Torque on the inner of two cylinders, 4 pi eta Omega R1^2 R2^2 / (R2^2 - R1^2) per unit depth.
TEST_CASE("torque of annular Couette flow") {
  const double R1 = 0.5, R2 = 1, Omega = 1;
  const auto torque = [&](double dx) {
    StillLiquid liquid(
        fmt::format("dimensions: 2\nspacing: {}\nengine: hybrid\nbodies:\n"
                    "  - {{name: outer, kind: static, shape: {{sphere: 1, inside_out: true}}}}\n"
                    "  - {{name: inner, kind: kinematic, motion: {{velocity: [0, 0, 0]}}, shape: "
                    "{{sphere: 0.5}}}}\n",
                    dx / 10),
        {Vec3(-1, -1, 0), Vec3(1, 1, 0)}, everywhere, eta_steady, 1e-9, 10);
    liquid.state.bodies.omega[1] = Vec3(0, 0, Omega);
    liquid.solve(long_step);
    return -(liquid.coupled.pressure[1] + liquid.coupled.viscous[1])[5];
  };
  const double exact = 4 * M_PI * eta_steady * Omega * R1 * R1 * R2 * R2 / (R2 * R2 - R1 * R1);
  CHECK(torque(0.5 / 6.4) == doctest::Approx(exact).epsilon(0.01));
  CHECK(torque(0.5 / 13) == doctest::Approx(exact).epsilon(0.001));
}
