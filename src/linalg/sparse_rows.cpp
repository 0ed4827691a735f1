#include "linalg/sparse_rows.h"

#include "core/check.h"
#include "core/parallel.h"

namespace hydrolith {

namespace {

constexpr std::size_t grain = 512;

/// sum_j A_ij x_j, in the order of the entries
double row_times(const SparseRows& A, std::size_t i, std::span<const double> x) {
  const std::span<const std::uint32_t> column = A.columns_of(i);
  const std::span<const double> value = A.values_of(i);
  double sum = 0;
  for (std::size_t k = 0; k < column.size(); ++k) sum += value[k] * x[column[k]];
  return sum;
}

void check_sizes(const SparseRows& A, std::span<const double> x, std::span<double> y) {
  require(x.size() == A.columns() && y.size() == A.rows(),
          "a matrix of {} x {} cannot take {} numbers to {}", A.rows(), A.columns(), x.size(),
          y.size());
}

}  // namespace

void SparseRows::clear(std::size_t columns) {
  columns_ = columns;
  first_.assign(1, 0);
  column_.clear();
  value_.clear();
}

void multiply(const SparseRows& A, std::span<const double> x, std::span<double> y) {
  check_sizes(A, x, y);
  parallel_for(
      A.rows(), [&](std::size_t i) { y[i] = row_times(A, i, x); }, grain);
}

void multiply_add(const SparseRows& A, double factor, std::span<const double> x,
                  std::span<double> y) {
  check_sizes(A, x, y);
  parallel_for(
      A.rows(), [&](std::size_t i) { y[i] += factor * row_times(A, i, x); }, grain);
}

/// Counts the entries of every column, then deals them out row by row: first[j + 1] is where column
/// j's next entry goes and ends as the end of j.
void transpose(const SparseRows& A, SparseRows& out) {
  require(&A != &out, "transpose: a matrix cannot be transposed in place");
  out.columns_ = A.rows();
  std::vector<std::size_t>& first = out.first_;
  first.assign(A.columns() + 1, 0);
  for (const std::uint32_t j : A.column_) {
    require(j < A.columns(), "transpose: column {} of {}", j, A.columns());
    if (j + 2 < first.size()) ++first[j + 2];
  }
  for (std::size_t j = 1; j < first.size(); ++j) first[j] += first[j - 1];
  out.column_.resize(A.column_.size());
  out.value_.resize(A.value_.size());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t k = A.first_[i]; k < A.first_[i + 1]; ++k) {
      const std::size_t to = first[A.column_[k] + 1]++;
      out.column_[to] = static_cast<std::uint32_t>(i);
      out.value_[to] = A.value_[k];
    }
}

}  // namespace hydrolith
