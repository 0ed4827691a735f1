#include "linalg/sparse_rows.h"

#include "core/parallel.h"

#include <Eigen/Core>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace hydrolith;

namespace {

/// About a tenth of the entries; some rows and columns are empty, columns not in order.
SparseRows random_rows(std::size_t rows, std::size_t columns, Eigen::MatrixXd& dense) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  SparseRows A;
  A.clear(columns);
  dense = Eigen::MatrixXd::Zero(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % 5 != 2)
      for (std::size_t k = columns; k-- > 0;)
        if (k % 7 != 3 && uniform(random) > 0.8) {
          const double value = uniform(random);
          A.add(static_cast<std::uint32_t>(k), value);
          dense(i, k) += value;
        }
    A.end_row();
  }
  return A;
}

}  // namespace

TEST_CASE("sparse products are those of the dense matrix") {
  Eigen::MatrixXd dense;
  const SparseRows A = random_rows(40, 30, dense);
  const std::vector<double> x(30, 0.25);
  std::vector<double> y(40), z(40, 3.0);
  multiply(A, x, y);
  multiply_add(A, -2, x, z);
  const Eigen::VectorXd expected = dense * Eigen::Map<const Eigen::VectorXd>(x.data(), 30);
  // A handful of numbers below one in every sum.
  for (int i = 0; i < 40; ++i) {
    CHECK(std::abs(y[i] - expected[i]) < 1e-15);
    CHECK(std::abs(z[i] - (3 - 2 * expected[i])) < 1e-14);
  }
}

TEST_CASE("a transposed matrix has its columns in order, and transposed again is the first") {
  Eigen::MatrixXd dense;
  const SparseRows A = random_rows(40, 30, dense);
  SparseRows T, back;
  transpose(A, T);
  REQUIRE(T.rows() == 30);
  REQUIRE(T.columns() == 40);
  CHECK(T.entries() == A.entries());
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(30, 40);
  for (std::size_t j = 0; j < 30; ++j) {
    const auto columns = T.columns_of(j);
    CHECK(std::is_sorted(columns.begin(), columns.end()));
    for (std::size_t k = 0; k < columns.size(); ++k) sum(j, columns[k]) += T.values_of(j)[k];
  }
  CHECK(sum == dense.transpose());
  transpose(T, back);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t k = 0; k < back.columns_of(i).size(); ++k)
      CHECK(back.values_of(i)[k] == dense(i, back.columns_of(i)[k]));
}

TEST_CASE("a matrix without rows or entries is a matrix") {
  SparseRows A, T;
  A.clear(3);
  transpose(A, T);
  CHECK(T.rows() == 3);
  CHECK(T.columns() == 0);
  std::vector<double> y(3, 7.0);
  multiply(T, {}, y);
  CHECK(y == std::vector<double>(3, 0.0));
  CHECK_THROWS(multiply(T, y, y));
}

TEST_CASE("sparse products have the same bits for one and two threads") {
  Eigen::MatrixXd dense;
  const SparseRows A = random_rows(3000, 40, dense);
  const std::vector<double> x(40, 0.1);
  std::vector<double> one(3000), two(3000);
  set_threads(1);
  multiply(A, x, one);
  set_threads(2);
  multiply(A, x, two);
  set_threads(0);
  CHECK(one == two);
}
