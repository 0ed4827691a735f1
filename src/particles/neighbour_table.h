#pragma once
// Which particles are near a block of consecutive ones, so that 16 bits can name them.

#include "particles/neighbour_grid.h"

#include <cstdint>
#include <vector>

namespace hydrolith::particles {

/// The particles near one block, in whole cells; every cell once.
class BlockTable {
 public:
  void start(std::vector<std::uint32_t>& table);
  /// The place in the table of a cell's first particle. An Error beyond 65,536 places.
  std::uint32_t place(const CellHalo::Range& cell);

 private:
  struct Slot {
    std::uint32_t first, place;
  };
  std::size_t find(std::uint32_t first) const;
  void grow();

  std::vector<Slot> slots_;  // by hash of the cell's first particle; a power of two
  std::size_t used_ = 0;
  std::vector<std::uint32_t>* table_ = nullptr;
};

}  // namespace hydrolith::particles
