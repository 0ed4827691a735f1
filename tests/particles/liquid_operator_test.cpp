// The loops over packed pairs against plain sums in double, and their bits on any machine.

#include "core/parallel.h"
#include "particles/liquid_system.h"

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace hydrolith;
using namespace hydrolith::particles;

namespace {

constexpr double h = 0.02;  // [m]

/// A disordered block of liquid of 12^3 particles in a system without bodies, one in three of them
/// of another mass, and a pressure for each.
struct Liquid {
  State state;
  Neighbours near;
  LiquidSystem system;
  std::vector<float> x;
  std::vector<Float4> a;
  std::vector<float> Ax;
  std::vector<Vec3> v;  // [m/s]
  double xAx = 0;

  Liquid() {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> u(-0.4, 0.4);
    const auto off = [&] { return u(random); };
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j)
        for (int k = 0; k < 12; ++k) {
          const double dx = off(), dy = off(), dz = off();
          state.x.emplace_back(h * Vec3(i + dx, j + dy, k + dz));
          x.push_back(static_cast<float>(0.5 + off()));
        }
    const std::size_t n = state.x.size();
    state.v.resize(n), state.volume.resize(n), state.pressure.resize(n);
    state.id.resize(n), state.liquid.resize(n);
    NeighbourSearch search;
    search.sort_liquid({h, 3}, state);
    search.find({h, 3}, state, {}, {}, false, near);
    system.h = h, system.dt = 1e-3, system.mass = h * h * h * 1000;
    system.pairs = &near.liquid;
    system.still.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      system.mass_ratio.push_back(i % 3 == 0 ? 1.25 : 1);
      system.lightness.push_back(static_cast<float>(system.mass_ratio.back()));
      system.gtot.emplace_back(near.g[i][0], near.g[i][1], near.g[i][2], 0.0f);
    }
  }
  void run() {
    a.assign(x.size(), Float4());
    Ax.assign(x.size(), 0);
    v.assign(x.size(), Vec3::Zero());
    accelerate(system, x, a);
    xAx = diverge(system, a, x, Ax);
    apply_pressure(system, x, v);
  }
  std::vector<std::uint64_t> bits() const {
    std::vector<std::uint64_t> all(1 + 2 * a.size() + Ax.size() / 2 + 3 * v.size());
    std::uint64_t* to = all.data();
    std::memcpy(to, &xAx, 8);
    std::memcpy(to + 1, a.data(), 16 * a.size());
    std::memcpy(to + 1 + 2 * a.size(), Ax.data(), 8 * (Ax.size() / 2));
    std::memcpy(to + 1 + 2 * a.size() + Ax.size() / 2, v.data(), 24 * v.size());
    return all;
  }
};

}  // namespace

TEST_CASE("the operator over packed pairs is the plain sum over pairs") {
  Liquid l;
  l.run();
  const auto gtot = [&](std::size_t i) { return l.system.gtot[i].xyz(); };
  constexpr double rounding = 2e-6;  // 30 terms below 0.3 each, in float
  for (std::size_t i = 0; i < l.x.size(); ++i) {
    Vec3 a = l.x[i] * gtot(i);
    double Ax = l.a[i].xyz().dot(gtot(i));
    for (const Pair& p : l.near.liquid.of(i)) {
      const Vec3 g(p.gx, p.gy, p.gz);
      a += l.x[p.j] * g;
      Ax -= l.a[p.j].xyz().dot(g);
    }
    a *= l.system.mass_ratio[i];
    REQUIRE((l.a[i].xyz() - a).norm() < rounding);
    REQUIRE(l.a[i][3] == 0);
    REQUIRE(std::abs(l.Ax[i] - Ax) < rounding);
    REQUIRE((l.v[i] + l.system.speed() * a).norm() < rounding * l.system.speed());
  }
}

TEST_CASE("the operator is a product B^T B: x A x is the square of the accelerations") {
  Liquid l;
  l.run();
  double square = 0;
  for (std::size_t i = 0; i < l.x.size(); ++i)
    square += l.a[i].xyz().squaredNorm() / l.system.mass_ratio[i];
  CHECK(l.xAx == doctest::Approx(square).epsilon(1e-6));  // float
}

TEST_CASE("applied pressure keeps linear momentum to round-off") {
  Liquid l;
  l.run();
  Vec3 sum = Vec3::Zero();
  double size = 0;
  for (std::size_t i = 0; i < l.x.size(); ++i) {
    sum += l.v[i] / l.system.mass_ratio[i];
    size += l.v[i].norm();
  }
  CHECK(size > 1);
  CHECK(sum.norm() < 1e-14 * size);
}

TEST_CASE("the operator is the same bits with 1, 2 and 7 threads and on every instruction set") {
  Liquid l;
  l.run();
  const std::vector<std::uint64_t> reference = l.bits();
  for (int count : {1, 2, 7}) {
    CAPTURE(count);
    set_threads(count);
    l.run();
    CHECK(l.bits() == reference);
  }
  set_threads(0);
  for (auto rest = static_cast<std::uint64_t>(hwy::SupportedTargets()); rest != 0;
       rest &= rest - 1) {
    const auto target = static_cast<std::int64_t>(rest & (~rest + 1));
    CAPTURE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    l.run();
    CHECK(l.bits() == reference);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}
