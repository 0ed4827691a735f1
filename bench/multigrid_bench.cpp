// How long a pressure solve takes: conjugate gradients with multigrid to 1e-6, building included.
// The figures to hold on one thread: 64^3 half full 0.08 s, 128^3 half full 0.8 s.

#include "core/parallel.h"
#include "linalg/conjugate_gradient.h"
#include "linalg/multigrid.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <functional>

namespace {

using namespace hydrolith;

using Inside = std::function<bool(int, int, int)>;

/// Liquid where `inside`, walls around a box of N^3 except on top, air elsewhere (half a cell
/// away). Unknowns in tiles of 8^3.
CellSystem liquid(int N, const Inside& inside) {
  const auto wall = [&](int x, int y, int z) {
    return x < 0 || y < 0 || z < 0 || x >= N || z >= N;
  };
  CellSystem A;
  std::vector<std::int32_t> number(static_cast<std::size_t>(N) * N * N, -1);
  const auto at = [&](int x, int y, int z) -> std::int32_t& {
    return number[(static_cast<std::size_t>(z) * N + y) * N + x];
  };
  for (int tile = 0; tile < N / 8 * (N / 8) * (N / 8); ++tile)
    for (int k = 0; k < 512; ++k) {
      const int T = N / 8;
      const int x = tile % T * 8 + k % 8, y = tile / T % T * 8 + k / 8 % 8,
                z = tile / T / T * 8 + k / 64;
      if (!inside(x, y, z)) continue;
      at(x, y, z) = static_cast<std::int32_t>(A.cell.size());
      A.cell.emplace_back(x, y, z);
    }
  for (const Eigen::Vector3i& c : A.cell) {
    std::array<std::int32_t, 3> next{-1, -1, -1};
    std::array<double, 3> link{0, 0, 0};
    double diagonal = 0;
    for (int d = 0; d < 3; ++d)
      for (int side : {-1, 1}) {
        const Eigen::Vector3i o = c + side * Eigen::Vector3i::Unit(d);
        if (wall(o.x(), o.y(), o.z())) continue;
        const std::int32_t j = o.y() >= N ? -1 : at(o.x(), o.y(), o.z());
        diagonal += j < 0 ? 2 : 1;
        if (side > 0 && j >= 0) next[d] = j, link[d] = -1;
      }
    A.next.push_back(next);
    A.link.push_back(link);
    A.diagonal.push_back(diagonal);
  }
  link_back(A);
  return A;
}

std::vector<double> smooth_source(const CellSystem& A, int N) {
  std::vector<double> b;
  for (const Eigen::Vector3i& c : A.cell) {
    const Eigen::Vector3d x = c.cast<double>() / N;
    b.push_back(std::sin(7 * x.x() + 3 * x.y()) * std::cos(5 * x.z() - 2 * x.x()) + 0.3 * x.y() +
                0.1 * std::sin(40 * x.x() * x.z()));
  }
  return b;
}

void solve(benchmark::State& state, const CellSystem& A, int N) {
  set_threads(static_cast<int>(state.range(1)));
  const std::vector<double> b = smooth_source(A, N);
  std::vector<double> x(A.size());
  Multigrid multigrid;
  CgWorkspace workspace;
  CgReport report;
  const auto step = [&] {
    std::fill(x.begin(), x.end(), 0.0);
    multigrid.build(A);
    report = conjugate_gradient(
        [&](std::span<const double> in, std::span<double> out) { multiply(A, in, out); },
        [&](std::span<const double> in, std::span<double> out) { multigrid.apply(in, out); }, b, x,
        {.tolerance = 1e-6, .max_iterations = 200}, workspace);
  };
  step();  // memory is kept from step to step
  for (auto _ : state) step();
  state.counters["unknowns"] = double(A.size());
  state.counters["iterations"] = report.iterations;
  state.counters["converged"] = report.converged;
  set_threads(0);
}

/// Arguments of all: N, threads.
void half_full(benchmark::State& state) {
  const int N = static_cast<int>(state.range(0));
  solve(state, liquid(N, [N](int, int y, int) { return 2 * y < N; }), N);
}

void dam(benchmark::State& state) {
  const int N = static_cast<int>(state.range(0));
  solve(state, liquid(N, [N](int x, int y, int) { return 2 * y < N && 2 * x < N; }), N);
}

/// Blobs and crumbs.
void cloud(benchmark::State& state) {
  const int N = static_cast<int>(state.range(0));
  const auto inside = [N](int x, int y, int z) {
    const double s = 40.0 / N;
    const std::uint32_t hash =
        (static_cast<std::uint32_t>(x) * 73856093u ^ static_cast<std::uint32_t>(y) * 19349663u ^
         static_cast<std::uint32_t>(z) * 83492791u) *
        2654435761u;
    return std::sin(s * x) * std::sin(1.3 * s * y) + std::sin(0.8 * s * z + 0.1 * x) +
               0.5 * (double(hash >> 16) / 65536 - 0.5) >
           0.4;
  };
  solve(state, liquid(N, inside), N);
}

void build_half_full(benchmark::State& state) {
  const int N = static_cast<int>(state.range(0));
  set_threads(static_cast<int>(state.range(1)));
  const CellSystem A = liquid(N, [N](int, int y, int) { return 2 * y < N; });
  Multigrid multigrid;
  multigrid.build(A);
  for (auto _ : state) multigrid.build(A);
  set_threads(0);
}

void apply_half_full(benchmark::State& state) {
  const int N = static_cast<int>(state.range(0));
  set_threads(static_cast<int>(state.range(1)));
  const CellSystem A = liquid(N, [N](int, int y, int) { return 2 * y < N; });
  const std::vector<double> b = smooth_source(A, N);
  std::vector<double> x(A.size());
  Multigrid multigrid;
  multigrid.build(A);
  for (auto _ : state) multigrid.apply(b, x);
  set_threads(0);
}

void multiply_half_full(benchmark::State& state) {
  const int N = static_cast<int>(state.range(0));
  set_threads(static_cast<int>(state.range(1)));
  const CellSystem A = liquid(N, [N](int, int y, int) { return 2 * y < N; });
  const std::vector<double> b = smooth_source(A, N);
  std::vector<double> x(A.size());
  for (auto _ : state) multiply(A, b, x);
  set_threads(0);
}

#define SIZES ->ArgsProduct({{32, 64, 128}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime()
BENCHMARK(half_full) SIZES;
BENCHMARK(dam) SIZES;
BENCHMARK(cloud) SIZES;
BENCHMARK(build_half_full) SIZES;
BENCHMARK(apply_half_full) SIZES;
BENCHMARK(multiply_half_full) SIZES;

}  // namespace

BENCHMARK_MAIN();
