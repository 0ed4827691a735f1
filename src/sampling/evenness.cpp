#include "core/cubic_spline.h"
#include "core/parallel.h"
#include "sampling/point_grid.h"
#include "sampling/surface.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

// V_r^0 = gamma / sum_rr W_rr (Probst & Teschner 2023, eq. 3.2), the sum including r itself. The
// factor gamma drops out of everything reported here, and so do the units of W.
Evenness evenness(const std::vector<Vec3>& positions, double spacing, int dimensions) {
  Evenness result;
  const std::size_t count = positions.size();
  if (count == 0) return result;
  const CubicSpline W{spacing, dimensions};
  const PointGrid grid(2 * spacing, positions);
  std::vector<double> volume(count), nearest(count);
  parallel_for(count, [&](std::size_t i) {
    double sum = 0, nearest_sq = 4 * spacing * spacing;  // farther counts as 2 h
    grid.for_each_near(positions[i], 2 * spacing, [&](std::uint32_t j, double r_sq) {
      sum += W.scaled_value(std::sqrt(r_sq) / spacing);
      if (j != i) nearest_sq = std::min(nearest_sq, r_sq);
    });
    volume[i] = 1 / sum;
    nearest[i] = std::sqrt(nearest_sq) / spacing;
  });

  const double n = static_cast<double>(count);
  const double mean = ordered_sum(count, 0.0, [&](std::size_t i) { return volume[i]; }) / n;
  const double variance =
      ordered_sum(count, 0.0,
                  [&](std::size_t i) { return (volume[i] - mean) * (volume[i] - mean); }) /
      n;
  result.volume_spread = std::sqrt(variance) / mean;
  result.volume_min = *std::min_element(volume.begin(), volume.end()) / mean;
  result.volume_max = *std::max_element(volume.begin(), volume.end()) / mean;
  if (count == 1) return result;
  result.nearest_min = *std::min_element(nearest.begin(), nearest.end());
  result.nearest_max = *std::max_element(nearest.begin(), nearest.end());
  result.nearest_mean = ordered_sum(count, 0.0, [&](std::size_t i) { return nearest[i]; }) / n;
  return result;
}

}  // namespace hydrolith
