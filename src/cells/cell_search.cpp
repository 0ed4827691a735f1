#include "cells/cell_kernels.h"
#include "cells/cell_parts.h"
#include "core/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace hydrolith {

namespace {

constexpr std::uint64_t no_key = ~std::uint64_t(0);

// Grid cells are numbered in 21 bits along each axis and wrap beyond: cells two million apart share
// a key, which costs a few candidates that the test of distance throws out. Sorted by key, those of
// a block of 4 x 4 x 4 follow one another.
std::uint64_t cell_key(std::int64_t a, std::int64_t b, std::int64_t c) {
  constexpr std::uint64_t mask = (std::uint64_t(1) << 19) - 1;
  const std::uint64_t block = (std::uint64_t(a >> 2) & mask) |
                              (std::uint64_t(b >> 2) & mask) << 19 |
                              (std::uint64_t(c >> 2) & mask) << 38;
  return block << 6 | std::uint64_t((c & 3) << 4 | (b & 3) << 2 | (a & 3));
}

std::int64_t grid_coordinate(double x, double inverse_width) {
  return std::int64_t(std::floor(x * inverse_width));
}

std::size_t hashed(std::uint64_t key, std::size_t mask) {
  key *= 0x9E3779B97F4A7C15u;
  return std::size_t(key ^ key >> 32) & mask;
}

}  // namespace

void CellSearch::build(double cell_width, int dimensions, std::span<const Vec3> x) {
  width_ = cell_width;
  dimensions_ = dimensions;
  x_ = x;
  keys_.resize(x.size());
  parallel_for(
      x.size(),
      [&](std::size_t i) {
        std::int64_t at[3] = {0, 0, 0};
        for (int k = 0; k < dimensions; ++k) at[k] = grid_coordinate(x[i][k], 1 / width_);
        keys_[i] = cell_key(at[0], at[1], at[2]);
      },
      4096);
  order_.clear();
  if (fill_slots()) return;
  sort();
  fill_slots();
}

/// False if the places of a grid cell do not follow one another.
bool CellSearch::fill_slots() {
  begin_.clear();
  for (std::size_t k = 0; k < keys_.size(); ++k)
    if (k == 0 || keys_[k] != keys_[k - 1]) begin_.push_back(std::uint32_t(k));
  const std::size_t occupied = begin_.size(), slots = std::bit_ceil(2 * occupied + 2);
  begin_.push_back(std::uint32_t(keys_.size()));
  slots_.assign(slots, {no_key, 0, 0});
  for (std::size_t cell = 0; cell < occupied; ++cell) {
    const std::uint64_t key = keys_[begin_[cell]];
    std::size_t slot = hashed(key, slots - 1);
    for (; slots_[slot].key != no_key; slot = (slot + 1) & (slots - 1))
      if (slots_[slot].key == key) return false;
    slots_[slot] = {key, begin_[cell], begin_[cell + 1]};
  }
  return true;
}

void CellSearch::sort() {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> entries(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) entries[i] = {keys_[i], std::uint32_t(i)};
  oneapi::tbb::parallel_sort(entries.begin(), entries.end());
  order_.resize(keys_.size());
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    keys_[k] = entries[k].first;
    order_[k] = entries[k].second;
  }
}

std::pair<std::uint32_t, std::uint32_t> CellSearch::places(std::int64_t a, std::int64_t b,
                                                           std::int64_t c) const {
  const std::uint64_t key = cell_key(a, b, c);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hashed(key, mask);
  while (slots_[slot].key != key && slots_[slot].key != no_key) slot = (slot + 1) & mask;
  return {slots_[slot].begin, slots_[slot].end};
}

/// Calls f for the grid cells from that of `low` less `more` to that of `high` and `more`.
template <class F>
void CellSearch::for_each_cell(const Vec3& low, const Vec3& high, int more, F&& f) const {
  std::int64_t from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
  for (int k = 0; k < dimensions_; ++k) {
    from[k] = grid_coordinate(low[k], 1 / width_) - more;
    to[k] = grid_coordinate(high[k], 1 / width_) + more;
  }
  for (std::int64_t c = from[2]; c <= to[2]; ++c)
    for (std::int64_t b = from[1]; b <= to[1]; ++b)
      for (std::int64_t a = from[0]; a <= to[0]; ++a) f(a, b, c);
}

