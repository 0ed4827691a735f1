// The neighbour search against brute force, and what the solvers build on: exact antisymmetry, the
// same bits whatever the number of threads and the instruction set, order along the curve.

#include "particles/neighbours.h"

#include "hydrolith/error.h"

#include "about.h"
#include "core/parallel.h"
#include "particles/model.h"

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>

using namespace hydrolith;
using namespace hydrolith::particles;

namespace {

constexpr double h = 0.02;  // [m]

struct Case {
  Kernel kernel{h, 3};
  State state;
  Samples samples;
  std::vector<char> at_rest;
  std::unique_ptr<NeighbourSearch> search = std::make_unique<NeighbourSearch>();
  Neighbours near;

  void add(const Vec3& x) {
    const auto n = static_cast<std::uint32_t>(state.particles());
    state.x.push_back(x);
    state.v.emplace_back(n, 2.0 * n, 3.0 * n);
    state.volume.push_back(0.5 * n);
    state.pressure.push_back(4.0f * static_cast<float>(n));
    state.id.push_back(n);
    state.liquid.push_back(n % 3);
  }
  void add_sample(const Vec3& x, bool is_static) {
    samples.x.push_back(x);
    at_rest.push_back(is_static ? 1 : 0);
  }
  void run(bool static_changed = false) {
    search->sort_liquid(kernel, state);
    search->find(kernel, state, samples, at_rest, static_changed, near);
  }
};

using Random = std::mt19937;

Vec3 random_point(Random& random, double size, int dimensions) {
  std::uniform_real_distribution<double> u(-0.3 * size, 0.7 * size);
  const double x = u(random), y = u(random), z = u(random);
  return {x, y, dimensions == 3 ? z : 0};
}

/// Disordered, clustered and coincident liquid, far outliers, samples at rest and moving.
Case mixed_case(int dimensions, int particles) {
  Random random(7);
  Case c;
  c.kernel.dimensions = dimensions;
  const double size = dimensions == 3 ? h * std::cbrt(particles) : h * std::sqrt(particles);
  for (int i = 0; i < particles; ++i) c.add(random_point(random, size, dimensions));
  for (int i = 0; i < 40; ++i)  // a cluster far denser than the rest, across a corner of cells
    c.add(Vec3(2 * h, 2 * h, 0) + random_point(random, 0.5 * h, dimensions));
  for (int i = 0; i < 10; ++i) c.add(c.state.x[i]);
  for (int i = 0; i < 5; ++i) c.add(Vec3(1e6, -2e6 + 0.3 * h * i, dimensions == 3 ? 3e6 : 0));
  c.add(Vec3(-17, 5, 0));
  for (int i = 0; i < particles / 4; ++i)
    c.add_sample(random_point(random, size, dimensions), i % 3 != 0);
  c.add_sample(c.state.x[3], true);
  c.add_sample(Vec3(1e6, -2e6, dimensions == 3 ? 3e6 : 0), false);
  return c;
}

/// Gradients are rounded to 2^-16, so each of three components is wrong by at most half of that;
/// positions are rounded to 2^-22 h, q and W' to float.
constexpr double tolerance = 0.87 * 0x1p-16 + 3e-6;
/// A pair so near to 2h may be found or not: its W and W' vanish.
constexpr double margin = 1e-5 * h;

/// Compares a list with all points of `x`, one by one; returns h^d times the sum of W.
template <class List>
double check_list(const Case& c, std::size_t i, const List& list, const std::vector<Vec3>& x,
                  bool skip_self) {
  std::map<std::uint32_t, Vec3> found;
  for (const Pair& p : list) CHECK(found.emplace(p.j, Vec3(p.gx, p.gy, p.gz)).second);
  double number = 0;
  std::size_t expected = 0;
  for (std::uint32_t j = 0; j < x.size(); ++j) {
    if (skip_self && j == i) continue;
    const Vec3 d = c.state.x[i] - x[j];
    const double r = d.norm();
    const auto at = found.find(j);
    if (at != found.end()) {
      ++expected;
      const Vec3 g = c.kernel.rest_volume() * h * c.kernel.gradient(d);
      CHECK(r < 2 * h + margin);
      CHECK((at->second - g).norm() < tolerance);
    } else {
      CHECK(r > 2 * h - margin);
    }
    number += c.kernel.scaled_value(r / h);
  }
  CHECK(found.size() == expected);
  return number;
}

void check_against_brute_force(const Case& c) {
  REQUIRE(c.near.liquid.particles() == c.state.particles());
  REQUIRE(c.near.samples.particles() == c.state.particles());
  for (std::size_t i = 0; i < c.state.particles(); ++i) {
    const auto list = c.near.liquid.of(i);
    double number = c.kernel.sigma() + check_list(c, i, list, c.state.x, true);
    number += check_list(c, i, c.near.samples.of(i), c.samples.x, false);
    Eigen::Vector4d g = Eigen::Vector4d::Zero();
    for (const Pair& p : list) {
      const Vec3 gradient(p.gx, p.gy, p.gz);
      g += Eigen::Vector4d(p.gx, p.gy, p.gz, gradient.squaredNorm());
    }
    const double terms = 2 + double(list.size());  // rounding grows with the number of terms
    CHECK(c.near.number[i] == about(number, 1e-6));
    CHECK((c.near.g[i].cast<double>() - g).norm() < 1e-7 * terms);
  }
}

std::vector<std::uint32_t> bits_of(const Neighbours& near) {
  std::vector<std::uint32_t> bits;
  const auto put = [&](const void* data, std::size_t bytes) {
    bits.resize(bits.size() + bytes / 4);
    std::memcpy(bits.data() + bits.size() - bytes / 4, data, bytes);
  };
  const auto put_list = [&](const auto& list) {
    bits.push_back(static_cast<std::uint32_t>(list.size()));
    for (const Pair& p : list) put(&p, sizeof p);
  };
  for (std::size_t i = 0; i < near.liquid.particles(); ++i) {
    put_list(near.liquid.of(i));
    put_list(near.samples.of(i));
  }
  put(near.number.data(), 4 * near.number.size());
  put(near.g.data(), 16 * near.g.size());
  return bits;
}

Case lattice(int dimensions, int n) {
  Case c;
  c.kernel.dimensions = dimensions;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < (dimensions == 3 ? n : 1); ++k) c.add(h * Vec3(i, j, k));
  return c;
}

}  // namespace

