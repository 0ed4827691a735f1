#pragma once
// Sample points that depend only on pixel, sample and purpose: the same picture from any number of
// threads, and well spread within each pixel.

#include <cstdint>

namespace hydrolith {

/// Mixes the bits of a 32-bit number (the "lowbias32" permutation of C. Wellons).
inline std::uint32_t hash(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
inline std::uint32_t hash(std::uint32_t a, std::uint32_t b) {
  return hash(a ^ hash(b + 0x9e3779b9u));
}
inline float unit_float(std::uint32_t x) { return static_cast<float>(x >> 8) * 0x1p-24f; }

struct Sample2 {
  float x, y;
};  // each in [0, 1)

/// Point i of the (0,2)-sequence (van der Corput, Sobol), scrambled by `seed`: Kollig & Keller
/// 2002, "Efficient Multidimensional Sampling", section 3.
inline Sample2 stratified(std::uint32_t i, std::uint32_t seed) {
  std::uint32_t x = hash(seed), y = hash(seed, 1);
  for (std::uint32_t n = i, bit = 1u << 31; n; n >>= 1, bit >>= 1)
    if (n & 1) x ^= bit;
  for (std::uint32_t n = i, v = 1u << 31; n; n >>= 1, v ^= v >> 1)
    if (n & 1) y ^= v;
  return {unit_float(x), unit_float(y)};
}

/// The random numbers of one pixel.
struct PixelSampler {
  PixelSampler(int x, int y)
      : seed(hash(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y))) {}
  enum Purpose : std::uint32_t { lens = 1, sun = 2, sky = 3 };
  Sample2 operator()(std::uint32_t sample, Purpose purpose) const {
    return stratified(sample, hash(seed, purpose));
  }
  std::uint32_t seed;
};

}  // namespace hydrolith
