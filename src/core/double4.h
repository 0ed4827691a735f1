#pragma once
// Four doubles treated as one number, for sums of Float4: pairs of opposite floats cancel to the
// round-off of doubles.

#include "core/float4.h"

namespace hydrolith {

struct alignas(32) Double4 {
  using Lanes = double __attribute__((vector_size(32)));
  Lanes lanes{};

  Double4() = default;
  explicit Double4(Float4 f) : lanes(__builtin_convertvector(f.lanes, Lanes)) {}

  Vec3 xyz() const { return Vec3(lanes[0], lanes[1], lanes[2]); }
  Double4& operator+=(const Double4& b) { return lanes += b.lanes, *this; }
  Double4& operator-=(const Double4& b) { return lanes -= b.lanes, *this; }
  Double4& operator*=(double s) { return lanes *= s, *this; }
};

inline Double4 operator-(Double4 a, const Double4& b) { return a -= b; }
inline Double4 operator*(double s, Double4 a) { return a *= s; }

}  // namespace hydrolith
