#pragma once
// The cubic spline kernel with support 2h (Monaghan 1992), normalised in 2D or 3D.

#include <numbers>

namespace hydrolith {

class CubicSpline {
 public:
  CubicSpline(double spacing, int dimensions)
      : inverse_support_(0.5 / spacing),
        scale_(dimensions == 2 ? 10 / (7 * std::numbers::pi * spacing * spacing)
                               : 1 / (std::numbers::pi * spacing * spacing * spacing)) {}

  /// W(r) [1/m^dimensions]. With q = r / 2h: 6 (q^3 - q^2) + 1 up to 1/2, 2 (1 - q)^3 up to 1.
  double operator()(double r) const {
    const double q = r * inverse_support_;
    if (q >= 1) return 0;
    return scale_ * (q <= 0.5 ? 6 * (q - 1) * q * q + 1 : 2 * (1 - q) * (1 - q) * (1 - q));
  }

 private:
  double inverse_support_;  // [1/m]
  double scale_;            // W(0)
};

}  // namespace hydrolith
