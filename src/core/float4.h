#pragma once
// Four floats treated as one number: formulas stay infix, the compiler uses one register. Every
// x86-64 and ARM64 machine has such registers, so there is one code path and the same bits.

#include "hydrolith/vec.h"

#include <bit>
#include <cstdint>

namespace hydrolith {

struct alignas(16) Float4 {
  using Lanes = float __attribute__((vector_size(16)));
  Lanes lanes;

  Float4() : lanes(Lanes{}) {}
  explicit Float4(Lanes l) : lanes(l) {}
  explicit Float4(float s) : lanes(Lanes{s, s, s, s}) {}
  Float4(float x, float y, float z, float w) : lanes(Lanes{x, y, z, w}) {}
  explicit Float4(const Vec3f& v) : Float4(v.x(), v.y(), v.z(), 0) {}
  explicit Float4(const Vec3& v) : Float4(Vec3f(v.cast<float>())) {}

  float operator[](int k) const { return lanes[k]; }
  Vec3 xyz() const { return Vec3(lanes[0], lanes[1], lanes[2]); }
  Float4& operator+=(Float4 b) { return lanes += b.lanes, *this; }
  Float4& operator-=(Float4 b) { return lanes -= b.lanes, *this; }
};

inline Float4 operator+(Float4 a, Float4 b) { return Float4(a.lanes + b.lanes); }
inline Float4 operator-(Float4 a, Float4 b) { return Float4(a.lanes - b.lanes); }
inline Float4 operator*(Float4 a, Float4 b) { return Float4(a.lanes * b.lanes); }
inline Float4 operator*(float s, Float4 b) { return Float4(s) * b; }
inline float sum(Float4 a) { return (a[0] + a[1]) + (a[2] + a[3]); }
inline float dot(Float4 a, Float4 b) { return sum(a * b); }

/// The first three of four words as floats; the fourth, whatever it holds, becomes zero.
template <class Words>
Float4 first_three(const Words& words) {
  static_assert(sizeof(Words) == 16);
  using Bits = std::int32_t __attribute__((vector_size(16)));
  const Bits mask = {-1, -1, -1, 0};
  return Float4(std::bit_cast<Float4::Lanes>(std::bit_cast<Bits>(words) & mask));
}

}  // namespace hydrolith