TEST_CASE("neighbours are those of brute force, in three and two dimensions") {
  for (int dimensions : {3, 2}) {
    CAPTURE(dimensions);
    Case c = mixed_case(dimensions, 1500);
    c.run();
    check_against_brute_force(c);
  }
}

TEST_CASE("on a lattice the number is close to one and gradients cancel") {
  for (int dimensions : {3, 2}) {
    CAPTURE(dimensions);
    Case c = lattice(dimensions, 9);
    c.run();
    check_against_brute_force(c);
    const Vec3 centre = h * Vec3(4, 4, dimensions == 3 ? 4 : 0);
    const auto i = std::find(c.state.x.begin(), c.state.x.end(), centre) - c.state.x.begin();
    // The spline's own sum over the lattice: 1/pi (1 + 6/4 + 12 (2 - sqrt 2)^3 / 4 + ...).
    double number = 0;
    for (const Vec3& x : c.state.x) number += c.kernel.scaled_value((x - centre).norm() / h);
    CHECK(number == about(1, 0.02));
    CHECK(c.near.number[i] == about(number, 1e-6));
    CHECK(c.near.g[i].head<3>().norm() < 1e-6f);
    CHECK(c.near.liquid.of(i).size() == (dimensions == 3 ? 26 : 8));
  }
}

TEST_CASE("the gradient of a pair is exactly opposite seen from the other side") {
  Case c = mixed_case(3, 3000);
  c.run();
  std::size_t pairs = 0;
  for (std::uint32_t i = 0; i < c.state.particles(); ++i)
    for (const Pair& p : c.near.liquid.of(i)) {
      const auto other = c.near.liquid.of(p.j);
      const auto back =
          std::find_if(other.begin(), other.end(), [&](const Pair& q) { return q.j == i; });
      REQUIRE(back != other.end());
      const Pair q = *back;
      REQUIRE((q.gx == -p.gx && q.gy == -p.gy && q.gz == -p.gz));
      ++pairs;
    }
  CHECK(pairs > 10 * c.state.particles());
}

TEST_CASE("gradient sums are exactly those of the rounded pairs") {
  Case c = mixed_case(3, 3000);
  c.run();
  for (std::size_t i = 0; i < c.state.particles(); ++i) {
    Vec3 sum = Vec3::Zero();
    for (const Pair& p : c.near.liquid.of(i)) {
      sum += Vec3(p.gx, p.gy, p.gz);
      REQUIRE(p.gx * 65536 == std::round(p.gx * 65536));
    }
    REQUIRE(c.near.g[i].head<3>().cast<double>() == sum);
  }
}

