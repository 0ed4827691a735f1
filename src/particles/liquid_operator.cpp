// The liquid's operator: the loops over pairs that an iteration consists of.
//
// A block first copies what it needs of all particles near it to one place, in the order of its
// table; the pairs then find it there by 16 bits.

#include "particles/cell_operator.h"
#include "particles/liquid_system.h"

#include <numeric>

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "particles/liquid_operator.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hydrolith::particles::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector holds one or two pairs of four lanes: x, y, z and the place, which counts for nothing.
// Nothing depends on how many: pair k is summed in part k mod 4, products are not fused.
constexpr std::size_t group = LiquidPairs::group;

#if HWY_TARGET == HWY_SCALAR

struct Wide {
  static constexpr std::size_t pairs = 1;
  Float4 lanes;

  static Wide zero() { return {}; }
  /// (gx, gy, gz, place) [unit]
  static Wide gradients(const PackedPair* p) { return {Float4(p->gx, p->gy, p->gz, p->place)}; }
  /// x_j in all four lanes of a pair.
  static Wide values(const float* x, const PackedPair* p) { return {Float4(x[p->place])}; }
  /// The vector a_j of a pair.
  static Wide values(const Float4* a, const PackedPair* p) { return {a[p->place]}; }
  void add_product(Wide a, Wide b) { lanes += a.lanes * b.lanes; }
  void store(Float4* to) const { *to = lanes; }
};

#else

struct Wide {
  using Reals = hn::CappedTag<float, 8>;
  static constexpr std::size_t pairs = hn::MaxLanes(Reals()) / 4;
  hn::Vec<Reals> lanes;

  static HWY_INLINE Wide zero() { return {hn::Zero(Reals())}; }
  static HWY_INLINE Wide gradients(const PackedPair* p) {
    const hn::Rebind<std::int16_t, Reals> d16;
    const hn::Rebind<std::int32_t, Reals> d32;
    const auto words = hn::LoadU(d16, reinterpret_cast<const std::int16_t*>(p));
    return {hn::ConvertTo(Reals(), hn::PromoteTo(d32, words))};
  }
  static HWY_INLINE Wide values(const float* x, const PackedPair* p) {
    const Reals d;
#if HWY_MAX_BYTES >= 32
    return {hn::ConcatUpperLower(d, hn::Set(d, x[p[1].place]), hn::Set(d, x[p[0].place]))};
#else
    return {hn::Set(d, x[p->place])};
#endif
  }
  static HWY_INLINE Wide values(const Float4* a, const PackedPair* p) {
    const hn::CappedTag<float, 4> d4;
    const auto first = hn::Load(d4, reinterpret_cast<const float*>(a + p->place));
#if HWY_MAX_BYTES >= 32
    const auto second = hn::Load(d4, reinterpret_cast<const float*>(a + p[1].place));
    return {hn::Combine(Reals(), second, first)};
#else
    return {first};
#endif
  }
  HWY_INLINE void add_product(Wide a, Wide b) { lanes = hn::Add(lanes, hn::Mul(a.lanes, b.lanes)); }
  HWY_INLINE void store(Float4* to) const {
    hn::StoreU(lanes, Reals(), reinterpret_cast<float*>(to));
  }
};

#endif

/// sum_j value_j g~_ij, lane by lane; the fourth is without meaning unless the value's is zero.
template <class Value>
HWY_INLINE Float4 sum_over(std::span<const PackedPair> list, const Value* near) {
  Wide sum[group / Wide::pairs];
  for (Wide& s : sum) s = Wide::zero();
  for (const PackedPair *p = list.data(), *end = p + list.size(); p < end; p += group)
    for (std::size_t k = 0; k < group; k += Wide::pairs)
      sum[k / Wide::pairs].add_product(Wide::values(near, p + k), Wide::gradients(p + k));
  Float4 part[group];
  for (std::size_t k = 0; k < group; k += Wide::pairs) sum[k / Wide::pairs].store(part + k);
  return PackedPair::unit * ((part[0] + part[1]) + (part[2] + part[3]));
}

void accelerate(const LiquidSystem& system, const float* x, const float* near, std::size_t begin,
                std::size_t end, Float4* a) {
  for (std::size_t i = begin; i < end; ++i) {
    const Float4 sum = sum_over(system.pairs->packed(i), near);
    a[i] = first_three(system.lightness[i] * (x[i] * system.gtot[i] + sum));
  }
}

double diverge(const LiquidSystem& system, const Float4* a, const Float4* near, std::size_t begin,
               std::size_t end, const float* weight, float* out) {
  double total = 0;
  for (std::size_t i = begin; i < end; ++i) {
    out[i] = sum(a[i] * system.gtot[i] - sum_over(system.pairs->packed(i), near));
    total += static_cast<double>(weight[i]) * out[i];
  }
  return total;
}

