// How long the neighbour search takes: sorting, and lists with kernel gradients and sums. The
// figures to hold on two threads: at most 10 ms for 100,000 particles and 90 ms for a million.
//
// A block of liquid in disorder (lattice of spacing h, each particle moved by up to 0.3 h along
// each axis) turns like a solid, a tenth of a spacing at its rim in a step, in a box of samples at
// rest with a body of moving samples inside.
//
//   bench_neighbours [threads]        0 or none: all cores

#include "core/parallel.h"
#include "particles/model.h"
#include "particles/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>

namespace {

using namespace hydrolith;
using namespace hydrolith::particles;

constexpr double h = 0.01;  // [m]

State liquid_block(int n) {
  State s;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> off(-0.3, 0.3);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        s.x.emplace_back(h * (Vec3(i, j, k) + Vec3(off(random), off(random), off(random)) -
                              Vec3::Constant(n / 2)));
  s.v.assign(s.x.size(), Vec3::Zero());
  s.volume.assign(s.x.size(), h * h * h);
  s.pressure.assign(s.x.size(), 0);
  s.liquid.assign(s.x.size(), 0);
  for (std::uint32_t i = 0; i < s.x.size(); ++i) s.id.push_back(i);
  return s;
}

/// The surface of a cube of n samples an edge.
void add_cube(int n, const Vec3& centre, Samples& samples) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        if (std::min({i, j, k}) == 0 || std::max({i, j, k}) == n - 1)
          samples.x.emplace_back(centre + h * (Vec3(i, j, k) - Vec3::Constant(0.5 * (n - 1))));
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

void turn(State& s, double angle) {
  const Mat3 R = Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (Vec3& x : s.x) x = R * x;
}

/// Elapsed time, and processor time over all threads [ms].
struct Times {
  std::vector<double> elapsed, processor;

  template <class F>
  void add(F&& f) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t start_processor = std::clock();
    f();
    processor.push_back(1e3 * double(std::clock() - start_processor) / CLOCKS_PER_SEC);
    elapsed.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
};

void measure(int n, int steps) {
  const Kernel kernel{h, 3};
  State s = liquid_block(n);
  Samples samples;
  add_cube(n + 3, Vec3::Zero(), samples);
  std::vector<char> at_rest(samples.size(), 1);
  add_cube(n / 8, Vec3::Zero(), samples);
  at_rest.resize(samples.size(), 0);

  NeighbourSearch search;
  Neighbours near;
  Times sort, find;
  for (int step = 0; step < steps; ++step) {
    turn(s, 0.1 / n);
    sort.add([&] { search.sort_liquid(kernel, s); });
    find.add([&] { search.find(kernel, s, samples, at_rest, false, near); });
  }
  std::size_t liquid = 0, solid = 0;
  for (std::size_t i = 0; i < s.particles(); ++i) {
    liquid += near.liquid.of(i).size();
    solid += near.samples.of(i).size();
  }
  const auto count = static_cast<double>(s.particles());
  fmt::print("{} particles with {:.1f} liquid neighbours, {} samples ({:.2f} near a particle)\n",
             s.particles(), double(liquid) / count, samples.size(), double(solid) / count);
  const auto print = [](const char* what, double elapsed, double processor) {
    fmt::print("  {:<9} {:8.2f} ms elapsed {:8.2f} ms processor\n", what, elapsed, processor);
  };
  print("sort", median(sort.elapsed), median(sort.processor));
  print("find", median(find.elapsed), median(find.processor));
  print("together", median(sort.elapsed) + median(find.elapsed),
        median(sort.processor) + median(find.processor));
}

}  // namespace

int main(int argc, char** argv) {
  hydrolith::set_threads(argc > 1 ? std::atoi(argv[1]) : 0);
  fmt::print("{} threads, medians\n", hydrolith::threads());
  measure(46, 41);
  measure(100, 11);
}
