#pragma once
// The order of points along the Z-curve through their cells.

#include "particles/neighbour_cells.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith::particles {

/// Order of points along the Z-curve (Morton 1966) through cells of edge 2h; points of one cell
/// keep their order, lost points come last. Kept from step to step for its memory.
class CurveOrder {
 public:
  /// Returns false, and leaves the order undefined, if the points are in order already.
  bool sort(const Kernel& kernel, std::span<const Vec3> x);

  std::size_t size() const { return items_.size(); }
  /// The point at a place of the order.
  std::uint32_t operator[](std::size_t place) const { return items_[place].point; }

  /// Puts a column into this order.
  template <class T>
  void apply(std::vector<T>& column, std::vector<T>& scratch) const;

 private:
  struct Item {
    std::uint32_t key, point;
  };
  struct CellBox {
    CellIndex lo, hi;
    bool lost;
  };
  CellBox place(const Kernel& kernel, std::span<const Vec3> x);
  template <class Key>
  bool set_keys(const Key& key);
  void radix_sort(int bits);
  void radix_pass(int shift, int bits);

  std::vector<CellIndex> cells_;
  std::vector<CellBox> boxes_;
  std::vector<Item> items_, moved_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace hydrolith::particles

#include "core/parallel.h"

namespace hydrolith::particles {

template <class T>
void CurveOrder::apply(std::vector<T>& column, std::vector<T>& scratch) const {
  scratch.resize(column.size());
  parallel_for(
      column.size(), [&](std::size_t k) { scratch[k] = column[items_[k].point]; }, 4096);
  column.swap(scratch);
}

}  // namespace hydrolith::particles