/// In double: g~ times the sum of two floats is exact, and opposite for the other particle.
void apply_pressure(const LiquidSystem& system, const float* x, const float* near,
                    std::size_t begin, std::size_t end, Vec3* v) {
  using Doubles = hn::CappedTag<double, 4>;
  const Doubles d;
  const hn::Rebind<std::int16_t, Doubles> d16;
  const hn::Rebind<std::int32_t, Doubles> d32;
  constexpr std::size_t lanes = hn::MaxLanes(Doubles()), parts = 2;
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<const PackedPair> list = system.pairs->packed(i);
    const double xi = x[i];
    hn::Vec<Doubles> sum[parts][4 / lanes];
    for (auto& part : sum)
      for (auto& s : part) s = hn::Zero(d);
    for (std::size_t k = 0; k < list.size(); k += parts)
      for (std::size_t part = 0; part < parts; ++part) {
        const PackedPair* pair = list.data() + k + part;
        const auto both = hn::Set(d, xi + near[pair->place]);
        for (std::size_t c = 0; c < 4 / lanes; ++c) {
          const auto words = hn::LoadU(d16, &pair->gx + c * lanes);
          const auto g = hn::PromoteTo(d, hn::PromoteTo(d32, words));
          sum[part][c] = hn::Add(sum[part][c], hn::Mul(both, g));
        }
      }
    alignas(32) double total[4];
    for (std::size_t c = 0; c < 4 / lanes; ++c)
      hn::Store(hn::Add(sum[0][c], sum[1][c]), d, total + c * lanes);
    const double scale = system.speed() * system.mass_ratio[i] * PackedPair::unit;
    v[i] -= scale * Vec3(total[0], total[1], total[2]);
  }
}

}  // namespace hydrolith::particles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hydrolith::particles {

HWY_EXPORT(accelerate);
HWY_EXPORT(diverge);
HWY_EXPORT(apply_pressure);

namespace {

constexpr std::size_t block = LiquidPairs::block_size;

std::size_t blocks_of(const LiquidSystem& system) { return (system.size() + block - 1) / block; }

/// The values of all particles near block b, in the order of its table; in memory of the thread.
template <class T>
const T* gather(const LiquidSystem& system, std::size_t b, const T* from) {
  thread_local std::vector<T> near;
  const std::span<const std::uint32_t> table = system.pairs->table(b);
  if (near.size() < table.size()) near.resize(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) near[k] = from[table[k]];
  return near.data();
}

}  // namespace

void accelerate(const LiquidSystem& system, std::span<const float> x, std::span<Float4> a) {
  if (system.cells) return system.cells->accelerate(x, a);
  const auto run = HWY_DYNAMIC_DISPATCH(accelerate);
  parallel_for(
      blocks_of(system),
      [&](std::size_t b) {
        run(system, x.data(), gather(system, b, x.data()), b * block,
            std::min(system.size(), (b + 1) * block), a.data());
      },
      1);
}

double diverge(const LiquidSystem& system, std::span<const Float4> a, std::span<const float> weight,
               std::span<float> out) {
  if (system.cells) return system.cells->diverge(a, weight, out);
  const auto run = HWY_DYNAMIC_DISPATCH(diverge);
  const std::size_t blocks = blocks_of(system);
  std::vector<double> sums(blocks);
  // From the end: the lists that `accelerate` has read last may still be in the cache.
  parallel_for(
      blocks,
      [&](std::size_t from_end) {
        const std::size_t b = blocks - 1 - from_end;
        sums[b] = run(system, a.data(), gather(system, b, a.data()), b * block,
                      std::min(system.size(), (b + 1) * block), weight.data(), out.data());
      },
      1);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void apply_pressure(const LiquidSystem& system, std::span<const float> x, std::span<Vec3> v) {
  if (system.cells) return system.cells->apply_pressure(x, system.speed(), v);
  const auto run = HWY_DYNAMIC_DISPATCH(apply_pressure);
  parallel_for(
      blocks_of(system),
      [&](std::size_t b) {
        run(system, x.data(), gather(system, b, x.data()), b * block,
            std::min(system.size(), (b + 1) * block), v.data());
      },
      1);
  const double speed = system.speed();
  for (const auto* links : {&system.wall_links, &system.links})
    for (const BodyLink& link : *links)
      v[link.particle] -=
          speed * system.mass_ratio[link.particle] * x[link.particle] * link.G.cast<double>();
}

}  // namespace hydrolith::particles
#endif
