#include "linalg/mprgp.h"

#include "core/parallel.h"
#include "linalg/cells.h"
#include "linalg/conjugate_gradient.h"
#include "linalg/multigrid.h"
#include "linalg/sparse_rows.h"

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace hydrolith;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Problem {
  MatrixXd A;
  VectorXd b, lower, upper;  // bounds of all unknowns

  double f(const VectorXd& x) const { return 0.5 * x.dot(A * x) - b.dot(x); }
};

LinearMap map_of(const MatrixXd& A) {
  return [&A](std::span<const double> x, std::span<double> y) {
    Eigen::Map<VectorXd>(y.data(), A.rows()) =
        A * Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
}

LinearMap jacobi_of(const MatrixXd& A) {
  return [&A](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] / A(i, i);
  };
}

std::vector<double> plain(const VectorXd& v) { return {v.begin(), v.end()}; }

MprgpReport solve(const Problem& p, VectorXd& x,
                  const MprgpOptions& options = {.tolerance = 1e-10}) {
  MprgpWorkspace workspace;
  const Bounds bounds{0, plain(p.lower), plain(p.upper)};
  const VectorXd diagonal = p.A.diagonal();
  return mprgp(map_of(p.A), jacobi_of(p.A), plain(diagonal), plain(p.b), bounds, options,
               {x.data(), static_cast<std::size_t>(x.size())}, workspace);
}

/// Random, condition number up to `condition`, of rank n - lost, b in the range of A.
Problem random_problem(std::mt19937& random, int n, int lost, double condition) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const MatrixXd R = MatrixXd::NullaryExpr(n, n, [&] { return uniform(random); });
  const MatrixXd Q = R.householderQr().householderQ();
  VectorXd eigenvalues(n);
  for (int i = 0; i < n; ++i)
    eigenvalues[i] = i < lost ? 0 : std::pow(condition, 0.5 * (uniform(random) + 1));
  Problem p;
  p.A = Q * eigenvalues.asDiagonal() * Q.transpose();
  p.b = p.A * VectorXd::NullaryExpr(n, [&] { return 2 * uniform(random); });
  p.lower = VectorXd::Constant(n, -infinite);
  p.upper = VectorXd::Constant(n, infinite);
  return p;
}

/// The least f over all choices of unknowns at their lower and upper bounds.
double least_by_enumeration(const Problem& p) {
  const int n = static_cast<int>(p.b.size());
  double least = infinite;
  int choices = 1;
  for (int i = 0; i < n; ++i) choices *= 3;
  for (int choice = 0; choice < choices; ++choice) {
    VectorXd x = VectorXd::Zero(n);
    std::vector<int> free;
    bool possible = true;
    for (int i = 0, c = choice; i < n; ++i, c /= 3) {
      if (c % 3 == 0)
        free.push_back(i);
      else
        x[i] = c % 3 == 1 ? p.lower[i] : p.upper[i];
      possible = possible && std::isfinite(x[i]);
    }
    if (!possible) continue;
    if (!free.empty()) {
      const VectorXd r = p.b - p.A * x;
      const MatrixXd A = p.A(free, free);
      x(free) = A.completeOrthogonalDecomposition().solve(r(free).eval()).eval();
    }
    const bool inside =
        ((x - p.lower).array() >= -1e-12).all() && ((p.upper - x).array() >= -1e-12).all();
    if (inside) least = std::min(least, p.f(x));
  }
  return least;
}

/// |P(x - g) - x|, zero at a minimum.
double optimality(const Problem& p, const VectorXd& x) {
  return ((x - p.A * x + p.b).cwiseMax(p.lower).cwiseMin(p.upper) - x).norm();
}

bool is_inside(const Problem& p, const VectorXd& x) {
  return (x.array() >= p.lower.array()).all() && (x.array() <= p.upper.array()).all();
}

}  // namespace

