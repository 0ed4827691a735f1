#include "particles/neighbour_table.h"

#include "core/check.h"

#include <algorithm>
#include <numeric>

namespace hydrolith::particles {

namespace {

constexpr std::size_t most_places = 65536;
constexpr std::uint32_t nobody = UINT32_MAX;

}  // namespace

void BlockTable::start(std::vector<std::uint32_t>& table) {
  constexpr std::size_t few = 1024;  // cells near a compact block: some 300
  if (slots_.size() < few) slots_.resize(few);
  std::fill(slots_.begin(), slots_.end(), Slot{nobody, 0});
  used_ = 0;
  table.clear();
  table_ = &table;
}

std::size_t BlockTable::find(std::uint32_t first) const {
  std::size_t at = first * 2654435769u >> 8 & (slots_.size() - 1);
  while (slots_[at].first != first && slots_[at].first != nobody)
    at = (at + 1) & (slots_.size() - 1);
  return at;
}

std::uint32_t BlockTable::place(const CellHalo::Range& cell) {
  Slot* slot = &slots_[find(cell.begin)];
  if (slot->first == cell.begin) return slot->place;
  if (2 * ++used_ > slots_.size()) {
    grow();
    slot = &slots_[find(cell.begin)];
  }
  const std::size_t place = table_->size();
  *slot = {cell.begin, static_cast<std::uint32_t>(place)};
  require(place + (cell.end - cell.begin) <= most_places,
          "neighbour search: more than {} particles near a block; the liquid has collapsed",
          most_places);
  table_->resize(place + (cell.end - cell.begin));
  std::iota(table_->begin() + static_cast<std::ptrdiff_t>(place), table_->end(), cell.begin);
  return slot->place;
}

void BlockTable::grow() {
  std::vector<Slot> old(2 * slots_.size(), Slot{nobody, 0});
  slots_.swap(old);
  for (const Slot& slot : old)
    if (slot.first != nobody) slots_[find(slot.first)] = slot;
}

}  // namespace hydrolith::particles
