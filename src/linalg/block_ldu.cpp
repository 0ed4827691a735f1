#include "linalg/block_ldu.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <set>

namespace hydrolith {

void BlockLdu::order(std::uint32_t n, std::span<const Edge> edges) {
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> graph(static_cast<int>(n), static_cast<int>(n));
  std::vector<Eigen::Triplet<double, int>> entries;
  for (std::uint32_t i = 0; i < n; ++i)
    entries.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
  for (const Edge& e : edges) {
    entries.emplace_back(static_cast<int>(e.first), static_cast<int>(e.second), 1.0);
    entries.emplace_back(static_cast<int>(e.second), static_cast<int>(e.first), 1.0);
  }
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> ordering;
  Eigen::AMDOrdering<int>()(graph, ordering);
  place_.resize(n);
  for (std::uint32_t k = 0; k < n; ++k)
    place_[static_cast<std::uint32_t>(ordering.indices()[k])] = k;
}

/// Eliminating column j joins all rows below it that it touches; it suffices to pass them on to the
/// first of these (the parent in the elimination tree).
void BlockLdu::fill(std::uint32_t n, std::span<const Edge> edges) {
  std::vector<std::set<std::uint32_t>> rows(n);
  for (const Edge& e : edges) {
    const auto [lo, hi] = std::minmax(place_[e.first], place_[e.second]);
    rows[lo].insert(hi);
  }
  begin_.assign(1, 0);
  row_.clear();
  for (std::uint32_t j = 0; j < n; ++j) {
    if (!rows[j].empty()) {
      const std::uint32_t parent = *rows[j].begin();
      rows[parent].insert(std::next(rows[j].begin()), rows[j].end());
    }
    row_.insert(row_.end(), rows[j].begin(), rows[j].end());
    begin_.push_back(static_cast<std::uint32_t>(row_.size()));
  }
}

std::uint32_t BlockLdu::find(std::uint32_t row, std::uint32_t column) const {
  const auto from = row_.begin() + begin_[column], to = row_.begin() + begin_[column + 1];
  return static_cast<std::uint32_t>(std::lower_bound(from, to, row) - row_.begin());
}

void BlockLdu::analyse(std::uint32_t n, std::span<const Edge> edges) {
  if (n == n_ && std::equal(edges.begin(), edges.end(), edges_.begin(), edges_.end())) return;
  n_ = n;
  edges_.assign(edges.begin(), edges.end());
  order(n, edges);
  fill(n, edges);
  diagonal_.resize(n);
  inverse_.resize(n);
  lower_.resize(row_.size());
  upper_.resize(row_.size());
  y_.resize(n);
  edge_block_.clear();
  edge_transposed_.clear();
  for (const Edge& e : edges) {
    const std::uint32_t i = place_[e.first], j = place_[e.second];
    edge_block_.push_back(find(std::max(i, j), std::min(i, j)));
    edge_transposed_.push_back(i < j);
  }
  update_.clear();
  for (std::uint32_t j = 0; j < n; ++j)
    for (std::uint32_t b = begin_[j]; b < begin_[j + 1]; ++b)
      for (std::uint32_t a = b + 1; a < begin_[j + 1]; ++a)
        update_.push_back(find(row_[a], row_[b]));
}

/// Right-looking: L_ij = A_ij D_j^-1, then A_ik -= L_ij A_jk, of which only i >= k is needed.
bool BlockLdu::factor(std::span<const Mat6> diagonal, std::span<const Mat6> off_diagonal) {
  for (std::uint32_t i = 0; i < n_; ++i) diagonal_[place_[i]] = diagonal[i];
  std::fill(lower_.begin(), lower_.end(), Mat6::Zero());
  for (std::size_t e = 0; e < edges_.size(); ++e)
    if (edge_transposed_[e])
      lower_[edge_block_[e]] += off_diagonal[e].transpose();
    else
      lower_[edge_block_[e]] += off_diagonal[e];
  const std::uint32_t* target = update_.data();
  for (std::uint32_t j = 0; j < n_; ++j) {
    const Eigen::LLT<Mat6> llt(diagonal_[j]);
    if (llt.info() != Eigen::Success) return false;
    inverse_[j] = llt.solve(Mat6::Identity());
    const std::uint32_t end = begin_[j + 1];
    for (std::uint32_t b = begin_[j]; b < end; ++b) {
      upper_[b] = lower_[b].transpose();
      lower_[b] = (lower_[b] * inverse_[j]).eval();
    }
    for (std::uint32_t b = begin_[j]; b < end; ++b) {
      diagonal_[row_[b]].noalias() -= lower_[b] * upper_[b];
      for (std::uint32_t a = b + 1; a < end; ++a)
        lower_[*target++].noalias() -= lower_[a] * upper_[b];
    }
  }
  return true;
}

/// As above, with both halves.
bool BlockLdu::factor(std::span<const Mat6> diagonal, std::span<const Mat6> off_diagonal,
                      std::span<const Mat6> transposed) {
  for (std::uint32_t i = 0; i < n_; ++i) diagonal_[place_[i]] = diagonal[i];
  std::fill(lower_.begin(), lower_.end(), Mat6::Zero());
  std::fill(upper_.begin(), upper_.end(), Mat6::Zero());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const std::uint32_t b = edge_block_[e];
    lower_[b] += edge_transposed_[e] ? transposed[e] : off_diagonal[e];
    upper_[b] += edge_transposed_[e] ? off_diagonal[e] : transposed[e];
  }
  const std::uint32_t* target = update_.data();
  for (std::uint32_t j = 0; j < n_; ++j) {
    inverse_[j] = diagonal_[j].partialPivLu().inverse();
    if (!inverse_[j].allFinite()) return false;
    const std::uint32_t end = begin_[j + 1];
    for (std::uint32_t b = begin_[j]; b < end; ++b) lower_[b] = (lower_[b] * inverse_[j]).eval();
    for (std::uint32_t b = begin_[j]; b < end; ++b) {
      diagonal_[row_[b]].noalias() -= lower_[b] * upper_[b];
      for (std::uint32_t a = b + 1; a < end; ++a, ++target) {
        lower_[*target].noalias() -= lower_[a] * upper_[b];
        upper_[*target].noalias() -= lower_[b] * upper_[a];
      }
    }
  }
  return true;
}

void BlockLdu::solve(std::span<Vec6> b) const {
  for (std::uint32_t i = 0; i < n_; ++i) y_[place_[i]] = b[i];
  for (std::uint32_t j = 0; j < n_; ++j)
    for (std::uint32_t k = begin_[j]; k < begin_[j + 1]; ++k)
      y_[row_[k]].noalias() -= lower_[k] * y_[j];
  for (std::uint32_t j = n_; j-- > 0;) {
    for (std::uint32_t k = begin_[j]; k < begin_[j + 1]; ++k)
      y_[j].noalias() -= upper_[k] * y_[row_[k]];
    y_[j] = (inverse_[j] * y_[j]).eval();
  }
  for (std::uint32_t i = 0; i < n_; ++i) b[i] = y_[place_[i]];
}

}  // namespace hydrolith
