#pragma once
// The innermost loops of cutting cells, compiled for every vector unit; all give the same bits.

#include <cstddef>
#include <cstdint>

namespace hydrolith {

/// Arrays may be read and written this far beyond their end.
inline constexpr std::size_t kernel_padding = 16;

/// s_v = n.x_v - d of up to 64 points; the bits of those with s_v > 0 are returned.
std::uint64_t test_plane(const double* x, const double* y, const double* z, std::size_t count,
                         const double n[3], double d, double* s);

/// Largest of non-negative numbers; those up to the next multiple of 8 must not be larger.
double largest(const double* values, std::size_t count);

/// Points with |x_k - p|^2 < r_sq: their numbers and squared distances, in ascending order of the
/// number. Returns how many.
std::size_t find_near(const float* x, const float* y, const float* z, std::size_t count,
                      const float p[3], float r_sq, std::uint32_t* number, float* distance_sq);

}  // namespace hydrolith
