#include "still_liquid.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace hydrolith;
using namespace hydrolith::hybrid;
using hydrolith::hybrid::test::StillLiquid;

namespace {

constexpr double g = 9.81, rho = 1000;

std::string tank(int dimensions, double offset, double spacing, const std::string& more = "") {
  return fmt::format(
      "dimensions: {}\nspacing: {}\nengine: hybrid\nbodies:\n"
      "  - {{name: tank, kind: static, shape: {{box: [1.2, 1.5, 1.2], inside_out: true}}, at: [{}, "
      "{}, {}]}}\n{}",
      dimensions, spacing, offset, 0.75 + offset, dimensions == 3 ? offset : 0.0, more);
}

}  // namespace

// Pressure is linear and every term of the system is exact for it, so only the solver's error is
// left: 1e-13 of the residual, times the condition of the system.
TEST_CASE("inviscid liquid at rest stays at rest at any level and wall offset") {
  for (int dimensions : {2, 3})
    for (double offset : {0.0, 0.013, 0.041})
      for (double level : {0.5, 0.537, 0.601}) {
        const double dt = 0.01;
        StillLiquid liquid(tank(dimensions, offset, 0.1),
                           {Vec3(-0.9, -0.3, -0.9), Vec3(0.9, 1, 0.9)},
                           [&](const Vec3& x) { return x.y() - level; });
        liquid.set([&](const Vec3&) { return Vec3(0, -g * dt, 0); });
        liquid.solve(dt);
        CAPTURE(offset);
        CAPTURE(level);
        CAPTURE(dimensions);
        CHECK(liquid.report.converged);
        REQUIRE(liquid.fluid.pressures > 0);
        double fastest = 0, error = 0;
        liquid.each_face(
            [&](std::size_t, int, double u) { fastest = std::max(fastest, std::abs(u)); });
        for (std::size_t p = 0; p < liquid.fluid.pressures; ++p) {
          const Vec3 x = liquid.grid.centre(liquid.grid.coordinates(liquid.fluid.pressure_cell[p]));
          error = std::max(error, std::abs(liquid.coupled.z[p] - rho * g * (level - x.y())));
        }
        CHECK(fastest <= 1e-9 * g * dt);
        CHECK(error <= 1e-9 * rho * g * level);
      }
}

// Volume fractions instead of the ghost fluid: the floor of 0.02 under the liquid part of a face
// costs 0.2 % of the pressure.
TEST_CASE("viscous liquid at rest has the pressure of its depth within 0.2 %") {
  for (double offset : {0.0, 0.013})
    for (double level : {0.5, 0.537}) {
      const double dt = 0.01;
      StillLiquid liquid(
          tank(2, offset, 0.05), {Vec3(-0.9, -0.3, 0), Vec3(0.9, 1, 0)},
          [&](const Vec3& x) { return x.y() - level; }, 10, 1e-10);
      liquid.set([&](const Vec3&) { return Vec3(0, -g * dt, 0); });
      liquid.solve(dt);
      CAPTURE(offset);
      CAPTURE(level);
      double error = 0;
      for (std::size_t p = 0; p < liquid.fluid.pressures; ++p) {
        const std::size_t cell = liquid.fluid.pressure_cell[p];
        const Vec3 x = liquid.grid.centre(liquid.grid.coordinates(cell));
        if (liquid.surface.phi[cell] > -1) continue;  // cut by the surface
        error = std::max(error, std::abs(liquid.coupled.z[p] - rho * g * (level - x.y())));
      }
      CHECK(error <= 0.002 * rho * g * level);
    }
}

// Archimedes on the grid: the force is rho g times the volume that the fractions of faces along
// gravity sum up to, to the solver's tolerance.
TEST_CASE("a body with the mass of the liquid it displaces on the grid stays where it is") {
  for (int dimensions : {2, 3}) {
    const double dt = 0.01, level = 0.837;
    StillLiquid liquid(
        tank(dimensions, 0.013, 0.1,
             "  - {name: ball, density: 1000, shape: {sphere: 0.21}, at: [0.03, 0.44, "
             "0]}\n"),
        {Vec3(-0.9, -0.3, -0.9), Vec3(0.9, 1.2, 0.9)},
        [&](const Vec3& x) { return x.y() - level; });
    double displaced = 0;
    REQUIRE(liquid.solids.moving.size() == 1);
    for (double f : liquid.solids.moving[0].face[1]) displaced += f;
    displaced *= std::pow(0.1, dimensions);
    // Its centre of mass is that of the volume displaced, too.
    const BodyShares& ball = liquid.solids.moving[0];
    Vec3 centre = Vec3::Zero();
    for (std::size_t cell = 0; cell < liquid.grid.cells(); ++cell) {
      const Cell3 c = liquid.grid.coordinates(cell);
      centre += ball.at(c, 1) * liquid.grid.face(c, 1);
    }
    liquid.state.bodies.x[1] = centre * std::pow(0.1, dimensions) / displaced;
    const double mass = rho * displaced;
    liquid.state.bodies.inertia[1] *= mass / liquid.state.bodies.mass[1];
    liquid.state.bodies.mass[1] = mass;
    liquid.state.bodies.v[1] = Vec3(0, -g * dt, 0);
    liquid.set([&](const Vec3&) { return Vec3(0, -g * dt, 0); });
    liquid.solve(dt);
    CAPTURE(dimensions);
    CHECK(liquid.coupled.u[1].norm() <= 1e-6 * g * dt);
    // And the displaced volume is the true one within the cut of a faceted ball by cells.
    const double r = 0.21;
    const double volume = dimensions == 3 ? 4.0 / 3 * M_PI * r * r * r : M_PI * r * r;
    CHECK(displaced == doctest::Approx(volume).epsilon(0.02));
  }
}

