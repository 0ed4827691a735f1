#include "core/wide.h"

#include "core/check.h"

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/wide.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hydrolith::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Product and sum rounded apart (no fused multiply-add), so that all paths agree bit for bit.
void add_scaled(double a, const double* x, double* y, std::size_t n) {
  const hn::ScalableTag<double> d;
  const auto va = hn::Set(d, a);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(hn::Add(hn::LoadU(d, y + i), hn::Mul(va, hn::LoadU(d, x + i))), d, y + i);
  for (; i < n; ++i) y[i] += a * x[i];
}

}  // namespace hydrolith::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hydrolith {

HWY_EXPORT(add_scaled);

void add_scaled(double a, std::span<const double> x, std::span<double> y) {
  require(x.size() == y.size(), "add_scaled: {} numbers cannot be added to {}", x.size(), y.size());
  HWY_DYNAMIC_DISPATCH(add_scaled)(a, x.data(), y.data(), x.size());
}

std::string instruction_set() {
  const auto supported = static_cast<std::uint64_t>(hwy::SupportedTargets() & HWY_TARGETS);
  const std::uint64_t best = supported & (~supported + 1);  // Highway: lower bit = wider
  std::string built;
  for (std::uint64_t bits = HWY_TARGETS; bits != 0; bits &= bits - 1)
    built += fmt::format("{}{}", built.empty() ? "" : ", ",
                         hwy::TargetName(static_cast<std::int64_t>(bits & (~bits + 1))));
  return fmt::format("{} (built: {})", hwy::TargetName(static_cast<std::int64_t>(best)), built);
}

}  // namespace hydrolith
#endif
