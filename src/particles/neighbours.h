#pragma once
// Who is near whom: liquid particles sorted along a space-filling curve, their liquid neighbours
// with kernel gradients, and the body samples near them.
//
// Everything is scaled by powers of the spacing h so that float suffices: g~ = h^(d+1) grad W.

#include "contact/samples.h"
#include "core/parallel.h"
#include "particles/kernel.h"

#include <cstddef>
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

/// A pair of liquid particles in eight bytes. Gradients are rounded to multiples of 2^-16: the
/// largest, sigma, is below half of 2^16, so they fit, and sums of up to a thousand of them are
/// exact in float, in any order.
struct alignas(8) PackedPair {
  static constexpr float unit = 0x1p-16f;  // [-] of g~
  std::int16_t gx, gy, gz;                 // [unit]
  std::uint16_t place;                     // of j in the table of the block
};

/// Lists in blocks of consecutive particles, each block one piece of memory that is kept from step
/// to step. Lists start at multiples of `group`. The content does not depend on the number of
/// threads.
template <class Item, std::size_t group>
class BlockLists {
 public:
  static constexpr std::size_t block_size = 512;

  std::size_t particles() const { return end_.size(); }
  std::span<const Item> of(std::size_t i) const {
    const Item* block = blocks_[i / block_size].data();
    const std::size_t before = i % block_size == 0 ? 0 : end_[i - 1];
    const std::size_t from = (before + group - 1) / group * group;
    return {block + from, end_[i] - from};
  }

 private:
  friend struct NeighbourSearch;
  std::vector<std::vector<Item>> blocks_;
  std::vector<std::uint32_t> end_;  // within the block
};

using SamplePairs = BlockLists<Pair, 1>;

/// Pairs of liquid particles. All particles near a block are numbered in the block's table, a few
/// thousand of them, so that 16 bits tell which one is meant.
class LiquidPairs {
 public:
  /// Lists start at multiples of this, and may be read to the next one: what is there has no
  /// gradient.
  static constexpr std::size_t group = 4;
  static constexpr std::size_t block_size = BlockLists<PackedPair, group>::block_size;

  /// The pairs of one particle, unpacked one by one.
  class List {
   public:
    struct Iterator {
      using value_type = Pair;
      using difference_type = std::ptrdiff_t;
      const PackedPair* pair;
      const std::uint32_t* table;

      Pair operator*() const {
        constexpr float unit = PackedPair::unit;
        return {unit * pair->gx, unit * pair->gy, unit * pair->gz, table[pair->place]};
      }
      Iterator& operator++() { return ++pair, *this; }
      Iterator operator++(int) { return {pair++, table}; }
      bool operator==(const Iterator& o) const { return pair == o.pair; }
    };
    List(std::span<const PackedPair> pairs, const std::uint32_t* table)
        : pairs_(pairs), table_(table) {}
    Iterator begin() const { return {pairs_.data(), table_}; }
    Iterator end() const { return {pairs_.data() + pairs_.size(), table_}; }
    std::size_t size() const { return pairs_.size(); }
    bool empty() const { return pairs_.empty(); }

   private:
    std::span<const PackedPair> pairs_;
    const std::uint32_t* table_;
  };

  std::size_t particles() const { return lists_.particles(); }
  List of(std::size_t i) const { return {lists_.of(i), tables_[i / block_size].data()}; }
  std::span<const PackedPair> packed(std::size_t i) const { return lists_.of(i); }
  /// The particles that a block's pairs mean: place -> particle.
  std::span<const std::uint32_t> table(std::size_t block) const { return tables_[block]; }

 private:
  friend struct NeighbourSearch;
  BlockLists<PackedPair, group> lists_;
  std::vector<std::vector<std::uint32_t>> tables_;
};

struct Neighbours {
  LiquidPairs liquid;         // j: liquid particle, i itself not included
  SamplePairs samples;        // j: index into Samples; mostly empty
  std::vector<float> number;  // [-] h^d sum of W over all neighbours, itself, liquid and samples:
                              //     h^d / V_i of eq. 3.6
  std::vector<Eigen::Vector4f> g;  // x, y, z: sum of g~ over liquid neighbours, exact; w: of |g~|^2
};

/// Grids, sort keys and arenas; kept from step to step.
struct NeighbourSearch {
  NeighbourSearch();
  ~NeighbourSearch();

  /// Sorts all liquid columns of the state along the curve (stable: equal cells keep their order).
  void sort_liquid(const Kernel& kernel, State& s);
  /// Grids of a sorted state. Samples of static bodies are sorted into their own grid the first
  /// time and again only if `static_changed`.
  void place(const Kernel& kernel, const State& s, const Samples& samples,
             std::span<const char> sample_is_static, bool static_changed);
  /// Lists of all particles, and their grids.
  void find(const Kernel& kernel, const State& s, const Samples& samples,
            std::span<const char> sample_is_static, bool static_changed, Neighbours& out);

  /// Whether a liquid particle lies within r [h], at most 2, of a point; as of the last place().
  bool liquid_within(const Vec3& x, double r) const;
  /// The same for samples, those of body `but` left out.
  bool sample_within(const Samples& samples, const Vec3& x, double r, std::uint32_t but) const;

 private:
  struct Grids;
  std::unique_ptr<Grids> grids_;
};

}  // namespace hydrolith::particles