// To 1e-10 of |b|: x is right to 1e-8 at condition numbers of a hundred, f to the square of that.
TEST_CASE("mprgp finds the least value that enumeration finds") {
  std::mt19937 random(42);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 60; ++k) {
    Problem p = random_problem(random, 6, k % 3 == 2 ? 2 : 0, 100);
    for (int i = 0; i < 6; ++i) {
      if (k % 2 == 0 || i % 2 == 0) p.lower[i] = 0.5 * uniform(random);
      if (k % 2 == 0) p.upper[i] = p.lower[i] + 0.5 * (1 + uniform(random));
    }
    // Without upper bounds a singular A still has a minimum: b is in its range.
    VectorXd x = VectorXd::NullaryExpr(6, [&] { return 3 * uniform(random); });
    const VectorXd start = x.cwiseMax(p.lower).cwiseMin(p.upper);
    const MprgpReport report = solve(p, x);
    CAPTURE(k);
    CHECK(report.converged);
    CHECK(is_inside(p, x));
    CHECK(p.f(x) <= p.f(start));
    CHECK(p.f(x) == doctest::Approx(least_by_enumeration(p)).epsilon(1e-9));
    CHECK(optimality(p, x) < 1e-7 * p.b.norm());
  }
}

TEST_CASE("larger problems end at a minimum, redundant ones too") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 20; ++k) {
    Problem p = random_problem(random, 80, k % 2 == 0 ? 0 : 30, 1e4);
    for (int i = 20; i < 80; ++i) {
      p.lower[i] = 0;
      if (k % 4 < 2) p.upper[i] = 0.3;
    }
    VectorXd x = VectorXd::Zero(80);
    const MprgpReport report = solve(p, x, {.tolerance = 1e-8, .max_iterations = 5000});
    CAPTURE(k);
    CHECK(report.converged);
    CHECK(is_inside(p, x));
    CHECK(optimality(p, x) < 1.1e-8 * p.b.norm());
  }
}

TEST_CASE("stopped early, the point is no worse than the start") {
  std::mt19937 random(3);
  for (int k = 1; k < 30; ++k) {
    Problem p = random_problem(random, 40, 5, 1e5);
    p.lower.setZero();
    VectorXd x = VectorXd::LinSpaced(40, 2, 0);
    const double start = p.f(x);
    const MprgpReport report = solve(p, x, {.tolerance = 1e-14, .max_iterations = k});
    CHECK(report.iterations <= k);
    CHECK(is_inside(p, x));
    CHECK(p.f(x) <= start);
  }
}

TEST_CASE("without bounds mprgp is conjugate gradients, bit for bit") {
  const CellSystem C = make_cells({.size = {12, 10, 9}});
  Multigrid multigrid;
  multigrid.build(C);
  const LinearMap A = [&](auto x, auto y) { multiply(C, x, y); };
  const LinearMap M = [&](auto x, auto y) { multigrid.apply(x, y); };
  const std::vector<double> b = random_vector(C.size(), 2);
  std::vector<double> x(C.size()), y(C.size()), z(C.size());
  CgWorkspace cg;
  MprgpWorkspace w;
  const CgReport expected = conjugate_gradient(A, M, b, x, {.tolerance = 1e-8}, cg);
  const MprgpReport none = mprgp(A, M, {}, b, {}, {.tolerance = 1e-8}, y, w);
  const Bounds infinite_ones{C.size() - 2, {-infinite, -infinite}, {infinite, infinite}};
  const MprgpReport wide =
      mprgp(A, M, std::vector<double>{6.0, 6.0}, b, infinite_ones, {.tolerance = 1e-8}, z, w);
  CHECK(expected.converged);
  CHECK(none.iterations == expected.iterations);
  CHECK(wide.iterations == expected.iterations);
  CHECK(x == y);
  CHECK(x == z);
}

TEST_CASE("bounds that meet hold an unknown") {
  std::mt19937 random(9);
  Problem p = random_problem(random, 5, 0, 10);
  p.lower[1] = p.upper[1] = 0.7;
  p.lower[4] = p.upper[4] = -2;
  VectorXd x = VectorXd::Zero(5);
  CHECK(solve(p, x).converged);
  CHECK(x[1] == 0.7);
  CHECK(x[4] == -2);
  CHECK(optimality(p, x) < 1e-8);
}

