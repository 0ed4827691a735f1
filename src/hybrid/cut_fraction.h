#pragma once
// Which part of a cube, square or line lies where a linearly interpolated function is negative.
// Cubes are cut into six tetrahedra, squares into two triangles: exact for planes.

#include <array>
#include <utility>

namespace hydrolith::hybrid {

inline double cut_line(double a, double b) {
  if (a >= 0 && b >= 0) return 0;
  if (a < 0 && b < 0) return 1;
  return a < 0 ? a / (a - b) : b / (b - a);
}

inline double cut_triangle(double a, double b, double c) {
  if (a > b) std::swap(a, b);
  if (b > c) std::swap(b, c);
  if (a > b) std::swap(a, b);
  if (a >= 0) return 0;
  if (c < 0) return 1;
  return b >= 0 ? a * a / ((a - b) * (a - c)) : 1 - c * c / ((c - a) * (c - b));
}

inline double cut_tetrahedron(std::array<double, 4> v) {
  if (v[0] > v[1]) std::swap(v[0], v[1]);
  if (v[2] > v[3]) std::swap(v[2], v[3]);
  if (v[0] > v[2]) std::swap(v[0], v[2]);
  if (v[1] > v[3]) std::swap(v[1], v[3]);
  if (v[1] > v[2]) std::swap(v[1], v[2]);
  const auto [a, b, c, d] = v;
  if (a >= 0) return 0;
  if (d < 0) return 1;
  if (b >= 0) return a * a * a / ((a - b) * (a - c) * (a - d));
  if (c < 0) return 1 - d * d * d / ((d - a) * (d - b) * (d - c));
  const double p = a / (a - c), q = a / (a - d), r = b / (b - c), s = b / (b - d);
  return p * q * (1 - s) + p * s * (1 - r) + r * s;
}

/// Corners in the order x fastest: (0,0), (1,0), (0,1), (1,1).
inline double cut_square(const std::array<double, 4>& v) {
  return 0.5 * (cut_triangle(v[0], v[1], v[3]) + cut_triangle(v[0], v[2], v[3]));
}

/// Corners in the order x fastest, z slowest. The tetrahedra share the diagonal 0-7.
inline double cut_cube(const std::array<double, 8>& v) {
  constexpr int between[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
  bool any = false, all = true;
  for (double value : v) (value < 0 ? any : all) = value < 0;
  if (!any) return 0;
  if (all) return 1;
  double sum = 0;
  for (const auto& [i, j] : between) sum += cut_tetrahedron({v[0], v[i], v[j], v[7]});
  return sum / 6;
}

}  // namespace hydrolith::hybrid
