#include "sampling/liquid_volume.h"

#include "core/parallel.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hydrolith {

namespace {

constexpr int top_level = 4;  // the coarsest cells are 2^4 times as wide as the finest

/// Adds the part of a cube around `centre` (in 2D a square) that lies in the room. A finest cell is
/// cut by a plane at distance d: 1/2 + d / width of it is inside, which is exact for a plane along
/// the axes and right on average for any other.
void add_cell(const Room& room, const Vec3& centre, double width, int level, int dimensions,
              RoomExtent& extent) {
  const double d = room(centre), radius = 0.5 * width * std::sqrt(double(dimensions));
  if (d <= -radius) return;
  if (d < radius && level > 0) {
    for (int child = 0; child < 1 << dimensions; ++child) {
      Vec3 x = centre;
      for (int k = 0; k < dimensions; ++k) x[k] += ((child >> k & 1) - 0.5) * 0.5 * width;
      add_cell(room, x, 0.5 * width, level - 1, dimensions, extent);
    }
    return;
  }
  const double part = d >= radius ? 1 : std::clamp(0.5 + d / width, 0.0, 1.0);
  extent.volume += part * std::pow(width, dimensions);
  if (d > 0) extent.box.include(centre - Vec3::Constant(d)).include(centre + Vec3::Constant(d));
}

}  // namespace

RoomExtent measure(const Room& room, const Box3& box, double cell, int dimensions) {
  const double width = cell * (1 << top_level);
  Eigen::Array3i count = (box.size() / width).array().ceil().cast<int>().max(1);
  if (dimensions == 2) count.z() = 1;
  std::vector<RoomExtent> parts(std::size_t(count.x()) * count.y() * count.z());
  parallel_for(
      parts.size(),
      [&](std::size_t c) {
        const int i = static_cast<int>(c);
        const Eigen::Array3i at(i % count.x(), i / count.x() % count.y(),
                                i / (count.x() * count.y()));
        Vec3 centre = box.lo + width * (at.cast<double>() + 0.5).matrix();
        if (dimensions == 2) centre.z() = 0;
        add_cell(room, centre, width, top_level, dimensions, parts[c]);
      },
      1);
  RoomExtent total;
  for (const RoomExtent& part : parts) {
    total.volume += part.volume;
    total.box.include(part.box);
  }
  return total;
}

}  // namespace hydrolith
