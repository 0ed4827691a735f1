#pragma once
// A symmetric system on the cells of a grid, as the pressure of a liquid has it: every unknown is
// linked to its neighbours along the axes, 2 d + 1 points in d dimensions.

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

struct CellSystem {
  std::vector<Eigen::Vector3i> cell;                  // integer coordinates; in 2D z = 0
  std::vector<std::array<std::int32_t, 3>> next;      // unknown at +x, +y, +z; -1: none
  std::vector<double> diagonal;                       // A(i, i) >= minus the sum of i's links
  std::vector<std::array<double, 3>> link;            // A(i, next[i]) <= 0; 0 without next
  std::vector<std::array<std::int32_t, 3>> previous;  // at -x, -y, -z; written by link_back

  std::size_t size() const { return diagonal.size(); }
};

/// Writes `previous` from `next`. To be called once when `next` is complete.
void link_back(CellSystem& A);

/// y = A x
void multiply(const CellSystem& A, std::span<const double> x, std::span<double> y);

}  // namespace hydrolith
