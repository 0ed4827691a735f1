#include "sampling/intervals.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

int intervals(double length, double h) {
  const int n = std::max(1, static_cast<int>(std::lround(length / h)));
  if (length > 1.2 * h * n && length >= 0.8 * h * (n + 1)) return n + 1;
  if (length < 0.8 * h * n && n > 1) return n - 1;
  return n;
}

std::vector<Vec3> divide_evenly(const std::vector<Vec3>& points, bool closed, double h) {
  double length = 0;
  for (std::size_t i = 1; i < points.size(); ++i) length += (points[i] - points[i - 1]).norm();
  const int n = intervals(length, h);
  std::vector<Vec3> result;
  if (closed) result.push_back(points.front());
  double before = 0;  // arc length at points[i - 1]
  int k = 1;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double step = (points[i] - points[i - 1]).norm();
    for (; k < n && k * length / n <= before + step; ++k) {
      const double part = step > 0 ? (k * length / n - before) / step : 0;
      result.push_back(points[i - 1] + part * (points[i] - points[i - 1]));
    }
    before += step;
  }
  return result;
}

}  // namespace hydrolith
