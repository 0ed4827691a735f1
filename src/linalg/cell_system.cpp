#include "linalg/cell_system.h"

#include "core/check.h"
#include "core/parallel.h"

namespace hydrolith {

void link_back(CellSystem& A) {
  const std::size_t n = A.size();
  require(A.cell.size() == n && A.next.size() == n && A.link.size() == n,
          "link_back: {} diagonals, but {} cells, {} neighbours, {} links", n, A.cell.size(),
          A.next.size(), A.link.size());
  A.previous.resize(n);
  parallel_for(
      n,
      [&](std::size_t i) {
        A.previous[i] = {-1, -1, -1};
      },
      4096);
  // Every cell is at most once the next one of another: one writer per element.
  parallel_for(
      n,
      [&](std::size_t i) {
        for (std::size_t d = 0; d < 3; ++d)
          if (const std::int32_t j = A.next[i][d]; j >= 0)
            A.previous[static_cast<std::size_t>(j)][d] = static_cast<std::int32_t>(i);
      },
      4096);
}

/// y_i = a_ii x_i + sum over axes of a_i,next x_next + a_previous,i x_previous
void multiply(const CellSystem& A, std::span<const double> x, std::span<double> y) {
  require(A.previous.size() == A.size(), "multiply: the system was not linked back");
  parallel_for(
      A.size(),
      [&](std::size_t i) {
        double sum = A.diagonal[i] * x[i];
        for (std::size_t d = 0; d < 3; ++d) {
          const std::int32_t j = A.next[i][d], k = A.previous[i][d];
          if (j >= 0) sum += A.link[i][d] * x[static_cast<std::size_t>(j)];
          if (k >= 0)
            sum += A.link[static_cast<std::size_t>(k)][d] * x[static_cast<std::size_t>(k)];
        }
        y[i] = sum;
      },
      2048);
}

}  // namespace hydrolith
