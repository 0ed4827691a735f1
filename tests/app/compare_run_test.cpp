#include "about.h"
#include "app/compare.h"
#include "scene/scene.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace hydrolith;

namespace {

/// A scene on disk for as long as it lives.
struct SceneOnDisk {
  std::filesystem::path file;
  explicit SceneOnDisk(const std::string& text)
      : file(std::filesystem::temp_directory_path() /
             ("hydrolith_compare_" + std::to_string(getpid()) + ".yaml")) {
    std::ofstream(file) << text;
  }
  ~SceneOnDisk() { std::filesystem::remove(file); }
};

const std::string fall = R"(
name: fall
dimensions: 2
spacing: 0.1
duration: 0.1
time_step: 10 ms
bodies:
  - {name: ball, shape: {sphere: 0.3}, at: [0, 2], velocity: [1, 0]}
  - {name: floor, kind: static, shape: {box: [4, 0.2]}, at: [0, -0.1]}
probes:
  - {name: ball, pose: ball}
expect:
  - {metric: ball.position.x, equals: 0.1, margin: 1e-6}
  - {metric: ball.position.x, time: 5, equals: 5, margin: 1}
)";

}  // namespace

TEST_CASE("limits follow from the scene: 3 (v0 + sqrt(2 g H)), M g H") {
  const SceneOnDisk scene(fall);
  const SceneFile file = SceneFile::load(scene.file);
  const Simulation simulation(file);
  const Limits l = limits_of({}, file.scene(), simulation);
  // From the top of the ball at 2.3 m to the foot of the floor at -0.2 m; meshes are round to 2 %.
  const double H = 2.5, g = 9.81;
  CHECK(l.max_speed == about(3 * (1 + std::sqrt(2 * g * H)), 0.02));
  CHECK(l.energy_scale == about(1000 * 3.14159 * 0.3 * 0.3 * g * H, 0.03));
  REQUIRE(l.max_energy_gain);
  CHECK(*l.max_energy_gain == 0.05);
  CHECK(limits_of({.max_speed = 7.0}, file.scene(), simulation).max_speed == 7);
}

TEST_CASE("energy is not judged by default where it comes from outside") {
  const SceneOnDisk scene(fall);
  const std::vector<std::string> loaded = {"bodies[0].loads=[{force: [0, 1]}]"};
  const std::vector<std::string> moved = {"bodies[1].kind=kinematic",
                                          "bodies[1].motion={velocity: [0, 0]}"};
  for (const auto& driven : {loaded, moved}) {
    CAPTURE(driven[0]);
    const SceneFile file = SceneFile::load(scene.file, driven);
    const Simulation simulation(file);
    CHECK_FALSE(limits_of({}, file.scene(), simulation).max_energy_gain);
    CHECK(limits_of({.max_energy_gain = 0.1}, file.scene(), simulation).max_energy_gain == 0.1);
  }
}

TEST_CASE("a run is counted and judged; what lies after its end is left out with a note") {
  const SceneOnDisk scene(fall);
  const VariantRun run = run_variant({.scene = scene.file}, {}, "");
  CHECK(run.outcome == Outcome::stable);
  CHECK(run.steps == 10);
  CHECK(run.rows.size() == 11);
  CHECK(run.time == about(0.1, 1e-9));
  REQUIRE(run.verdicts.size() == 1);
  CHECK(run.verdicts[0].passed);
  REQUIRE(run.notes.size() == 1);
  CHECK(run.notes[0] == "ball.position.x at t = 5 s left out: after the end at 0.1 s");
  REQUIRE(run.energy_gain);
  CHECK(*run.energy_gain <= 0.01);  // symplectic Euler is off by g dt v / 2 at most
}

TEST_CASE("an unstable run ends at once and says when; a refused one says why") {
  const SceneOnDisk scene(fall);
  const VariantRun fast =
      run_variant({.scene = scene.file, .criteria = {.max_speed = 1.1}}, {}, "");
  CHECK(fast.outcome == Outcome::unstable);
  // v_n^2 = 1 + (n g dt)^2 exceeds 1.1^2 first with n = 5; the ball's reach adds nothing.
  CHECK(fast.steps == 5);
  CHECK(fast.time == about(0.05, 1e-9));
  CHECK(fast.verdicts.empty());
  const VariantRun refused = run_variant({.scene = scene.file}, {"solver.method=magic"}, "");
  CHECK(refused.outcome == Outcome::refused);
  CHECK(refused.reason.find("magic") != std::string::npos);
}

TEST_CASE("a comparison runs all variants, and stops where it is told to") {
  const SceneOnDisk scene(fall);
  CompareOptions options{.scene = scene.file,
                         .variations = {{"time_step", {"10 ms", "-1 ms"}}, {"duration", {"0.05"}}}};
  const Comparison c = compare(options);
  REQUIRE(c.runs.size() == 2);
  CHECK(c.label(0) == "time_step=10 ms, duration=0.05");
  CHECK(c.runs[0].outcome == Outcome::stable);
  CHECK(c.runs[1].outcome == Outcome::refused);
  const std::atomic<bool> stop = true;
  options.stop = &stop;
  const Comparison stopped = compare(options);
  CHECK(stopped.interrupted);
  CHECK(stopped.runs.size() == 1);
}

TEST_CASE("a search keeps the run of its largest stable step and lists what it tried") {
  const SceneOnDisk scene(fall);
  CompareOptions options{.scene = scene.file,
                         .variations = {{"spacing", {"0.1"}}},
                         .search = CompareOptions::Search{.min = 5e-3, .max = 2e-2, .factor = 2}};
  const Comparison c = compare(options);
  REQUIRE(c.steps.size() == 1);
  CHECK(c.steps[0] == 2e-2);
  CHECK(c.runs[0].steps == 5);
  CHECK(c.tries.size() == 2);
  options.variations = {{"time_step", {"1 ms"}}};
  CHECK_THROWS_AS(compare(options), Error);
}
