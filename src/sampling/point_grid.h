#pragma once
// Points in a hashed grid of cubic cells: grows point by point, answers who is near.

#include "hydrolith/vec.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hydrolith {

class PointGrid {
 public:
  /// `cell` [m]: about the radius that will be asked for.
  explicit PointGrid(double cell, std::size_t expected = 0) : inverse_cell_(1 / cell) {
    points_.reserve(expected);
    next_.reserve(expected);
    std::size_t slots = 64;
    while (slots < expected) slots *= 2;
    slots_.resize(slots);
  }
  PointGrid(double cell, std::span<const Vec3> points) : PointGrid(cell, points.size()) {
    for (const Vec3& x : points) insert(x);
  }

  void insert(const Vec3& x) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = find(key_of(cell(x.x()), cell(x.y()), cell(x.z())));
    if (slot.first == none) ++used_;
    next_.push_back(slot.first);
    slot.first = static_cast<std::uint32_t>(points_.size());
    points_.push_back(x);
  }

  std::size_t size() const { return points_.size(); }
  const Vec3& point(std::size_t i) const { return points_[i]; }

  /// Calls f(index, squared distance) for every point nearer than r, in a fixed order.
  template <class F>
  void for_each_near(const Vec3& x, double r, F&& f) const {
    const double r_sq = r * r;
    visit(x, r, [&](std::uint32_t i) {
      const double d_sq = (points_[i] - x).squaredNorm();
      if (d_sq < r_sq) f(i, d_sq);
      return false;
    });
  }

  /// Whether a point other than number `except` is nearer than r. Asks x's own cell first.
  bool any_within(const Vec3& x, double r, std::size_t except = none) const {
    const double r_sq = r * r;
    const auto is_near = [&](std::uint32_t i) {
      return (points_[i] - x).squaredNorm() < r_sq && i != except;
    };
    return visit_cell(cell(x.x()), cell(x.y()), cell(x.z()), is_near) || visit(x, r, is_near);
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t first = none;  // newest point of the cell; none: slot is free
  };

  std::int64_t cell(double x) const {
    return static_cast<std::int64_t>(std::floor(x * inverse_cell_));
  }
  static std::uint64_t key_of(std::int64_t i, std::int64_t j, std::int64_t k) {
    constexpr std::uint64_t mask = (1u << 21) - 1;  // cells repeat every two million: harmless
    return (std::uint64_t(i) & mask) << 42 | (std::uint64_t(j) & mask) << 21 |
           (std::uint64_t(k) & mask);
  }
  /// Four cells in a row share a cache line.
  std::size_t home(std::uint64_t key) const {
    const std::uint64_t row = (key >> 2) * 0x9E3779B97F4A7C15ull;
    return ((row ^ row >> 29) << 2 | (key & 3)) & (slots_.size() - 1);
  }
  const Slot& find(std::uint64_t key) const {
    std::size_t s = home(key);
    while (slots_[s].first != none && slots_[s].key != key) s = (s + 1) & (slots_.size() - 1);
    return slots_[s];
  }
  Slot& find(std::uint64_t key) {
    Slot& slot = const_cast<Slot&>(std::as_const(*this).find(key));
    slot.key = key;
    return slot;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.first != none) find(slot.key) = slot;
  }

  /// Until f(index) says true; returns whether it did.
  template <class F>
  bool visit(const Vec3& x, double r, F&& f) const {
    const std::int64_t i1 = cell(x.x() + r), j1 = cell(x.y() + r), k1 = cell(x.z() + r);
    for (std::int64_t i = cell(x.x() - r); i <= i1; ++i)
      for (std::int64_t j = cell(x.y() - r); j <= j1; ++j)
        for (std::int64_t k = cell(x.z() - r); k <= k1; ++k)
          if (visit_cell(i, j, k, f)) return true;
    return false;
  }
  template <class F>
  bool visit_cell(std::int64_t i, std::int64_t j, std::int64_t k, F&& f) const {
    for (std::uint32_t p = find(key_of(i, j, k)).first; p != none; p = next_[p])
      if (f(p)) return true;
    return false;
  }

  double inverse_cell_;      // [1/m]
  std::vector<Slot> slots_;  // open addressing, at most half full
  std::size_t used_ = 0;
  std::vector<Vec3> points_;         // [m]
  std::vector<std::uint32_t> next_;  // the next point of the same cell
};

}  // namespace hydrolith