TEST_CASE("lists of packed pairs may be read to the end of their group") {
  Case c = mixed_case(3, 3000);
  c.run();
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < c.state.particles(); ++i) {
    const auto list = c.near.liquid.packed(i);
    const std::size_t table = c.near.liquid.table(i / LiquidPairs::block_size).size();
    for (std::size_t k = list.size(); k % LiquidPairs::group != 0; ++k, ++beyond) {
      const PackedPair& p = list.data()[k];
      REQUIRE((p.gx == 0 && p.gy == 0 && p.gz == 0 && p.place < table));
    }
  }
  CHECK(beyond > 0);
}

TEST_CASE("a spray, where every particle has cells of its own, is found completely") {
  Random random(11);
  Case c;
  for (int i = 0; i < 700; ++i) {
    const Vec3 x = random_point(random, 200 * h, 3);
    c.add(x);
    for (int k = 0; k < 3; ++k) c.add(x + random_point(random, 2 * h, 3));
  }
  c.run();
  check_against_brute_force(c);
}

TEST_CASE("coincident particles are neighbours without a gradient") {
  Case c;
  for (int i = 0; i < 3; ++i) c.add(Vec3(0.1, 0.2, 0.3));
  c.run();
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(c.near.liquid.of(i).size() == 2);
    for (const Pair& p : c.near.liquid.of(i)) CHECK((p.gx == 0 && p.gy == 0 && p.gz == 0));
    CHECK(c.near.number[i] == about(3 * c.kernel.sigma(), 1e-6));
  }
}

TEST_CASE("in two dimensions z is ignored") {
  Case flat = mixed_case(2, 500), thick = mixed_case(2, 500);
  for (std::size_t i = 0; i < thick.state.particles(); ++i) thick.state.x[i].z() = double(i);
  flat.run();
  thick.run();
  CHECK(bits_of(flat.near) == bits_of(thick.near));
  for (std::size_t i = 0; i < flat.state.particles(); ++i)
    for (const Pair& p : flat.near.liquid.of(i)) REQUIRE(p.gz == 0);
}

TEST_CASE("neighbours are the same bits with 1, 2 and 7 threads") {
  std::vector<std::uint32_t> reference;
  for (int count : {1, 2, 7}) {
    CAPTURE(count);
    set_threads(count);
    Case c = mixed_case(3, 20000);
    c.run();
    if (reference.empty()) reference = bits_of(c.near);
    CHECK(bits_of(c.near) == reference);
  }
  set_threads(0);
}