TEST_CASE("a right-hand side of zero leads to the bounds nearest to zero") {
  Problem p;
  p.A = Eigen::Vector3d(1, 4, 9).asDiagonal();
  p.b = VectorXd::Zero(3);
  p.lower = Eigen::Vector3d(-1, 2, -infinite);
  p.upper = Eigen::Vector3d(1, 3, infinite);
  VectorXd x = Eigen::Vector3d(1, 3, 5);
  CHECK(solve(p, x).converged);
  // To 1e-10 of |A x| at the start, which is 47.
  CHECK((x - Eigen::Vector3d(0, 2, 0)).norm() < 1e-8);
  p.lower[1] = -5;
  x.setZero();
  const MprgpReport report = solve(p, x);
  CHECK(report.converged);
  CHECK(report.iterations == 0);
}

TEST_CASE("an unknown without a diagonal stays where it is") {
  Problem p;
  p.A = Eigen::Vector2d(2, 0).asDiagonal();
  p.b = Eigen::Vector2d(4, 1);
  p.lower = Eigen::Vector2d(0, 0);
  p.upper = Eigen::Vector2d(1, infinite);
  VectorXd x = Eigen::Vector2d(0, 3);
  MprgpWorkspace w;
  const LinearMap identity = [](auto in, auto out) {
    std::copy(in.begin(), in.end(), out.begin());
  };
  const MprgpReport report = mprgp(map_of(p.A), identity, plain(p.A.diagonal()), plain(p.b),
                                   {0, plain(p.lower), plain(p.upper)}, {}, {x.data(), 2}, w);
  CHECK(report.converged);
  CHECK(x == Eigen::Vector2d(1, 3));
}

TEST_CASE("bounds that contradict each other are refused") {
  Problem p;
  p.A = MatrixXd::Identity(1, 1);
  p.b = p.lower = VectorXd::Ones(1);
  p.upper = VectorXd::Zero(1);
  VectorXd x = VectorXd::Zero(1);
  CHECK_THROWS(solve(p, x));
}

namespace {

/// Cells, and contacts between bodies that float in them: A = [C 0; 0 0] + K^T K, with a row of K
/// for every freedom of a body: the cells around it and its contacts.
struct Floating {
  CellSystem C;
  SparseRows K, KT;
  Multigrid multigrid;
  std::vector<double> diagonal;  // of the contacts
  mutable std::vector<double> v;
  std::size_t cells() const { return C.size(); }
  std::size_t size() const { return C.size() + diagonal.size(); }

  explicit Floating(int bodies) : C(make_cells({.size = {24, 20, 16}})) {
    multigrid.build(C);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const std::size_t contacts = 2 * static_cast<std::size_t>(bodies);
    K.clear(cells() + contacts);
    diagonal.assign(contacts, 0);
    for (int body = 0; body < bodies; ++body)
      for (int freedom = 0; freedom < 6; ++freedom) {
        for (int k = 0; k < 40; ++k)
          K.add(static_cast<std::uint32_t>(200 * body + 3 * k), 0.3 * uniform(random));
        for (std::size_t k = 0; k < 4; ++k) {  // two contacts with either neighbour
          const std::size_t contact = (2 * static_cast<std::size_t>(body) + k) % contacts;
          const double value = uniform(random);
          K.add(static_cast<std::uint32_t>(cells() + contact), value);
          diagonal[contact] += value * value;
        }
        K.end_row();
      }
    transpose(K, KT);
    v.resize(K.rows());
  }
  void apply(std::span<const double> x, std::span<double> y) const {
    multiply(C, x.first(cells()), y.first(cells()));
    std::fill(y.begin() + static_cast<std::ptrdiff_t>(cells()), y.end(), 0.0);
    multiply(K, x, v);
    multiply_add(KT, 1, v, y);
  }
  void precondition(std::span<const double> r, std::span<double> z) const {
    multigrid.apply(r.first(cells()), z.first(cells()));
    for (std::size_t k = 0; k < diagonal.size(); ++k) z[cells() + k] = r[cells() + k] / diagonal[k];
  }
};

MprgpReport solve(const Floating& s, std::vector<double>& x) {
  const std::size_t contacts = s.diagonal.size();
  MprgpWorkspace w;
  const Bounds bounds{s.cells(), std::vector<double>(contacts, 0),
                      std::vector<double>(contacts, infinite)};
  x.assign(s.size(), 0);
  return mprgp([&](auto in, auto out) { s.apply(in, out); },
               [&](auto in, auto out) { s.precondition(in, out); }, s.diagonal,
               random_vector(s.size(), 4), bounds, {.tolerance = 1e-8}, x, w);
}

}  // namespace

