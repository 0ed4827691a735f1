#include "linalg/block_ldu.h"

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include <random>

using namespace hydrolith;

namespace {

struct Problem {
  std::vector<BlockLdu::Edge> edges;
  std::vector<Mat6> diagonal, off_diagonal;
  Eigen::MatrixXd dense;
};

/// A grid of bodies, each tied to its neighbours: A = sum over edges of J^T J, plus masses that
/// differ by a factor of a thousand.
Problem grid(std::uint32_t rows, std::uint32_t columns, bool twice) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Problem p;
  const std::uint32_t n = rows * columns;
  p.diagonal.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) p.diagonal[i] = (i % 2 ? 1e-3 : 1.0) * Mat6::Identity();
  const auto tie = [&](std::uint32_t a, std::uint32_t b) {
    const Mat6 Ja = Mat6::NullaryExpr([&] { return uniform(random); });
    const Mat6 Jb = Mat6::NullaryExpr([&] { return uniform(random); });
    p.diagonal[a] += Ja.transpose() * Ja;
    p.diagonal[b] += Jb.transpose() * Jb;
    p.edges.emplace_back(a, b);
    p.off_diagonal.push_back(Ja.transpose() * Jb);
  };
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t j = 0; j < columns; ++j) {
      const std::uint32_t at = i * columns + j;
      if (j + 1 < columns) tie(at, at + 1);
      if (i + 1 < rows) tie(at + columns, at);
      if (twice && i + 1 < rows) tie(at, at + columns);
    }
  p.dense = Eigen::MatrixXd::Zero(6 * n, 6 * n);
  for (std::uint32_t i = 0; i < n; ++i) p.dense.block<6, 6>(6 * i, 6 * i) = p.diagonal[i];
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const auto [a, b] = p.edges[e];
    p.dense.block<6, 6>(6 * a, 6 * b) += p.off_diagonal[e];
    p.dense.block<6, 6>(6 * b, 6 * a) += p.off_diagonal[e].transpose();
  }
  return p;
}

}  // namespace

TEST_CASE("the block factorisation solves what a dense one solves") {
  for (const bool twice : {false, true}) {
    const Problem p = grid(7, 5, twice);
    BlockLdu ldu;
    ldu.analyse(35, p.edges);
    REQUIRE(ldu.factor(p.diagonal, p.off_diagonal));
    std::vector<Vec6> b(35);
    Eigen::VectorXd dense(6 * 35);
    for (int i = 0; i < 35; ++i) {
      b[i] = Vec6::Constant(i - 10.0) + Vec6::Unit(i % 6);
      dense.segment<6>(6 * i) = b[i];
    }
    ldu.solve(b);
    dense = p.dense.llt().solve(dense).eval();
    // Condition number about 1e5: ten digits remain.
    for (int i = 0; i < 35; ++i)
      CHECK((b[i] - dense.segment<6>(6 * i)).norm() < 1e-9 * dense.norm());
  }
}

// The unsymmetric part is a quarter of the ties' size, as friction of 0.25 would add.
TEST_CASE("an unsymmetric matrix is factored with both its halves") {
  Problem p = grid(6, 4, true);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-0.25, 0.25);
  std::vector<Mat6> transposed;
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const auto [a, b] = p.edges[e];
    transposed.push_back(p.off_diagonal[e].transpose());
    transposed.back() += Mat6::NullaryExpr([&] { return uniform(random); });
    p.dense.block<6, 6>(6 * b, 6 * a) += transposed.back() - p.off_diagonal[e].transpose();
  }
  BlockLdu ldu;
  ldu.analyse(24, p.edges);
  REQUIRE(ldu.factor(p.diagonal, p.off_diagonal, transposed));
  std::vector<Vec6> b(24, Vec6::LinSpaced(1, 6));
  ldu.solve(b);
  const Eigen::VectorXd rhs = Vec6::LinSpaced(1, 6).replicate(24, 1);
  const Eigen::VectorXd x = p.dense.partialPivLu().solve(rhs);
  for (int i = 0; i < 24; ++i) CHECK((b[i] - x.segment<6>(6 * i)).norm() < 1e-8 * x.norm());
}

TEST_CASE("a chain of bodies causes no fill") {
  const Problem p = grid(1, 50, false);
  BlockLdu ldu;
  ldu.analyse(50, p.edges);
  CHECK(ldu.blocks() == 49);
}

TEST_CASE("a matrix that is not positive definite is refused") {
  Problem p = grid(2, 2, false);
  p.diagonal[3] -= 100 * Mat6::Identity();
  BlockLdu ldu;
  ldu.analyse(4, p.edges);
  CHECK_FALSE(ldu.factor(p.diagonal, p.off_diagonal));
}

TEST_CASE("bodies that touch nobody are solved by their own blocks") {
  BlockLdu ldu;
  ldu.analyse(2, {});
  const std::vector<Mat6> diagonal{4 * Mat6::Identity(), 2 * Mat6::Identity()};
  REQUIRE(ldu.factor(diagonal, {}));
  std::vector<Vec6> b(2, Vec6::Ones());
  ldu.solve(b);
  CHECK(b[0].isApprox(0.25 * Vec6::Ones()));
  CHECK(b[1].isApprox(0.5 * Vec6::Ones()));
}
