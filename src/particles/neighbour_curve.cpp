#include "particles/neighbour_curve.h"

#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace hydrolith::particles {

namespace {

constexpr std::size_t chunk = 8192;  // points that one task goes through
constexpr int axis_bits = 10;        // bits of a cell coordinate that fit into a key

std::size_t chunks_of(std::size_t n) { return (n + chunk - 1) / chunk; }

/// Bits 0 to 9 of a, each followed by two zeros.
std::uint32_t spread(std::uint32_t a) {
  a &= 0x3ff;
  a = (a | a << 16) & 0x030000ff;
  a = (a | a << 8) & 0x0300f00f;
  a = (a | a << 4) & 0x030c30c3;
  return (a | a << 2) & 0x09249249;
}

std::uint32_t morton(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return spread(x) | spread(y) << 1 | spread(z) << 2;
}

}  // namespace

/// Cell of every point, and the box around those that are not lost.
CurveOrder::CellBox CurveOrder::place(const Kernel& kernel, std::span<const Vec3> x) {
  constexpr CellBox nothing{{INT32_MAX, INT32_MAX, INT32_MAX}, lost_cell, false};
  const auto join = [](const CellBox& a, const CellBox& b) {
    return CellBox{{std::min(a.lo.x, b.lo.x), std::min(a.lo.y, b.lo.y), std::min(a.lo.z, b.lo.z)},
                   {std::max(a.hi.x, b.hi.x), std::max(a.hi.y, b.hi.y), std::max(a.hi.z, b.hi.z)},
                   a.lost || b.lost};
  };
  const CellScale scale(kernel);
  cells_.resize(x.size());
  boxes_.resize(chunks_of(x.size()));
  const auto place_chunk = [&](std::size_t b) {
    CellBox box = nothing;
    for (std::size_t i = b * chunk; i < std::min(x.size(), (b + 1) * chunk); ++i) {
      const CellIndex c = cells_[i] = scale.cell(x[i]);
      if (c == lost_cell)
        box.lost = true;
      else
        box = join(box, {c, c, false});
    }
    boxes_[b] = box;
  };
  parallel_for(boxes_.size(), place_chunk, 1);
  CellBox all = nothing;
  for (const CellBox& box : boxes_) all = join(all, box);
  return all;
}

/// item.key = key(cell of item.point), for all items; returns whether the keys do not fall.
/// Neighbours in the order mostly share a cell, so that its key is at hand.
template <class Key>
bool CurveOrder::set_keys(const Key& key) {
  std::atomic<bool> sorted = true;
  const auto set_chunk = [&](std::size_t b) {
    const std::size_t begin = b * chunk;
    CellIndex cell = cells_[items_[begin == 0 ? 0 : begin - 1].point];
    std::uint32_t last = key(cell);
    for (std::size_t k = begin; k < std::min(items_.size(), begin + chunk); ++k) {
      const CellIndex& c = cells_[items_[k].point];
      if (c != cell) {
        const std::uint32_t next = key(c);
        if (next < last) sorted.store(false, std::memory_order_relaxed);
        cell = c;
        last = next;
      }
      items_[k].key = last;
    }
  };
  parallel_for(chunks_of(items_.size()), set_chunk, 1);
  return sorted;
}

bool CurveOrder::sort(const Kernel& kernel, std::span<const Vec3> x) {
  const CellBox box = place(kernel, x);
  items_.resize(x.size());
  if (x.empty()) return false;
  parallel_for(
      x.size(), [&](std::size_t i) { items_[i].point = static_cast<std::uint32_t>(i); }, chunk);
  if (box.lo.x > box.hi.x) return false;  // all lost

  // Keys count from the first brick, so that every brick is one piece of the curve.
  const CellIndex origin{box.lo.x & ~3, box.lo.y & ~3, box.lo.z & ~3};
  const auto extent = [](std::int32_t hi, std::int32_t lo) {
    return static_cast<std::uint32_t>(hi) - static_cast<std::uint32_t>(lo);
  };
  const int bits = std::max(
      1,
      static_cast<int>(std::bit_width(std::max(
          {extent(box.hi.x, origin.x), extent(box.hi.y, origin.y), extent(box.hi.z, origin.z)}))));
  const auto key_from = [&](int shift, int count) {  // of `count` bits from `shift` on
    return [=](const CellIndex& c) {
      if (c == lost_cell) return std::uint32_t{1} << 3 * count;
      return morton(extent(c.x, origin.x) >> shift, extent(c.y, origin.y) >> shift,
                    extent(c.z, origin.z) >> shift);
    };
  };
  // A box too wide for one key is sorted by its low bits first; the sort is stable.
  for (int shift = 0; shift < bits; shift += axis_bits) {
    const int count = std::min(axis_bits, bits - shift);
    if (set_keys(key_from(shift, count)) && count == bits) return false;
    radix_sort(3 * count + (box.lost ? 1 : 0));
  }
  return true;
}

/// Stable, from the lowest digit to the highest.
void CurveOrder::radix_sort(int bits) {
  constexpr int most = 11;
  const int passes = (bits + most - 1) / most;
  for (int pass = 0; pass < passes; ++pass) {
    const int from = bits * pass / passes, to = bits * (pass + 1) / passes;
    radix_pass(from, to - from);
  }
}

void CurveOrder::radix_pass(int shift, int bits) {
  constexpr std::size_t most_parts = 16;
  const std::size_t n = items_.size(), digits = std::size_t{1} << bits;
  const std::size_t parts = std::min(chunks_of(n), most_parts), length = (n + parts - 1) / parts;
  const auto digit = [&](const Item& item) { return item.key >> shift & (digits - 1); };
  const auto for_part = [&](std::size_t part, auto&& f) {
    for (std::size_t k = part * length; k < std::min(n, (part + 1) * length); ++k) f(items_[k]);
  };
  counts_.assign(parts * digits, 0);
  moved_.resize(n);
  parallel_for(
      parts,
      [&](std::size_t p) { for_part(p, [&](const Item& i) { ++counts_[p * digits + digit(i)]; }); },
      1);
  std::uint32_t place = 0;
  for (std::size_t d = 0; d < digits; ++d)
    for (std::size_t p = 0; p < parts; ++p) {
      const std::uint32_t count = counts_[p * digits + d];
      counts_[p * digits + d] = place;
      place += count;
    }
  parallel_for(
      parts,
      [&](std::size_t p) {
        for_part(p, [&](const Item& i) { moved_[counts_[p * digits + digit(i)]++] = i; });
      },
      1);
  items_.swap(moved_);
}

}  // namespace hydrolith::particles