TEST_CASE("neighbours are the same bits on every instruction set") {
  std::vector<std::uint32_t> reference;
  std::set<std::int64_t> targets;
  for (std::uint64_t rest = static_cast<std::uint64_t>(hwy::SupportedTargets()); rest != 0;
       rest &= rest - 1)
    targets.insert(static_cast<std::int64_t>(rest & (~rest + 1)));
  for (std::int64_t target : targets) {
    CAPTURE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    Case c = mixed_case(3, 3000);
    c.run();
    if (reference.empty()) reference = bits_of(c.near);
    CHECK(bits_of(c.near) == reference);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST_CASE("sorting keeps the columns together and the order within a cell") {
  Case c = mixed_case(3, 20000);
  const std::vector<Vec3> before = c.state.x;
  c.search->sort_liquid(c.kernel, c.state);
  const State& s = c.state;
  REQUIRE(s.particles() == before.size());
  const auto cell = [&](const Vec3& x) {
    return std::array{std::floor(x.x() / (2 * h)), std::floor(x.y() / (2 * h)),
                      std::floor(x.z() / (2 * h))};
  };
  std::set<std::array<double, 3>> seen;
  for (std::size_t k = 0; k < s.particles(); ++k) {
    const std::uint32_t n = s.id[k];
    REQUIRE(s.x[k] == before[n]);
    REQUIRE(s.v[k] == Vec3(n, 2.0 * n, 3.0 * n));
    REQUIRE((s.volume[k] == 0.5 * n && s.liquid[k] == n % 3));
    REQUIRE(s.pressure[k] == 4.0f * static_cast<float>(n));
    if (k > 0 && cell(s.x[k]) == cell(s.x[k - 1]))
      REQUIRE(s.id[k - 1] < n);
    else
      REQUIRE(seen.insert(cell(s.x[k])).second);  // a cell is one piece
  }
}

TEST_CASE("sorting what is sorted moves nothing") {
  Case c = mixed_case(3, 2000);
  c.search->sort_liquid(c.kernel, c.state);
  const std::vector<std::uint32_t> ids = c.state.id;
  c.search->sort_liquid(c.kernel, c.state);
  CHECK(c.state.id == ids);
}

TEST_CASE("along the curve most neighbours are near in memory") {
  Case c = lattice(3, 32);
  c.run();
  std::size_t near = 0, all = 0;
  for (std::size_t i = 0; i < c.state.particles(); ++i)
    for (const Pair& p : c.near.liquid.of(i)) {
      near += std::max<std::size_t>(i, p.j) - std::min<std::size_t>(i, p.j) < 512 ? 1 : 0;
      ++all;
    }
  CHECK(double(near) > 0.6 * double(all));  // slices of 1024 particles would give 8 of 26
}

TEST_CASE("an empty liquid and a single particle have no neighbours") {
  Case c;
  c.add_sample(Vec3(1, 1, 1), true);
  c.run();
  CHECK(c.near.liquid.particles() == 0);
  c.add(Vec3(0, 0, 0));
  c.run();
  CHECK(c.near.liquid.of(0).empty());
  CHECK(c.near.samples.of(0).empty());
  CHECK(c.near.number[0] == static_cast<float>(c.kernel.sigma()));
  CHECK(c.near.g[0] == Eigen::Vector4f::Zero());
}

TEST_CASE("samples at rest are kept until they change, moving ones are followed") {
  Case c;
  c.add(Vec3(0, 0, 0));
  c.add_sample(Vec3(h, 0, 0), true);
  c.add_sample(Vec3(0, h, 0), false);
  c.run();
  CHECK(c.near.samples.of(0).size() == 2);
  c.samples.x = {Vec3(5, 0, 0), Vec3(0, 5, 0)};
  c.run();
  REQUIRE(c.near.samples.of(0).size() == 1);
  CHECK(c.near.samples.of(0)[0].j == 0);
  c.run(true);
  CHECK(c.near.samples.of(0).empty());
  c.add_sample(Vec3(0, -h, 0), true);
  c.run();
  REQUIRE(c.near.samples.of(0).size() == 1);
  CHECK(c.near.samples.of(0)[0].j == 2);
}

TEST_CASE("positions that are no numbers have no neighbours and disturb nobody") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  Case c = lattice(3, 12), clean = lattice(3, 12);
  for (const Vec3& x : {Vec3(nan, 0, 0), Vec3(0, inf, 0), Vec3(0, 0, -1e300)})
    for (int i = 0; i < 500; ++i) c.add(x);
  c.add_sample(Vec3(nan, nan, nan), true);
  c.run();
  clean.run();
  const std::size_t n = clean.state.particles();
  CHECK(std::equal(clean.state.id.begin(), clean.state.id.end(), c.state.id.begin()));
  CHECK(std::equal(clean.near.number.begin(), clean.near.number.end(), c.near.number.begin()));
  for (std::size_t i = n; i < c.state.particles(); ++i) {
    CHECK(c.near.liquid.of(i).empty());
    CHECK(c.near.samples.of(i).empty());
  }
}

TEST_CASE("a lost particle before the only one in place is sorted behind it") {
  Case c;
  c.add(Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
  c.add(Vec3(h, h, h));
  c.run();
  CHECK(c.state.id == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("a state that is not sorted is refused") {
  Case c = lattice(3, 12);
  CHECK_THROWS_AS(c.search->find(c.kernel, c.state, c.samples, c.at_rest, false, c.near), Error);
}

TEST_CASE("lists follow a liquid that shrinks and grows") {
  Case c = mixed_case(3, 3000);
  c.run();
  State all = c.state;
  const auto keep = [&](std::size_t n) {
    c.state = all;
    c.state.x.resize(n);
    c.state.v.resize(n);
    c.state.volume.resize(n);
    c.state.pressure.resize(n);
    c.state.id.resize(n);
    c.state.liquid.resize(n);
  };
  for (std::size_t n : {std::size_t{513}, std::size_t{512}, all.particles()}) {
    keep(n);
    c.run();
    Case fresh = mixed_case(3, 3000);
    fresh.state = c.state;
    fresh.run();
    CHECK(bits_of(c.near) == bits_of(fresh.near));
  }
}
