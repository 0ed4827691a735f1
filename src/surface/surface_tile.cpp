#include "surface/surface_tile.h"

#include "core/float4.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

/// Nodes of one axis that a particle reaches, relative to the tile: lo .. hi, none if lo > hi.
struct Reach {
  int lo, hi;
  int at;          // the particle lies at + fraction
  float fraction;  // [cells]

  /// Distance [cells] of a node, rounded once: the same bits in every tile.
  float to(int node) const { return static_cast<float>(node - at) - fraction; }
};

Reach reach_of(std::int32_t node, float fraction, float radius, std::int32_t first, int size) {
  const int at = node - first;
  const int lo = std::max(0, at + static_cast<int>(std::ceil(fraction - radius)));
  const int hi = std::min(size, at + static_cast<int>(std::floor(fraction + radius)));
  return {lo, hi, at, fraction};
}

}  // namespace

void TileField::reset(const GridIndex& first_node, int cells) {
  first = first_node;
  size = cells;
  rows_ = static_cast<std::size_t>(cells) + 1;
  stride_ = (rows_ + 3) / 4 * 4;
  values_.assign(rows_ * rows_ * stride_, 0.0f);
}

void TileField::clear_layer(int z) {
  std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(index(0, 0, z)), rows_ * stride_, 0.0f);
}

void TileField::add(const BinnedParticle& p, float amount, float radius) {
  Reach x = reach_of(p.node[0], p.fraction[0], radius, first[0], size);
  const Reach y = reach_of(p.node[1], p.fraction[1], radius, first[1], size);
  const Reach z = reach_of(p.node[2], p.fraction[2], radius, first[2], size);
  if (x.lo > x.hi || y.lo > y.hi || z.lo > z.hi) return;
  // Rows are added in groups of four nodes; nodes beyond the reach get nothing.
  x.lo -= x.lo % 4;
  const int groups = (x.hi - x.lo) / 4 + 1;
  const float scale = 1 / (radius * radius);
  Float4 along[20];  // 1 - dx^2 of each group, enough for a radius of 32 cells
  for (int g = 0; g < groups; ++g) {
    const int i = x.lo + 4 * g;
    const Float4 d(x.to(i), x.to(i + 1), x.to(i + 2), x.to(i + 3));
    along[g] = Float4(1.0f) - scale * (d * d);
  }
  const Float4::Lanes zero = Float4(0.0f).lanes, weight = Float4(amount).lanes;
  for (int k = z.lo; k <= z.hi; ++k) {
    const float dz = z.to(k);
    for (int j = y.lo; j <= y.hi; ++j) {
      const float dy = y.to(j);
      const float across = scale * (dy * dy + dz * dz);
      if (across >= 1) continue;
      float* row = &values_[index(x.lo, j, k)];
      for (int g = 0; g < groups; ++g, row += 4) {
        Float4::Lanes t = along[g].lanes - Float4(across).lanes;
        t = t > zero ? t : zero;
        Float4::Lanes sum;
        __builtin_memcpy(&sum, row, sizeof sum);
        sum += weight * (t * t * t);
        __builtin_memcpy(row, &sum, sizeof sum);
      }
    }
  }
}

std::vector<GridIndex> find_tiles(const ParticleBins& bins) {
  std::vector<GridIndex> tiles;  // as z, y, x, to sort
  const auto tile_of = [](std::int32_t bin) {
    return bin >= 0 ? bin / tile_bins : -((tile_bins - 1 - bin) / tile_bins);
  };
  for (const std::uint64_t key : bins.key) {
    const GridIndex b = bin_of_key(key);
    for (int z = tile_of(b[2] - 1); z <= tile_of(b[2] + 1); ++z)
      for (int y = tile_of(b[1] - 1); y <= tile_of(b[1] + 1); ++y)
        for (int x = tile_of(b[0] - 1); x <= tile_of(b[0] + 1); ++x) tiles.push_back({z, y, x});
  }
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  for (GridIndex& t : tiles) std::swap(t[0], t[2]);
  return tiles;
}

void fill_tile(const ParticleBins& bins, const GridIndex& tile, int dimensions, TileField& field) {
  const int size = tile_bins * bins.grid.bin;
  field.reset({tile[0] * size, tile[1] * size, tile[2] * size}, size);
  for_tile_particles(bins, tile, [&](const BinnedParticle& p) {
    field.add(p, bins.grid.peak * p.weight, bins.grid.radius);
  });
  if (dimensions == 3) return;
  for (int z = 0; z <= size; ++z)
    if (field.first[2] + z != 0 && field.first[2] + z != 1) field.clear_layer(z);
}

}  // namespace hydrolith
