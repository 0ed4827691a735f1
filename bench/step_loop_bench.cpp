// Steps of a scene through the public API, as bench/python_overhead.py takes them:
//   bench_step_loop SCENE.yaml STEPS BATCHES
// Prints the time of one step [us] in the fastest batch.

#include "hydrolith/simulation.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "bench_step_loop SCENE.yaml STEPS BATCHES\n");
    return 2;
  }
  try {
    hydrolith::Simulation simulation(hydrolith::SceneFile::load(argv[1]));
    const int steps = std::atoi(argv[2]), batches = std::atoi(argv[3]);
    double best = 1e300;
    for (int batch = 0; batch < batches; ++batch) {
      const auto start = std::chrono::steady_clock::now();
      for (int n = 0; n < steps; ++n) simulation.step();
      const std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - start;
      best = std::min(best, time.count() / steps);
    }
    std::printf("%.3f\n", best);
    return 0;
  } catch (const hydrolith::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
