#pragma once
#include <cstdint>
#include <numeric>
#include <vector>

namespace hydrolith {

/// Disjoint sets of 0 .. n-1; the smallest member stands for its set.
class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }

  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    parent_[a > b ? a : b] = a > b ? b : a;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace hydrolith
