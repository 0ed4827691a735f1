#include "hybrid/tile_grid.h"

#include "core/check.h"
#include "core/parallel.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

namespace {

// Tile coordinates as one number that sorts by (z, y, x): 21 bits each.
constexpr int bias = 1 << 20;
constexpr std::uint64_t mask = (1u << 21) - 1;

std::uint64_t key_of(const Cell3& t) {
  const auto part = [](int c) { return static_cast<std::uint64_t>(c + bias) & mask; };
  return part(t.z()) << 42 | part(t.y()) << 21 | part(t.x());
}

Cell3 tile_from(std::uint64_t key) {
  const auto part = [&](int shift) { return static_cast<int>(key >> shift & mask) - bias; };
  return {part(0), part(21), part(42)};
}

int floor_divide(int a, int b) { return (a >= 0 ? a : a - b + 1) / b; }

}  // namespace

void TileGrid::cover(std::span<const Vec3> points) {
  // Sort and unite in blocks: neighbouring points mostly share a tile.
  std::vector<std::uint64_t>& found = scratch_;
  found.clear();
  std::uint64_t last = ~std::uint64_t{0};
  for (const Vec3& x : points) {
    const Cell3 c = cell_of(x);
    const Cell3 t(floor_divide(c.x(), side), floor_divide(c.y(), side),
                  floor_divide(c.z(), depth_));
    require((t.array().abs() < bias - 2).all(),
            "liquid at [{:.3g}, {:.3g}, {:.3g}] m has left the range of the grid. Give the scene "
            "a domain in which liquid may be",
            x.x(), x.y(), x.z());
    const std::uint64_t key = key_of(t);
    if (key != last) found.push_back(last = key);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  const std::size_t own = found.size();

  keys_.clear();
  const int rz = dimensions_ == 3 ? 1 : 0;
  for (std::size_t n = 0; n < own; ++n) {
    const Cell3 t = tile_from(found[n]);
    for (int oz = -rz; oz <= rz; ++oz)
      for (int oy = -1; oy <= 1; ++oy)
        for (int ox = -1; ox <= 1; ++ox) keys_.push_back(key_of(t + Cell3(ox, oy, oz)));
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());

  tile_.resize(keys_.size());
  near_.resize(keys_.size());
  holds_.resize(keys_.size());
  parallel_for(keys_.size(), [&](std::size_t n) {
    const Cell3 t = tile_[n] = tile_from(keys_[n]);
    holds_[n] = std::binary_search(found.begin(), found.end(), keys_[n]);
    for (int oz = -1; oz <= 1; ++oz)
      for (int oy = -1; oy <= 1; ++oy)
        for (int ox = -1; ox <= 1; ++ox)
          near_[n][static_cast<std::size_t>((oz + 1) * 9 + (oy + 1) * 3 + ox + 1)] =
              std::abs(oz) <= rz ? find_tile(t + Cell3(ox, oy, oz)) : none;
  });
}

std::int32_t TileGrid::find_tile(const Cell3& t) const {
  if ((t.array().abs() >= bias - 1).any()) return none;
  const std::uint64_t key = key_of(t);
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
  return at != keys_.end() && *at == key ? static_cast<std::int32_t>(at - keys_.begin()) : none;
}

std::int32_t TileGrid::find_cell(const Cell3& c) const {
  const Cell3 t(floor_divide(c.x(), side), floor_divide(c.y(), side), floor_divide(c.z(), depth_));
  const std::int32_t tile = find_tile(t);
  if (tile == none) return none;
  const Cell3 local = c - Cell3(side * t.x(), side * t.y(), depth_ * t.z());
  return cell_at(static_cast<std::size_t>(tile), local.x(), local.y(), local.z());
}

}  // namespace hydrolith::hybrid
