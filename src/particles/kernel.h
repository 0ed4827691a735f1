#pragma once
// The kernels of the particle engine: among liquid particles, and between liquid and solids.

#include "core/cubic_spline.h"

#include <algorithm>
#include <numbers>

namespace hydrolith::particles {

using Kernel = CubicSpline;

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
