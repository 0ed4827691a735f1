#pragma once
// The cubic spline of support 2h (Monaghan 1992), h = particle spacing, in 3D and 2D.

#include "hydrolith/vec.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

/// W in 1/m^d. On a lattice of spacing h the sum of W over all neighbours is close to 1/h^d.
struct CubicSpline {
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

}  // namespace hydrolith
