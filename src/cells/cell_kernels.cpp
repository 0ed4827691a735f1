#include "cells/cell_kernels.h"

#include <algorithm>

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cells/cell_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hydrolith::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Products and sums are rounded one by one and in one order.

template <class D, class M>
HWY_INLINE std::uint64_t bits_of(D d, M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0];  // at most eight lanes
}

std::uint64_t test_plane(const double* x, const double* y, const double* z, std::size_t count,
                         const double n[3], double distance, double* s) {
  const hn::CappedTag<double, 8> d;
  const auto a = hn::Set(d, n[0]), b = hn::Set(d, n[1]), c = hn::Set(d, n[2]);
  const auto offset = hn::Set(d, distance), zero = hn::Zero(d);
  std::uint64_t beyond = 0;
  for (std::size_t v = 0; v < count; v += hn::Lanes(d)) {
    const auto ab = hn::Add(hn::Mul(a, hn::LoadU(d, x + v)), hn::Mul(b, hn::LoadU(d, y + v)));
    const auto value = hn::Sub(hn::Add(ab, hn::Mul(c, hn::LoadU(d, z + v))), offset);
    hn::StoreU(value, d, s + v);
    beyond |= bits_of(d, hn::Gt(value, zero)) << v;
  }
  return count < 64 ? beyond & ((std::uint64_t(1) << count) - 1) : beyond;
}

double largest(const double* values, std::size_t count) {
  const hn::CappedTag<double, 8> d;
  auto most = hn::Zero(d);
  for (std::size_t v = 0; v < count; v += hn::Lanes(d))
    most = hn::Max(most, hn::LoadU(d, values + v));
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

std::size_t find_near(const float* x, const float* y, const float* z, std::size_t count,
                      const float p[3], float r_sq, std::uint32_t* number, float* distance_sq) {
  const hn::CappedTag<float, 8> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto px = hn::Set(d, p[0]), py = hn::Set(d, p[1]), pz = hn::Set(d, p[2]);
  const auto limit = hn::Set(d, r_sq);
  auto place = hn::Iota(du, 0u);
  const auto step = hn::Set(du, std::uint32_t(hn::Lanes(d)));
  std::size_t found = 0;
  for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
    const auto dx = hn::Sub(hn::LoadU(d, x + k), px);
    const auto dy = hn::Sub(hn::LoadU(d, y + k), py);
    const auto dz = hn::Sub(hn::LoadU(d, z + k), pz);
    const auto value = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
    const auto near =
        hn::And(hn::Lt(value, limit), hn::FirstN(d, std::min(hn::Lanes(d), count - k)));
    // To a register first: some processors are slow to compress into memory.
    hn::StoreU(hn::Compress(place, hn::RebindMask(du, near)), du, number + found);
    hn::StoreU(hn::Compress(value, near), d, distance_sq + found);
    found += hn::CountTrue(d, near);
    place = hn::Add(place, step);
  }
  return found;
}

}  // namespace hydrolith::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hydrolith {

HWY_EXPORT(test_plane);
HWY_EXPORT(largest);
HWY_EXPORT(find_near);

std::uint64_t test_plane(const double* x, const double* y, const double* z, std::size_t count,
                         const double n[3], double d, double* s) {
  return HWY_DYNAMIC_DISPATCH(test_plane)(x, y, z, count, n, d, s);
}

double largest(const double* values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(largest)(values, count);
}

std::size_t find_near(const float* x, const float* y, const float* z, std::size_t count,
                      const float p[3], float r_sq, std::uint32_t* number, float* distance_sq) {
  return HWY_DYNAMIC_DISPATCH(find_near)(x, y, z, count, p, r_sq, number, distance_sq);
}

}  // namespace hydrolith
#endif
