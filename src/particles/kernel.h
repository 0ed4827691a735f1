#pragma once
// The cubic spline of support 2h (Monaghan 1992), h = particle spacing, in 3D and 2D.

#include "hydrolith/vec.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith::particles {

/// W in 1/m^d. On a lattice of spacing h the sum of W over all neighbours is close to 1/h^d.
struct Kernel {
  double h = 1;        // [m]
  int dimensions = 3;  // 2 or 3

  double support() const { return 2 * h; }
  double rest_volume() const { return std::pow(h, dimensions); }  // V^0_f = h^d, eq. 3.5

  /// h^d W(q h), dimensionless, q = r / h.
  double scaled_value(double q) const {
    const double a = std::max(0.0, 2 - q), b = std::max(0.0, 1 - q);
    return sigma() * (0.25 * a * a * a - b * b * b);
  }
  /// h^(d+1) W'(q h), dimensionless; not positive.
  double scaled_slope(double q) const {
    const double a = std::max(0.0, 2 - q), b = std::max(0.0, 1 - q);
    return sigma() * (-0.75 * a * a + 3 * b * b);
  }
  /// h^d W of the unit kernel at q = 0 is sigma: 1/pi in 3D, 10/(7 pi) in 2D.
  double sigma() const { return (dimensions == 3 ? 1.0 : 10.0 / 7.0) * std::numbers::inv_pi; }
  double value(double r) const { return scaled_value(r / h) / rest_volume(); }  // [1/m^d]
  /// grad W_ij at i for x = x_i - x_j [1/m^(d+1)]; zero at x = 0.
  Vec3 gradient(const Vec3& x) const {
    const double r = x.norm();
    return r > 0 ? Vec3(scaled_slope(r / h) / (rest_volume() * h * r) * x) : Vec3::Zero();
  }
};

/// The kernel between liquid and samples of walls and bodies, scaled like Kernel::scaled_value.
///
/// One layer of samples with the liquid's own kernel and no pressure of its own pushes only half as
/// hard as the liquid it stands for, so particles beside it end up with nearly twice the pressure.
/// Volume and its derivative must belong together, or energy is gained (mirrored pressures do); so
/// the kernel itself is made steeper. Of the form A (2 - q)^8 its slope is about twice that of the
/// cubic spline where liquid rests, a spacing from the samples. A is chosen so that settled liquid
/// keeps its volume: twice what would equal the spline above a lattice plane.
struct BoundaryKernel {
  double A = 0;
  bool balanced = true;  // false: the cubic spline itself
  Kernel spline;

  BoundaryKernel(const Kernel& kernel, bool is_balanced) : balanced(is_balanced), spline(kernel) {
    const auto plane = [&](auto&& f) {  // sum over a lattice plane (2D: row) one spacing away
      const bool flat = kernel.dimensions == 2;
      return f(1.0) + (flat ? 2 : 4) * f(std::numbers::sqrt2) +
             (flat ? 0 : 4) * f(std::numbers::sqrt3);
    };
    A = 2 * plane([&](double q) { return kernel.scaled_value(q); }) /
        plane([](double q) { return power8(2 - q); });
  }
  double scaled_value(double q) const {
    return balanced ? A * power8(std::max(0.0, 2 - q)) : spline.scaled_value(q);
  }
  double scaled_slope(double q) const {
    const double a = std::max(0.0, 2 - q), a3 = a * a * a;
    return balanced ? -8 * A * a3 * a3 * a : spline.scaled_slope(q);
  }

 private:
  static double power8(double a) {
    const double a2 = a * a, a4 = a2 * a2;
    return a4 * a4;
  }
};

}  // namespace hydrolith::particles
