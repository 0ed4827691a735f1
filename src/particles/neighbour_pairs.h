#pragma once
// The inner part of the neighbour search: pairs, kernel sums and gradient sums of consecutive
// particles.

#include "particles/neighbour_grid.h"
#include "particles/neighbour_table.h"
#include "particles/neighbours.h"

#include <array>

namespace hydrolith::particles {

/// What is searched.
struct PairSources {
  Kernel kernel;
  const CellGrid* liquid;
  std::array<const CellGrid*, 2> samples;  // of bodies at rest, of moving ones
};

/// Points near a brick or a cell, or nearer than 2h to a particle (then relative to it).
struct NearPoints {
  std::vector<float> x, y, z;  // [h]
  std::vector<std::uint32_t> index;
  std::size_t count = 0;

  void reserve(std::size_t points);
};

constexpr std::uint32_t unknown_place = UINT32_MAX;

/// The points of a brick and of the cells around it in one piece, cell after cell along x, so that
/// three cells side by side are one range. Positions from the centre of the brick are multiples of
/// 2^-21 below 8: still exact in float.
struct NearBrick {
  CellHalo halo;
  std::array<std::uint32_t, 217> first;  // point of every cell
  NearPoints points;
};

/// Memory of one thread.
struct PairScratch {
  NearBrick liquid;
  std::array<NearBrick, 2> samples;
  std::array<std::uint32_t, 216> place;  // of the liquid's cells in the table, or unknown_place
  BlockTable table;
  NearPoints near_liquid, near_samples, hits;
};

/// A list under way: the pairs of one block and where each particle's end.
template <class Item>
struct PairOutput {
  std::vector<Item>* pairs;
  std::uint32_t* end;  // of the block's first particle
  std::size_t used = 0;
};

/// One block: particles [begin, end), all columns starting at the first of them.
struct PairBlock {
  std::size_t begin, end;
  PairOutput<PackedPair> liquid;
  std::vector<std::uint32_t>* table;
  PairOutput<Pair> samples;
  float* number;
  Eigen::Vector4f* g;
};

void find_pairs(const PairSources& sources, PairScratch& scratch, PairBlock& block);

}  // namespace hydrolith::particles