TEST_CASE("cells with multigrid and contacts with bounds are solved together") {
  const Floating system(30);
  std::vector<double> x;
  const MprgpReport report = solve(system, x);
  CHECK(report.converged);
  CHECK(report.iterations < 150);
  std::vector<double> g(x.size());
  system.apply(x, g);
  const std::vector<double> b = random_vector(x.size(), 4);
  double worst = 0, size = 0;
  int touching = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    g[i] -= b[i];
    size += b[i] * b[i];
    const bool at_bound = i >= system.cells() && x[i] == 0;
    worst = std::max(worst, at_bound ? -g[i] : std::abs(g[i]));
    touching += i >= system.cells() && x[i] > 0;
    if (i >= system.cells()) CHECK(x[i] >= 0);
  }
  CHECK(worst <= 1.1e-8 * std::sqrt(size));  // the tolerance, and drift of the recurrence
  CHECK(touching > 5);
  CHECK(touching < 55);
}

TEST_CASE("a solve with bounds has the same bits for one and two threads") {
  const Floating system(30);
  std::vector<double> one, two;
  set_threads(1);
  solve(system, one);
  set_threads(2);
  solve(system, two);
  set_threads(0);
  CHECK(one == two);
}

namespace {

/// Boxes of edge 1 in a column on the ground, four contacts below each, normal impulses only. Boxes
/// are up to `offset` beside the axis. A = J M^-1 J^T + 1e-8 diagonal; b = -J v with v = -1 for
/// all.
Problem column(int boxes, double top_mass, double offset) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-offset, offset);
  Eigen::Vector2d below(0, 0);
  MatrixXd J = MatrixXd::Zero(4 * boxes, 3 * boxes);  // velocity along y, spin about x and z
  VectorXd inverse_mass(3 * boxes);
  for (int i = 0; i < boxes; ++i) {
    const double mass = i + 1 == boxes ? top_mass : 1;
    inverse_mass.segment<3>(3 * i) = Eigen::Vector3d(1, 6, 6) / mass;
    const Eigen::Vector2d centre(uniform(random), uniform(random));
    const auto row = [](const Eigen::Vector2d& arm) {
      return Eigen::RowVector3d(1, -arm.y(), arm.x());
    };
    for (int k = 0; k < 4; ++k) {
      // Corners of what the two boxes share.
      const Eigen::Vector2d lo = centre.cwiseMax(i > 0 ? below : centre).array() - 0.5;
      const Eigen::Vector2d hi = centre.cwiseMin(i > 0 ? below : centre).array() + 0.5;
      const Eigen::Vector2d at(k % 2 ? hi.x() : lo.x(), k / 2 ? hi.y() : lo.y());
      J.block<1, 3>(4 * i + k, 3 * i) = row(at - centre);
      if (i > 0) J.block<1, 3>(4 * i + k, 3 * (i - 1)) = -row(at - below);
    }
    below = centre;
  }
  Problem p;
  p.A = J * inverse_mass.asDiagonal() * J.transpose();
  p.A.diagonal() *= 1 + 1e-8;
  VectorXd v = VectorXd::Zero(3 * boxes);
  for (int i = 0; i < boxes; ++i) v[3 * i] = -1;
  p.b = -J * v;
  p.lower = VectorXd::Zero(4 * boxes);
  p.upper = VectorXd::Constant(4 * boxes, infinite);
  return p;
}

}  // namespace

// |J v| <= 1e-8 leaves impulses right to 1e-8 times the condition number, about 1e4 here.
TEST_CASE("a column of ten boxes carries its weight and a top a hundred times heavier") {
  for (double offset : {0.0, 0.05, 0.1})
    for (double top : {1.0, 100.0}) {
      const Problem p = column(10, top, offset);
      VectorXd x = VectorXd::Zero(40);
      const MprgpReport report = solve(p, x, {.tolerance = 1e-8});
      CAPTURE(top);
      CAPTURE(offset);
      CHECK(report.iterations <= 100);  // measured: at most 57
      CHECK(report.converged);
      CHECK(x.head<4>().sum() == doctest::Approx(9 + top).epsilon(1e-4));
      CHECK(x.tail<4>().sum() == doctest::Approx(top).epsilon(1e-4));
    }
}
