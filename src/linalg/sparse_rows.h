#pragma once
// A sparse matrix by rows: the entries of row i are number first[i] to first[i + 1].

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

class SparseRows {
 public:
  /// Empties the matrix, keeps the memory.
  void clear(std::size_t columns);
  /// Adds an entry to the row that is being built. Entries of the same column add up in products.
  void add(std::uint32_t column, double value) {
    column_.push_back(column);
    value_.push_back(value);
  }
  /// Closes the row that is being built; it may be empty.
  void end_row() { first_.push_back(column_.size()); }

  std::size_t rows() const { return first_.size() - 1; }
  std::size_t columns() const { return columns_; }
  std::size_t entries() const { return first_.back(); }
  std::span<const std::uint32_t> columns_of(std::size_t row) const {
    return {column_.data() + first_[row], first_[row + 1] - first_[row]};
  }
  std::span<const double> values_of(std::size_t row) const {
    return {value_.data() + first_[row], first_[row + 1] - first_[row]};
  }

 private:
  friend void transpose(const SparseRows& A, SparseRows& out);

  std::size_t columns_ = 0;
  std::vector<std::size_t> first_{0};  // rows + 1
  std::vector<std::uint32_t> column_;
  std::vector<double> value_;
};

/// y = A x
void multiply(const SparseRows& A, std::span<const double> x, std::span<double> y);

/// y += factor A x
void multiply_add(const SparseRows& A, double factor, std::span<const double> x,
                  std::span<double> y);

/// out = A^T; the columns of every row rise, equal ones keep their order.
void transpose(const SparseRows& A, SparseRows& out);

}  // namespace hydrolith