void CellSearch::shell(const Vec3& x, std::uint32_t self, double inner, double outer,
                       std::vector<Candidate>& out) const {
  out.clear();
  const double inner_sq = inner * inner, outer_sq = outer * outer;
  const Vec3 reach = Vec3::Constant(outer);
  // Distance along one axis from x to a grid cell, squared, a little less than it is.
  const auto gap_sq = [&](int axis, std::int64_t at) {
    if (axis >= dimensions_) return 0.0;
    const double a = double(at) * width_ - x[axis], gap = std::max({a, -a - width_, 0.0});
    return gap * gap * (1 - 1e-9);
  };
  for_each_cell(x - reach, x + reach, 0, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    if (gap_sq(0, a) + gap_sq(1, b) + gap_sq(2, c) >= outer_sq) return;
    const auto [begin, end] = places(a, b, c);
    for (std::uint32_t k = begin; k < end; ++k) {
      const double r_sq = (position(k) - x).squaredNorm();
      if (r_sq >= inner_sq && r_sq < outer_sq && particle(k) != self)
        out.push_back({r_sq, particle(k)});
    }
  });
  std::sort(out.begin(), out.end(), [](const Candidate& p, const Candidate& q) {
    return p.distance_sq != q.distance_sq ? p.distance_sq < q.distance_sq : p.particle < q.particle;
  });
}

void CellSearch::within(const Vec3& x, double r, std::vector<std::uint32_t>& out) const {
  out.clear();
  const Vec3 reach = Vec3::Constant(r);
  for_each_cell(x - reach, x + reach, 0, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    const auto [begin, end] = places(a, b, c);
    for (std::uint32_t k = begin; k < end; ++k)
      if ((position(k) - x).squaredNorm() < r * r) out.push_back(particle(k));
  });
  std::sort(out.begin(), out.end());
}

std::size_t CellSearch::gather(std::size_t place, double reach, Surroundings& out) const {
  std::size_t end = place + 1;
  while (end < keys_.size() && keys_[end] == keys_[place]) ++end;
  out.box = {};
  for (std::size_t k = place; k < end; ++k) out.box.include(position(k));
  const Vec3 first = position(place);
  out.centre = first;
  out.places.clear();
  const int around = static_cast<int>(std::ceil(reach / width_));
  for_each_cell(first, first, around, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    const auto [from, to] = places(a, b, c);
    for (std::uint32_t k = from; k < to; ++k) out.places.push_back(k);
  });
  const std::size_t room = out.places.size() + kernel_padding;
  for (std::vector<float>* column : {&out.x, &out.y, &out.z, &out.distance_sq})
    column->resize(std::max(column->size(), room));
  out.found.resize(std::max(out.found.size(), room));
  // None of this grid cell is nearer to what lies farther than that from the box around all.
  const double most_sq = reach * reach * (1 + 1e-4);
  std::size_t count = 0;
  for (const std::uint32_t other : out.places) {
    const Vec3& y = position(other);
    const Vec3 gap = (out.box.lo - y).cwiseMax(y - out.box.hi).cwiseMax(0);
    const Vec3f x = (y - first).cast<float>();
    out.places[count] = other;
    out.x[count] = x.x();
    out.y[count] = x.y();
    out.z[count] = x.z();
    count += gap.squaredNorm() < most_sq;
  }
  out.places.resize(count);
  return end;
}

// Single precision finds a few more; the caller knows the exact distance.
static float widened_sq(double r) { return float(r * r * (1 + 1e-4)); }

std::size_t CellSearch::find(const Vec3& x, double r, Surroundings& in) const {
  const Vec3f p = (x - in.centre).cast<float>();
  return find_near(in.x.data(), in.y.data(), in.z.data(), in.places.size(), p.data(), widened_sq(r),
                   in.found.data(), in.distance_sq.data());
}

void CellSearch::near(const Vec3& x, double r, Surroundings& in, std::vector<Near>& out) const {
  const std::size_t found = find(x, r, in);
  const float r_sq = widened_sq(r);
  std::uint32_t begin[bands + 1] = {};
  const float bands_per_sq = float(bands) * 0.9999f / r_sq;
  const auto band = [&](std::size_t k) { return std::size_t(in.distance_sq[k] * bands_per_sq); };
  for (std::size_t k = 0; k < found; ++k) ++begin[band(k) + 1];
  for (std::size_t b = 0; b < bands; ++b) begin[b + 1] += begin[b];
  out.resize(found);
  for (std::size_t k = 0; k < found; ++k)
    out[begin[band(k)]++] = {in.distance_sq[k], in.places[in.found[k]]};
}

}  // namespace hydrolith
