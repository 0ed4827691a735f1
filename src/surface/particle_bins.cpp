#include "surface/particle_bins.h"

#include "core/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

namespace {

constexpr std::int32_t most_bins = 1 << 19;  // from the origin, either way

std::uint64_t key_of(int x, int y, int z) {
  const auto part = [](int i) { return static_cast<std::uint64_t>(i + 2 * most_bins); };
  return part(z) << 42 | part(y) << 21 | part(x);
}

std::int32_t floor_div(std::int32_t a, std::int32_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

struct Sortable {
  std::uint64_t key;
  std::uint32_t particle;
  bool operator<(const Sortable& b) const {
    return key != b.key ? key < b.key : particle < b.particle;
  }
};

/// Where a particle lies on the grid; false if it lies nowhere.
bool place(const Vec3f& x, const SurfaceGrid& grid, BinnedParticle& out) {
  for (int k = 0; k < 3; ++k) {
    const double u = static_cast<double>(x[k]) / grid.cell;
    if (!(std::abs(u) < static_cast<double>(most_bins - 4) * grid.bin)) return false;
    const double node = std::floor(u);
    out.node[k] = static_cast<std::int32_t>(node);
    out.fraction[k] = static_cast<float>(u - node);
  }
  return true;
}

/// Copies along z for two-dimensional liquids: enough that the slab sees no end of its column. Its
/// middle is half way between nodes 0 and 1.
std::vector<Vec3f> columns_of(const std::vector<Vec3f>& position, const SurfaceGrid& grid,
                              double spacing) {
  const int copies = static_cast<int>(std::ceil(grid.radius * grid.cell / spacing)) + 1;
  std::vector<Vec3f> all;
  all.reserve(position.size() * static_cast<std::size_t>(2 * copies + 1));
  for (const Vec3f& x : position)
    for (int k = -copies; k <= copies; ++k)
      all.emplace_back(x.x(), x.y(), static_cast<float>(0.5 * grid.cell + k * spacing));
  return all;
}

/// Bulk liquid has density 1, a flat surface 0.8: these keep their weight, and a flat surface its
/// place. Below, weights grow so that a single particle (density = peak) becomes a drop of its own
/// volume, spacing^3. Triangles cut corners off a ball, the more the larger the cell: the drop is
/// made larger by as much (fitted to cells of 0.5 to 1 spacing).
struct ThinLiquid {
  static constexpr float limit = 0.75f;  // [-] density below which liquid is thin
  float power = 0;

  explicit ThinLiquid(const SurfaceGrid& grid) {
    constexpr float pi = std::numbers::pi_v<float>;
    const float radius = std::cbrt(315 / (64 * pi * grid.peak));  // [spacings]
    const float drop = std::cbrt(0.75f / pi) / radius;            // [radii]
    const float cell = radius / grid.radius;                      // [spacings]
    const float single =
        0.5f * (1 + 0.48f * cell * cell) / (grid.peak * particle_shape(drop * drop));
    power = std::log(single) / std::log(limit / grid.peak);
  }
  float weight(float density) const {
    return density < limit ? std::pow(limit / density, power) : 1.0f;
  }
};

}  // namespace

SurfaceGrid surface_grid(double spacing, double cell, double radius) {
  SurfaceGrid grid;
  grid.cell = cell * spacing;
  grid.radius = static_cast<float>(radius / cell);
  // The integral of (1 - r^2/R^2)^3 over the ball of radius R is 64 pi R^3 / 315.
  grid.peak = static_cast<float>(315 / (64 * std::numbers::pi * std::pow(radius, 3)));
  grid.bin = static_cast<int>(std::ceil(radius / cell - 1e-6));
  return grid;
}

GridIndex ParticleBins::bin_of(const GridIndex& node) const {
  return {floor_div(node[0], grid.bin), floor_div(node[1], grid.bin), floor_div(node[2], grid.bin)};
}

GridIndex bin_of_key(std::uint64_t key) {
  const auto part = [](std::uint64_t bits) {
    return static_cast<std::int32_t>(bits & 0x1fffff) - 2 * most_bins;
  };
  return {part(key), part(key >> 21), part(key >> 42)};
}

std::span<const BinnedParticle> ParticleBins::row(int x0, int x1, int y, int z) const {
  const auto first = std::lower_bound(key.begin(), key.end(), key_of(x0, y, z));
  auto last = first;
  for (const std::uint64_t end = key_of(x1, y, z); last != key.end() && *last <= end;) ++last;
  const std::uint32_t a = start[static_cast<std::size_t>(first - key.begin())];
  const std::uint32_t b = start[static_cast<std::size_t>(last - key.begin())];
  return {particles.data() + a, b - a};
}

ParticleBins bin_particles(const std::vector<Vec3f>& position, const SurfaceGrid& grid,
                           double spacing, int dimensions) {
  const std::vector<Vec3f> columns =
      dimensions == 2 ? columns_of(position, grid, spacing) : std::vector<Vec3f>();
  const std::vector<Vec3f>& all = dimensions == 2 ? columns : position;
  const std::size_t copies = position.empty() ? 1 : all.size() / position.size();

  ParticleBins bins;
  bins.grid = grid;
  std::vector<BinnedParticle> placed(all.size());
  std::vector<Sortable> order(all.size());
  constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  parallel_for(all.size(), [&](std::size_t i) {
    order[i] = {nowhere, static_cast<std::uint32_t>(i)};
    placed[i].source = static_cast<std::uint32_t>(i / copies);
    if (!place(all[i], grid, placed[i])) return;
    const GridIndex b = bins.bin_of(placed[i].node);
    order[i].key = key_of(b[0], b[1], b[2]);
  });
  oneapi::tbb::parallel_sort(order);
  while (!order.empty() && order.back().key == nowhere) order.pop_back();
  bins.left_out = (all.size() - order.size()) / copies;

  bins.particles.resize(order.size());
  parallel_for(order.size(), [&](std::size_t i) { bins.particles[i] = placed[order[i].particle]; });
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || order[i].key != order[i - 1].key) {
      bins.key.push_back(order[i].key);
      bins.start.push_back(static_cast<std::uint32_t>(i));
    }
  bins.start.push_back(static_cast<std::uint32_t>(order.size()));
  return bins;
}

void weigh_particles(ParticleBins& bins) {
  const float peak = bins.grid.peak;
  std::vector<float> density(bins.particles.size());
  parallel_for(
      bins.key.size(),
      [&](std::size_t b) {
        const NearRows rows(bins, bin_of_key(bins.key[b]));
        for (std::uint32_t i = bins.start[b]; i < bins.start[b + 1]; ++i) {
          const BinnedParticle& p = bins.particles[i];
          float sum = 0;
          rows.for_each(p.node, p.fraction,
                        [&](const BinnedParticle&, float shape) { sum += shape; });
          density[i] = peak * sum;
        }
      },
      16);
  const ThinLiquid thin(bins.grid);
  parallel_for(density.size(), [&](std::size_t i) {
    bins.particles[i].density = density[i];
    bins.particles[i].weight = thin.weight(density[i]);
  });
}

}  // namespace hydrolith