// The forces of the liquid on itself, on bodies and on walls cancel by construction; here the tank
// is far away, so what the liquid loses the body gains, whatever the solver has reached.
TEST_CASE(
    "momentum goes from liquid to body to round-off, linear and angular, at a loose tolerance") {
  for (int dimensions : {2, 3})
    for (double viscosity : {0.0, 50.0}) {
      const double dt = 0.01;
      StillLiquid liquid(
          fmt::format("dimensions: {}\nspacing: 0.1\nengine: hybrid\nbodies:\n"
                      "  - {{name: brick, density: 400, shape: {{box: [0.42, 0.33, 0.28]}}, at: "
                      "[0.13, 0.05, 0], rotate: {{axis: [0, 0, 1], angle: 25}}}}\n",
                      dimensions),
          {Vec3(-1.2, -1.2, -1.2), Vec3(1.2, 1.2, 1.2)},
          [&](const Vec3& x) { return (dimensions == 3 ? x.norm() : x.head<2>().norm()) - 0.8; },
          viscosity, 1e-2);
      liquid.set([&](const Vec3& x) {
        return Vec3(std::sin(3 * x.y()) - x.y(), std::cos(2 * x.x()) + x.x() * x.z(),
                    dimensions == 3 ? x.x() - x.y() : 0);
      });
      const FaceField before = liquid.u;
      liquid.state.bodies.v[0] = Vec3(0.3, -0.2, 0);
      liquid.solve(dt);
      Vec3 p = Vec3::Zero(), L = Vec3::Zero();
      double size = 0;
      const double cell_volume = std::pow(0.1, dimensions);
      liquid.each_face([&](std::size_t cell, int a, double u) {
        const auto axis = static_cast<std::size_t>(a);
        const Vec3 dp = liquid.fluid.face_mass(liquid.grid, liquid.solids, cell, a) * cell_volume *
                        (u - before[axis][cell]) * Vec3::Unit(a);
        p += dp;
        L += liquid.grid.face(liquid.grid.coordinates(cell), a).cross(dp);
        size += dp.norm();
      });
      const Vec6 push = liquid.coupled.push[0];
      p += push.head<3>();
      L += push.tail<3>() + liquid.state.bodies.x[0].cross(Vec3(push.head<3>()));
      CAPTURE(dimensions);
      CAPTURE(viscosity);
      CHECK(push.head<3>().norm() > 0.01 * size);
      CHECK(p.norm() <= 1e-12 * size);
      CHECK(L.norm() <= 1e-12 * size);
    }
}

// A strain rate of zero has no stress: 1e-12 of the speed for any viscosity.
TEST_CASE("viscous liquid in rigid rotation goes on rotating") {
  for (int dimensions : {2, 3})
    for (double viscosity : {1.0, 1e4}) {
      StillLiquid liquid(
          fmt::format("dimensions: {}\nspacing: 0.1\nengine: hybrid\n", dimensions),
          {Vec3(-1, -1, -1), Vec3(1, 1, 1)},
          [&](const Vec3& x) { return (dimensions == 3 ? x.norm() : x.head<2>().norm()) - 0.55; },
          viscosity);
      const Vec3 omega = dimensions == 3 ? Vec3(0.3, -0.5, 0.8) : Vec3(0, 0, 1);
      liquid.set([&](const Vec3& x) { return Vec3(omega.cross(x)); });
      liquid.solve(0.01);
      double error = 0;
      liquid.each_face([&](std::size_t cell, int a, double u) {
        error = std::max(
            error,
            std::abs(u - omega.cross(liquid.grid.face(liquid.grid.coordinates(cell), a))[a]));
      });
      CAPTURE(dimensions);
      CAPTURE(viscosity);
      CHECK(error <= 1e-12);
    }
}

// A box of half the liquid's density, held half immersed at different places between cells: the
// force is what its draught says, to the hundredth of a cell that the ghost fluid leaves at its
// sides.
TEST_CASE("a floating box has its draught within a tenth of a cell, wherever it is between cells") {
  for (double off : {0.0, 0.013, 0.025, 0.04, 0.05, 0.071, 0.09}) {
    const double level = 0.837 + off, dt = 0.01, dx = 0.1, width = 0.43;
    StillLiquid liquid(
        tank(2, 0.013, dx,
             fmt::format(
                 "  - {{name: box, density: 500, shape: {{box: [0.43, 0.4, 0.4]}}, at: [0.03, "
                 "{}, 0]}}\n",
                 level)),
        {Vec3(-0.9, -0.3, -0.9), Vec3(0.9, 1.2, 0.9)},
        [&](const Vec3& x) { return x.y() - level; });
    liquid.state.bodies.v[1] = Vec3(0, -g * dt, 0);
    liquid.set([&](const Vec3&) { return Vec3(0, -g * dt, 0); });
    liquid.solve(dt);
    CAPTURE(off);
    const double force = liquid.coupled.pressure[1][1];
    CHECK(std::abs(force / (rho * g * width) - 0.2) <= 0.1 * dx);
    CHECK(std::abs(liquid.coupled.u[1][1]) <= 0.03 * g * dt);
  }
}
