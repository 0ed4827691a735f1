#include "particles/kernel.h"

#include "about.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::particles;
using hydrolith::about;

namespace {

/// Integral over the plane or space of a function of the distance, by the midpoint rule.
template <class F>
double integral(int dimensions, double reach, F&& f) {
  constexpr int parts = 4000;
  const double dr = reach / parts;
  double sum = 0;
  for (int k = 0; k < parts; ++k) {
    const double r = (k + 0.5) * dr;
    const double shell = dimensions == 3 ? 4 * std::numbers::pi * r * r : 2 * std::numbers::pi * r;
    sum += shell * dr * f(r);
  }
  return sum;
}

/// f' by central differences of step e = 1e-5: truncation e^2 f''' / 6, rounding 1e-16 / e, both
/// below 1e-8 for kernels of order 1 (f''' of the steep one is below 200).
template <class F>
double slope_of(F&& f, double q) {
  constexpr double e = 1e-5;
  return (f(q + e) - f(q - e)) / (2 * e);
}

}  // namespace

TEST_CASE("the kernel integrates to one in two and three dimensions") {
  for (int d : {2, 3}) {
    CAPTURE(d);
    const Kernel kernel{0.03, d};
    const double total = integral(d, kernel.support(), [&](double r) { return kernel.value(r); });
    CHECK(total == about(1, 1e-6));  // midpoint rule of 4000 parts: (1/4000)^2
  }
}

TEST_CASE("on a lattice the kernel sums to the inverse of a particle's volume") {
  for (int d : {2, 3}) {
    CAPTURE(d);
    const Kernel kernel{0.03, d};
    double sum = 0;
    for (int x = -2; x <= 2; ++x)
      for (int y = -2; y <= 2; ++y)
        for (int z = d == 3 ? -2 : 0; z <= (d == 3 ? 2 : 0); ++z)
          sum += kernel.scaled_value(Vec3(x, y, z).norm());
    CHECK(sum == about(1, 0.005));  // "close to": the kernel is no partition of 1
  }
}

TEST_CASE("slopes of both kernels are the derivatives of their values and vanish at the support") {
  for (int d : {2, 3})
    for (bool balanced : {false, true}) {
      CAPTURE(d);
      CAPTURE(balanced);
      const Kernel kernel{0.03, d};
      const BoundaryKernel boundary(kernel, balanced);
      for (double q = 0.05; q < 2.2; q += 0.083) {
        CAPTURE(q);
        const double liquid = slope_of([&](double p) { return kernel.scaled_value(p); }, q);
        const double wall = slope_of([&](double p) { return boundary.scaled_value(p); }, q);
        CHECK(std::abs(kernel.scaled_slope(q) - liquid) < 1e-6);
        CHECK(std::abs(boundary.scaled_slope(q) - wall) < 1e-6);
        CHECK(boundary.scaled_slope(q) <= 0);
      }
      for (double q : {2.0, 2.5}) {
        CHECK(boundary.scaled_value(q) == 0);
        CHECK(boundary.scaled_slope(q) == 0);
      }
    }
}

TEST_CASE("the gradient of the kernel is that of its value, and zero at the centre") {
  const Kernel kernel{0.5, 3};
  const Vec3 x(0.2, -0.3, 0.4);
  for (int axis = 0; axis < 3; ++axis) {
    const double by_difference = slope_of(
        [&](double p) {
          Vec3 y = x;
          y[axis] = p;
          return kernel.value(y.norm());
        },
        x[axis]);
    CHECK(kernel.gradient(x)[axis] == about(by_difference, 1e-7));
  }
  CHECK(kernel.gradient(Vec3::Zero()) == Vec3::Zero());
}

TEST_CASE(
    "one layer of samples counts twice what the spline gives and is steeper for what it counts") {
  for (int d : {2, 3}) {
    CAPTURE(d);
    const BoundaryKernel wall({1, d}, true);
    double number = 0, push = 0, spline = 0, spline_push = 0;  // a plane one spacing below
    for (int x = -2; x <= 2; ++x)
      for (int z = d == 3 ? -2 : 0; z <= (d == 3 ? 2 : 0); ++z) {
        const double q = Vec3(x, 1, z).norm();
        number += wall.scaled_value(q);
        spline += wall.spline.scaled_value(q);
        push -= wall.scaled_slope(q) / q;
        spline_push -= wall.spline.scaled_slope(q) / q;
      }
    CHECK(number == about(2 * spline, 1e-12));
    // Slope over value: the steepness itself, whatever A is. About twice the spline's.
    CHECK(push / number > 1.5 * spline_push / spline);
  }
}
