#pragma once
// Sparse factorisation A = L D U of a matrix of 6x6 blocks with a symmetric pattern, one block row
// per rigid body. The pattern is analysed once and kept while it stays the same.

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hydrolith {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

class BlockLdu {
 public:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;  // (row, column), row != column

  /// Orders n block rows for little fill (approximate minimum degree) and finds where fill occurs.
  /// Every edge stands for the blocks at (row, column) and (column, row). Does nothing if the
  /// pattern is that of the last call.
  void analyse(std::uint32_t n, std::span<const Edge> edges);

  /// Of a symmetric positive definite matrix with the given diagonal blocks and the blocks
  /// (row, column) of the edges; several edges between the same rows add up. False if it is not
  /// positive definite.
  bool factor(std::span<const Mat6> diagonal, std::span<const Mat6> off_diagonal);

  /// Of any matrix that can do without exchanging block rows; `transposed` holds the blocks
  /// (column, row). False if a diagonal block turns out singular.
  bool factor(std::span<const Mat6> diagonal, std::span<const Mat6> off_diagonal,
              std::span<const Mat6> transposed);

  /// b <- A^-1 b
  void solve(std::span<Vec6> b) const;

  std::size_t blocks() const { return lower_.size(); }  // below the diagonal, fill included

 private:
  void order(std::uint32_t n, std::span<const Edge> edges);
  void fill(std::uint32_t n, std::span<const Edge> edges);
  std::uint32_t find(std::uint32_t row, std::uint32_t column) const;

  std::uint32_t n_ = 0;
  std::vector<Edge> edges_;                // of the last analysis
  std::vector<std::uint32_t> place_;       // row of A -> row of L
  std::vector<std::uint32_t> begin_;       // column of L -> first of its blocks; n + 1
  std::vector<std::uint32_t> row_;         // per block of L below the diagonal
  std::vector<std::uint32_t> update_;      // per column and pair of its blocks: block it changes
  std::vector<std::uint32_t> edge_block_;  // edge -> block of L
  std::vector<char> edge_transposed_;
  std::vector<Mat6> diagonal_, inverse_;  // D_j before and after inversion
  std::vector<Mat6> lower_;               // L_ij, with ones on the diagonal
  std::vector<Mat6> upper_;               // (D U)_ji, at the place of L_ij
  mutable std::vector<Vec6> y_;
};

}  // namespace hydrolith
