#include "geometry/distance_grid.h"

#include "core/check.h"
#include "core/parallel.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

/// Block number n in the order x fastest.
Eigen::Vector3i block_at(std::size_t n, const Eigen::Vector3i& size) {
  const auto i = static_cast<int>(n % size[0]), j = static_cast<int>(n / size[0] % size[1]);
  return {i, j, static_cast<int>(n / size[0] / size[1])};
}

}  // namespace

DistanceGrid::DistanceGrid(const MeshDistance& exact, const Box3& surface, const Options& options)
    : spacing_(options.spacing),
      band_(static_cast<float>(std::max(options.band, options.spacing))) {
  require(options.spacing > 0, "a distance grid needs a positive spacing, got {} m",
          options.spacing);
  // One node beyond the band all around, so that the rim of the grid is clear of the surface.
  const Box3 covered = surface.grown(band_ + spacing_);
  origin_ = covered.lo;
  const Vec3 wanted = (covered.size() / (block_cells * spacing_)).array().ceil().max(1);
  constexpr double most_blocks = 5e7;
  require(wanted.prod() < most_blocks,
          "a distance grid with spacing {} m over {} x {} x {} m is too large; use a wider spacing",
          spacing_, covered.size()[0], covered.size()[1], covered.size()[2]);
  size_ = wanted.cast<int>();
  block_.assign(static_cast<std::size_t>(wanted.prod()), far_outside);

  find_blocks(exact);
  parallel_for(
      block_.size(),
      [&](std::size_t n) {
        if (block_[n] >= 0) fill_block(exact, block_at(n, size_));
      },
      1);
  spread_signs(exact);
}

std::size_t DistanceGrid::block_index(const Eigen::Vector3i& b) const {
  return (static_cast<std::size_t>(b[2]) * size_[1] + b[1]) * size_[0] + b[0];
}

Vec3 DistanceGrid::node(const Eigen::Vector3i& b, int i, int j, int k) const {
  return origin_ + spacing_ * (block_cells * b + Eigen::Vector3i(i, j, k)).cast<double>();
}

Box3 DistanceGrid::box() const {
  return {origin_, origin_ + spacing_ * block_cells * size_.cast<double>()};
}

std::size_t DistanceGrid::bytes() const {
  return block_.size() * sizeof(std::int32_t) + values_.size() * sizeof(float);
}

/// Gives a slot to every block that may hold a point nearer to the surface than the band.
void DistanceGrid::find_blocks(const MeshDistance& exact) {
  const double reach = band_ + 0.5 * std::sqrt(3.0) * block_cells * spacing_;
  std::vector<char> near(block_.size(), 0);
  constexpr int middle = block_cells / 2;
  parallel_for(block_.size(), [&](std::size_t n) {
    const Vec3 centre = node(block_at(n, size_), middle, middle, middle);
    near[n] = exact.closest(centre, reach).has_value();
  });
  std::int32_t slots = 0;
  for (std::size_t n = 0; n < block_.size(); ++n)
    if (near[n]) block_[n] = slots++;
  values_.resize(static_cast<std::size_t>(slots) * block_nodes);
}

/// Exact distance at every node within the band. A node beyond it has the sign of the node before
/// it: the band is at least as wide as the step between them, so no surface lies in between.
void DistanceGrid::fill_block(const MeshDistance& exact, const Eigen::Vector3i& b) {
  float* value = &values_[static_cast<std::size_t>(block_[block_index(b)]) * block_nodes];
  const auto band = static_cast<float>(band_);
  for (int k = 0; k < block_side; ++k)
    for (int j = 0; j < block_side; ++j)
      for (int i = 0; i < block_side; ++i, ++value) {
        const Vec3 x = node(b, i, j, k);
        if (const auto y = exact.closest(x, band_)) {
          const bool inside = (x - y->point).dot(y->normal) < 0;
          *value = static_cast<float>(inside ? -y->distance : y->distance);
          continue;
        }
        const int back = i > 0 ? 1 : j > 0 ? block_side : k > 0 ? block_side * block_side : 0;
        const bool inside = back == 0 ? exact.signed_distance(x) < 0 : value[-back] < 0;
        *value = inside ? -band : band;
      }
}

/// A block without a slot lies on one side of the surface: the side of its neighbour along x. The
/// rows start at the rim, where there is no surface.
void DistanceGrid::spread_signs(const MeshDistance& exact) {
  const bool rim_inside = exact.signed_distance(origin_) < 0;
  for (int k = 0; k < size_[2]; ++k)
    for (int j = 0; j < size_[1]; ++j) {
      bool inside = rim_inside;
      for (int i = 0; i < size_[0]; ++i) {
        std::int32_t& slot = block_[block_index({i, j, k})];
        if (slot < 0)
          slot = inside ? far_inside : far_outside;
        else
          inside = values_[static_cast<std::size_t>(slot) * block_nodes + block_cells] < 0;
      }
    }
}

DistanceGrid::Sample DistanceGrid::sample(const Vec3& x) const {
  // The cell, and where in it.
  const Eigen::Vector3i cells = block_cells * size_;
  Eigen::Vector3i cell;
  Vec3 t;
  for (int axis = 0; axis < 3; ++axis) {
    const double u =
        std::min(std::max(0.0, (x[axis] - origin_[axis]) / spacing_), 1.0 * cells[axis]);
    cell[axis] = std::min(static_cast<int>(u), cells[axis] - 1);
    t[axis] = u - cell[axis];
  }
  const Eigen::Vector3i b = cell / block_cells, in = cell - block_cells * b;
  const std::int32_t slot = block_[block_index(b)];
  if (slot < 0) return {slot == far_inside ? -band_ : band_, Vec3::Zero()};

  // Trilinear: four edges along x, two along y, one along z, with their differences.
  const float* v = &values_[static_cast<std::size_t>(slot) * block_nodes +
                            (in[2] * block_side + in[1]) * block_side + in[0]];
  constexpr int up_y = block_side, up_z = block_side * block_side;
  const auto mix = [](double a, double c, double w) { return a + w * (c - a); };
  const double x00 = mix(v[0], v[1], t[0]), x10 = mix(v[up_y], v[up_y + 1], t[0]);
  const double x01 = mix(v[up_z], v[up_z + 1], t[0]);
  const double x11 = mix(v[up_z + up_y], v[up_z + up_y + 1], t[0]);
  const double y0 = mix(x00, x10, t[1]), y1 = mix(x01, x11, t[1]);
  const auto rise = [v](int at) { return double(v[at + 1]) - double(v[at]); };
  const double dx0 = mix(rise(0), rise(up_y), t[1]);
  const double dx1 = mix(rise(up_z), rise(up_z + up_y), t[1]);
  const Vec3 gradient(mix(dx0, dx1, t[2]), mix(x10 - x00, x11 - x01, t[2]), y1 - y0);
  return {mix(y0, y1, t[2]), gradient / spacing_};
}

}  // namespace hydrolith
