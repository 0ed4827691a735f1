#include "hybrid/reseed.h"

#include "core/check.h"
#include "core/parallel.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace hydrolith::hybrid {

namespace {

/// A unit vector; those of successive ids are spread evenly, by the powers of the inverse of the
/// plastic number as steps of two sequences modulo one (32 bits).
Vec3 direction_of(std::uint32_t id, int dimensions) {
  const double a = 0x1p-32 * (id * 3242174889u), b = 0x1p-32 * (id * 2447445414u);
  const double angle = 2 * std::numbers::pi * a, z = dimensions == 3 ? 2 * b - 1 : 0;
  const double r = std::sqrt(1 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

/// Makes room for n particles and a few more, where std::vector would double.
void reserve(LiquidParticles& p, std::size_t n) {
  const auto grow = [n](auto& column) {
    if (column.capacity() < n) column.reserve(n + n / 16);
  };
  grow(p.x), grow(p.v), grow(p.c), grow(p.volume), grow(p.pressure), grow(p.id), grow(p.liquid);
}

/// Halves particle n; the other half is appended.
void split(LiquidParticles& p, std::size_t n, double distance, int dimensions) {
  p.volume[n] *= 0.5;
  const Vec3 x = p.x[n], v = p.v[n], d = distance * direction_of(p.next_id, dimensions);
  const Mat3f c = p.c[n];
  const Vec3 dv = c.cast<double>() * d;
  const float pressure = p.pressure[n];
  p.add(p.liquid[n], x - d, v - dv, p.volume[n]);
  p.c.back() = c;
  p.pressure.back() = pressure;
  p.x[n] = x + d;
  p.v[n] = v + dv;
}

/// Makes one of two. What is left of the smaller one is an empty place: volume 0.
void merge(LiquidParticles& p, std::size_t a, std::size_t b) {
  if (p.volume[b] > p.volume[a]) std::swap(a, b);
  const double volume = p.volume[a] + p.volume[b], w = p.volume[b] / volume;
  const auto wf = static_cast<float>(w);
  p.x[a] += w * (p.x[b] - p.x[a]);
  p.v[a] += w * (p.v[b] - p.v[a]);
  p.c[a] += wf * (p.c[b] - p.c[a]);
  p.pressure[a] += wf * (p.pressure[b] - p.pressure[a]);
  p.volume[a] = volume;
  p.volume[b] = 0;
}

/// Merges the nearest pairs of the range until `most` are left; how many mergers there were.
std::uint32_t merge_down(LiquidParticles& p, std::size_t begin, std::size_t end, std::size_t most) {
  std::uint32_t mergers = 0;
  for (std::size_t left = end - begin; left > most; --left, ++mergers) {
    double nearest_sq = std::numeric_limits<double>::infinity();
    std::size_t first = end, second = end;
    for (std::size_t i = begin; i < end; ++i) {
      if (p.volume[i] == 0) continue;
      for (std::size_t j = i + 1; j < end; ++j) {
        if (p.volume[j] == 0 || p.liquid[j] != p.liquid[i]) continue;
        const double distance_sq = (p.x[j] - p.x[i]).squaredNorm();
        if (distance_sq < nearest_sq) nearest_sq = distance_sq, first = i, second = j;
      }
    }
    if (first == end) break;  // as many liquids as particles
    merge(p, first, second);
  }
  return mergers;
}

/// Splits the largest particles of the range until there are `least`.
void split_up(LiquidParticles& p, std::size_t begin, std::size_t end, std::size_t least,
              double distance, int dimensions, std::vector<std::uint32_t>& members) {
  members.clear();
  for (std::size_t n = begin; n < end; ++n) members.push_back(static_cast<std::uint32_t>(n));
  while (members.size() < least) {
    std::uint32_t largest = members.front();
    for (const std::uint32_t n : members)
      if (p.volume[n] > p.volume[largest]) largest = n;
    members.push_back(static_cast<std::uint32_t>(p.size()));
    split(p, largest, distance, dimensions);
  }
}

/// Fills the empty places with particles from the end; `removed` ascends.
void close_gaps(LiquidParticles& p, const std::vector<std::uint32_t>& removed) {
  const auto take_last = [](auto& column, std::size_t n) {
    column[n] = column.back();
    column.pop_back();
  };
  for (auto n = removed.rbegin(); n != removed.rend(); ++n) {
    take_last(p.x, *n), take_last(p.v, *n), take_last(p.c, *n), take_last(p.volume, *n);
    take_last(p.pressure, *n), take_last(p.id, *n), take_last(p.liquid, *n);
  }
}

}  // namespace

ReseedReport reseed(const TileGrid& grid, std::span<const std::uint32_t> first,
                    const ReseedOptions& options, LiquidParticles& p, ReseedScratch& s) {
  const std::size_t tile_cells = grid.tile_cells(), sorted = p.size();
  const auto least = static_cast<std::size_t>(options.least);
  const auto most = static_cast<std::size_t>(options.most);
  require(options.least >= 1 && options.most >= options.least,
          "particles per cell: at least {} and at most {} cannot be", least, most);
  require(options.inside.empty() || options.inside.size() == grid.cells(), "{} marks for {} cells",
          options.inside.size(), grid.cells());
  const auto count = [&](std::size_t cell) -> std::size_t { return first[cell + 1] - first[cell]; };
  const auto lacks = [&](std::size_t cell) {
    return count(cell) > 0 && count(cell) < least && !options.inside.empty() &&
           options.inside[cell] != 0;
  };

  // Mergers concern one cell each; splits are only counted.
  s.splits.resize(grid.tiles());
  s.mergers.resize(grid.tiles());
  parallel_for(
      grid.tiles(),
      [&](std::size_t tile) {
        s.splits[tile] = s.mergers[tile] = 0;
        if (first[tile * tile_cells] == first[(tile + 1) * tile_cells]) return;
        for (std::size_t cell = tile * tile_cells; cell < (tile + 1) * tile_cells; ++cell) {
          if (count(cell) > most)
            s.mergers[tile] += merge_down(p, first[cell], first[cell + 1], most);
          else if (lacks(cell))
            s.splits[tile] += static_cast<std::uint32_t>(least - count(cell));
        }
      },
      1);

  reserve(p, std::accumulate(s.splits.begin(), s.splits.end(), p.size()));
  s.removed.clear();
  for (std::size_t tile = 0; tile < grid.tiles(); ++tile) {
    if (s.splits[tile] > 0)
      for (std::size_t cell = tile * tile_cells; cell < (tile + 1) * tile_cells; ++cell)
        if (lacks(cell))
          split_up(p, first[cell], first[cell + 1], least, options.step * grid.dx(),
                   grid.dimensions(), s.members);
    if (s.mergers[tile] > 0)
      for (std::size_t n = first[tile * tile_cells]; n < first[(tile + 1) * tile_cells]; ++n)
        if (p.volume[n] == 0) s.removed.push_back(static_cast<std::uint32_t>(n));
  }
  const ReseedReport report{.split = p.size() - sorted, .merged = s.removed.size()};
  close_gaps(p, s.removed);
  return report;
}

}  // namespace hydrolith::hybrid
