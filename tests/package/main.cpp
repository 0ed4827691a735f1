#include <hydrolith/simulation.h>

#include <cmath>
#include <cstdio>

/// Drops a ball for 0.1 s and checks where it is: y_n = -g dt^2 n (n + 1) / 2.
int main() {
  const auto scene = hydrolith::SceneFile::parse(
      "{spacing: 0.1, duration: 0.1, time_step: 0.01, bodies: [{name: ball, shape: {sphere: 0.5}}]}");
  hydrolith::Simulation simulation(scene);
  while (!simulation.finished()) simulation.step();
  const double y = simulation.frame().bodies[0].pose.position.y();
  const double expected = -9.81 * 1e-4 * 10 * 11 / 2;
  std::printf("y = %.6f m, expected %.6f m\n", y, expected);
  return std::abs(y - expected) < 1e-6 ? 0 : 1;
}
