#pragma once
// Parallel loops and sums whose result does not depend on the number of threads.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hydrolith {

/// Number of threads used by everything below; 0 = all cores.
void set_threads(int count);
int threads();

/// Calls f(i) for i in [0, n), in any order. f must write only to what belongs to i.
template <class F>
void parallel_for(std::size_t n, F&& f, std::size_t grain = 256) {
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, n, grain),
                            [&](const oneapi::tbb::blocked_range<std::size_t>& range) {
                              for (std::size_t i = range.begin(); i != range.end(); ++i) f(i);
                            });
}

/// Sum of f(i) over [0, n) in fixed blocks: the same bits for any number of threads.
/// `zero` is the neutral element (a double, a Vec3, ...).
template <class T, class F>
T ordered_sum(std::size_t n, T zero, F&& f) {
  constexpr std::size_t block = 1024;
  const std::size_t blocks = (n + block - 1) / block;
  std::vector<T> partial(blocks, zero);
  parallel_for(
      blocks,
      [&](std::size_t b) {
        T sum = zero;
        const std::size_t end = std::min(n, (b + 1) * block);
        for (std::size_t i = b * block; i < end; ++i) sum = T(sum + f(i));
        partial[b] = sum;
      },
      1);
  T total = zero;
  for (const T& p : partial) total = T(total + p);
  return total;
}

}  // namespace hydrolith
