#pragma once
// Who is near whom: liquid particles sorted along a space-filling curve, their liquid neighbours
// with kernel gradients, and the body samples near them.
//
// Everything is scaled by powers of the spacing h so that float suffices: g~ = h^(d+1) grad W.

#include "core/parallel.h"
#include "particles/kernel.h"
#include "particles/samples.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hydrolith::particles {

struct State;

/// A neighbour j of particle i: g~_ij = h^(d+1) grad W_ij (taken at i). Exactly g~_ij = -g~_ji.
struct alignas(16) Pair {
  float gx, gy, gz;
  std::uint32_t j;
};

/// Lists of pairs in blocks of consecutive particles, each block one piece of memory that is kept
/// from step to step. The content does not depend on the number of threads.
class PairLists {
 public:
  static constexpr std::size_t block_size = 512;

  std::size_t particles() const { return end_.size(); }
  std::span<const Pair> of(std::size_t i) const {
    const Pair* block = blocks_[i / block_size].data();
    const std::uint32_t from = i % block_size == 0 ? 0 : end_[i - 1];
    return {block + from, end_[i] - from};
  }

 private:
  friend struct NeighbourSearch;
  std::vector<std::vector<Pair>> blocks_;
  std::vector<std::uint32_t> end_;  // within the block
};

struct Neighbours {
  PairLists liquid;           // j: liquid particle, i itself not included
  PairLists samples;          // j: index into Samples; mostly empty
  std::vector<float> number;  // [-] h^d sum of W over all neighbours, itself, liquid and samples:
                              //     h^d / V_i of eq. 3.6
  std::vector<Eigen::Vector4f> g;  // x, y, z: sum of g~ over liquid neighbours; w: sum of |g~|^2
};

/// Grids, sort keys and arenas; kept from step to step.
struct NeighbourSearch {
  NeighbourSearch();
  ~NeighbourSearch();

  /// Sorts all liquid columns of the state along the curve (stable: equal cells keep their order).
  void sort_liquid(const Kernel& kernel, State& s);
  /// Lists of all particles of a sorted state. Samples of static bodies are sorted into their own
  /// grid the first time and again only if `static_changed`.
  void find(const Kernel& kernel, const State& s, const Samples& samples,
            std::span<const char> sample_is_static, bool static_changed, Neighbours& out);

 private:
  struct Grids;
  std::unique_ptr<Grids> grids_;
};

}  // namespace hydrolith::particles
