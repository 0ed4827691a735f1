#include "particles/neighbour_grid.h"

#include "core/check.h"
#include "core/parallel.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace hydrolith::particles {

namespace {

constexpr std::size_t chunk = 8192;  // points that one task goes through
constexpr std::uint8_t brick_start = 128;

void require_order(bool in_order) {
  require(in_order, "neighbour search: the points are not sorted along the curve");
}

}  // namespace

void CellGrid::build(const Kernel& kernel, std::span<const Vec3> from) {
  const std::size_t known = index.size();
  index.resize(std::max(known, from.size() + padding));
  std::iota(index.begin() + known, index.end(), static_cast<std::uint32_t>(known));
  sort_into_bricks(kernel, from);
}

void CellGrid::build(const Kernel& kernel, std::span<const Vec3> from,
                     std::span<const std::uint32_t> indices) {
  index.resize(from.size() + padding);
  std::copy(indices.begin(), indices.end(), index.begin());
  sort_into_bricks(kernel, from);
}

void CellGrid::sort_into_bricks(const Kernel& kernel, std::span<const Vec3> from) {
  place(kernel, from);
  list_bricks();
  fill_bricks(kernel, from);
  hash_bricks();
}

/// Position in its cell and code of every point; brick starts and lost points of every chunk.
void CellGrid::place(const Kernel& kernel, std::span<const Vec3> from) {
  const CellScale scale(kernel);
  const std::size_t n = from.size(), chunks = (n + chunk - 1) / chunk;
  for (std::vector<float>* column : {&x, &y, &z}) column->resize(n + padding);
  code_.resize(n);
  starts_.resize(chunks);
  lost_.resize(chunks);
  const bool flat = kernel.dimensions == 2;
  const auto place_chunk = [&](std::size_t b) {
    const std::size_t begin = b * chunk, end = std::min(n, begin + chunk);
    CellIndex last = begin == 0 ? lost_cell : brick_of(scale.cell(from[begin - 1]));
    std::uint32_t starts = 0, lost = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const CellIndex c = scale.cell(from[i]);
      if (c == lost_cell) {
        ++lost;
        continue;
      }
      require_order(lost == 0);
      x[i] = scale.within(from[i].x(), c.x);
      y[i] = scale.within(from[i].y(), c.y);
      z[i] = flat ? 0.0f : scale.within(from[i].z(), c.z);
      const CellIndex here = brick_of(c);
      const bool start = here != last;
      code_[i] = static_cast<std::uint8_t>(cell_in_brick(c) | (start ? brick_start : 0));
      starts += start ? 1 : 0;
      last = here;
    }
    starts_[b] = starts;
    lost_[b] = lost;
  };
  parallel_for(chunks, place_chunk, 1);
  points = n;
  for (std::size_t b = 0; b < chunks; ++b) {
    require_order(points == n || lost_[b] == std::min(n, (b + 1) * chunk) - b * chunk);
    points -= lost_[b];
  }
}

void CellGrid::list_bricks() {
  std::uint32_t total = 0;
  for (std::uint32_t& starts : starts_) total += std::exchange(starts, total);
  brick_first_.resize(total);
  const auto list_chunk = [&](std::size_t b) {
    std::uint32_t brick_number = starts_[b];
    for (std::size_t i = b * chunk; i < std::min(points, (b + 1) * chunk); ++i)
      if (code_[i] & brick_start) brick_first_[brick_number++] = static_cast<std::uint32_t>(i);
  };
  parallel_for(starts_.size(), list_chunk, 1);
}

void CellGrid::fill_bricks(const Kernel& kernel, std::span<const Vec3> from) {
  const CellScale scale(kernel);
  const std::size_t bricks = brick_first_.size();
  brick.resize(bricks);
  first.resize(64 * bricks + 1);
  first.back() = static_cast<std::uint32_t>(points);
  const auto fill = [&](std::size_t b) {
    const std::size_t begin = brick_first_[b];
    const std::size_t end = b + 1 < bricks ? brick_first_[b + 1] : points;
    brick[b] = brick_of(scale.cell(from[begin]));
    std::uint32_t cell = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t c = code_[i] & 63u;
      require_order(i == begin || c + 1 >= cell);
      for (; cell <= c; ++cell) first[64 * b + cell] = static_cast<std::uint32_t>(i);
    }
    for (; cell < 64; ++cell) first[64 * b + cell] = static_cast<std::uint32_t>(end);
  };
  parallel_for(bricks, fill, 64);
}

std::size_t CellGrid::slot(const CellIndex& b) const {
  const auto wide = [](std::int32_t a) { return static_cast<std::uint64_t>(a); };
  std::uint64_t key = wide(b.x) * 0x9e3779b97f4a7c15 ^ wide(b.y) * 0xc2b2ae3d27d4eb4f ^
                      wide(b.z) * 0x165667b19e3779f9;
  key ^= key >> 32;
  return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15 >> 32) & (table_.size() - 1);
}

void CellGrid::hash_bricks() {
  table_.assign(std::bit_ceil(2 * brick.size() + 1), no_brick);
  for (std::uint32_t b = 0; b < brick.size(); ++b) {
    std::size_t at = slot(brick[b]);
    for (; table_[at] != no_brick; at = (at + 1) & (table_.size() - 1))
      require_order(brick[table_[at]] != brick[b]);
    table_[at] = b;
  }
}

std::uint32_t CellGrid::find_brick(const CellIndex& b) const {
  for (std::size_t at = slot(b);; at = (at + 1) & (table_.size() - 1))
    if (table_[at] == no_brick || brick[table_[at]] == b) return table_[at];
}

std::uint32_t CellGrid::brick_at(std::size_t place) const {
  const auto next = std::upper_bound(brick_first_.begin(), brick_first_.end(), place);
  return static_cast<std::uint32_t>(next - brick_first_.begin()) - 1;
}

void CellHalo::read(const CellGrid& grid, const CellIndex& centre) {
  points = 0;
  if (grid.points == 0) return;
  std::array<std::uint32_t, 27> near;
  bool found = false;
  for (int k = 0; k < 27; ++k) {
    near[k] =
        grid.find_brick({centre.x + k % 3 - 1, centre.y + k / 3 % 3 - 1, centre.z + k / 9 - 1});
    found |= near[k] != CellGrid::no_brick;
  }
  if (!found) return;
  for (int cz = -1; cz <= 4; ++cz)
    for (int cy = -1; cy <= 4; ++cy)
      for (int cx = -1; cx <= 4; ++cx) {
        const std::size_t b = near[((cz >> 2) + 1) * 9 + ((cy >> 2) + 1) * 3 + (cx >> 2) + 1];
        const std::size_t c = 64 * b + cell_in_brick({cx, cy, cz});
        const Range range =
            b == CellGrid::no_brick ? Range{0, 0} : Range{grid.first[c], grid.first[c + 1]};
        cell[at(cx, cy, cz)] = range;
        points += range.end - range.begin;
      }
}

}  // namespace hydrolith::particles
