#include "hydrolith/simulation.h"

#include "app/expect.h"
#include "app/resume.h"
#include "app/run_files.h"
#include "output/checkpoint_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

using namespace hydrolith;

namespace {

SceneFile pool(const std::string& engine, double ball = 0.1) {
  return SceneFile::parse(fmt::format(R"(
engine: {}
spacing: 0.05
duration: 1
time_step: 4 ms
liquids: [{{shape: {{box: {{size: [0.4, 0.3, 0.4]}}, at: [0, 0.2, 0]}}}}]
emitters: [{{at: [0, 0.8, 0], direction: [0, -1, 0], radius: 0.06, speed: 2}}]
bodies:
  - {{name: tank, kind: static, shape: {{box: {{size: [0.5, 1, 0.5]}}, inside_out: true}}, at: [0, 0.5, 0]}}
  - {{name: ball, shape: {{sphere: {}}}, at: [0.05, 0.5, 0], density: 600, friction: 0.3}}
)",
                                      engine, ball));
}

std::uint64_t state_of(const Simulation& simulation) {
  return fingerprint(simulation.checkpoint().state);
}

}  // namespace

TEST_CASE(
    "A state goes through a file and goes on bit for bit, in a simulation that did something "
    "else") {
  for (const char* engine : {"particles", "hybrid"}) {
    CAPTURE(engine);
    Simulation straight(pool(engine));
    straight.prepare();
    for (int i = 0; i < 12; ++i) straight.step();
    const std::string bytes = encode_checkpoint(straight.checkpoint(), "c.h5");
    for (int i = 0; i < 12; ++i) straight.step();

    Simulation other(pool(engine));
    for (int i = 0; i < 5; ++i) other.step();
    other.restore(decode_checkpoint(bytes, "c.h5"));
    CHECK(other.metrics()[0] == doctest::Approx(12 * 0.004));
    for (int i = 0; i < 12; ++i) other.step();
    CHECK(state_of(other) == state_of(straight));
    CHECK(other.metrics() == straight.metrics());
  }
}

TEST_CASE("A state of another scene is refused and changes nothing") {
  Simulation simulation(pool("particles"));
  simulation.step();
  const std::uint64_t before = state_of(simulation);
  SUBCASE("of the other engine") {
    Simulation hybrid(pool("hybrid"));
    CHECK_THROWS_WITH_AS(hybrid.restore(simulation.checkpoint()),
                         doctest::Contains("engine: particles there, hybrid here"), Error);
  }
  SUBCASE("without a column") {
    Checkpoint c = simulation.checkpoint();
    std::erase_if(c.state.columns,
                  [](const Archive::Column& column) { return column.name == "v"; });
    CHECK_THROWS_WITH_AS(simulation.restore(c), doctest::Contains("no column v"), Error);
  }
  SUBCASE("with another ball") {
    CHECK_THROWS_WITH_AS(simulation.restore(Simulation(pool("particles", 0.11)).checkpoint()),
                         doctest::Contains("bodies[1].shape.sphere: 0.11 there, 0.1 here"), Error);
  }
  SUBCASE("with another number of bodies") {
    const SceneFile empty = SceneFile::parse("duration: 1\nliquids: [{shape: {box: [1, 1, 1]}}]\n");
    CHECK_THROWS_AS(simulation.restore(Simulation(empty).checkpoint()), Error);
  }
  SUBCASE("with columns of different lengths") {
    Checkpoint c = simulation.checkpoint();
    for (Archive::Column& column : c.state.columns)
      if (column.name == "pressure") column.bytes.resize(column.bytes.size() - 4);
    CHECK_THROWS_WITH_AS(simulation.restore(c), doctest::Contains("particles"), Error);
  }
  SUBCASE("with contacts of bodies that are not there") {
    Checkpoint c = simulation.checkpoint();
    for (Archive::Column& column : c.state.columns) {
      if (column.name == "contacts.sample" || column.name == "contacts.body")
        column.bytes.assign(4, '\7');
      if (column.name == "contacts.force") column.bytes.assign(24, '\0');
      if (column.name == "contacts.torque" || column.name == "contacts.anchor")
        column.bytes.clear();
    }
    CHECK_THROWS_WITH_AS(simulation.restore(c), doctest::Contains("contacts"), Error);
  }
  CHECK(state_of(simulation) == before);
}

TEST_CASE("A state is saved and loaded with its scene and its metrics") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("hydrolith_state_{}.h5", getpid());
  for (const char* engine : {"particles", "hybrid"}) {
    CAPTURE(engine);
    Simulation simulation(pool(engine));
    CHECK(simulation.step_until(0.02) == 5);
    CHECK(simulation.steps() == 5);
    simulation.save(file);
    Simulation other = Simulation::load(file);
    CHECK(other.scene().yaml() == simulation.scene().yaml());
    CHECK(state_of(other) == state_of(simulation));
    CHECK(other.metrics() == simulation.metrics());
    simulation.step();
    other.restore(file);
    other.step();
    CHECK(other.metrics() == simulation.metrics());
  }
  std::filesystem::remove(file);
  CHECK_THROWS_WITH_AS(Simulation::load(file), doctest::Contains(file.string().c_str()), IoError);
}

TEST_CASE("A state of before settling settles when it goes on") {
  Simulation straight(pool("particles")), other(pool("particles"));
  const Checkpoint start = straight.checkpoint();
  straight.step();
  other.step();
  other.restore(start);
  other.step();
  CHECK(state_of(other) == state_of(straight));
}

TEST_CASE("Differences of two scenes are told by path, and only the harmless ones may be") {
  const auto changes = changes_between("duration: 1\nliquids: [{density: 1}, {density: 2}]\n",
                                       "duration: 2\nliquids: [{density: 1}, {density: 3}]\n");
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].path == "duration");
  CHECK(changes[0].before == "1");
  CHECK(changes[0].after == "2");
  CHECK(changes[1].path == "liquids[1].density");
  CHECK(changes_between("a: {b: 1, c: 2}", "a: {c: 2, b: 1}").empty());
  CHECK(changes_between("a: 1", "a: 1\nb: [1, 2]").at(0).path == "b");
  CHECK(changes_between("a: 1", "a: 1\nsolver: {tolerance: 2}").at(0).path == "solver.tolerance");

  for (const char* path : {"duration", "output", "output.frame_rate", "output.formats[1]",
                           "time_step.max", "solver.tolerance", "hybrid.tolerance"})
    CHECK_MESSAGE(may_change(path), path);
  for (const char* path : {"durations", "gravity[1]", "solver", "solver.method", "engine",
                           "liquids[0].density", "outputs.x", "parameters.output"})
    CHECK_MESSAGE(!may_change(path), path);
}

TEST_CASE("A schedule goes on where it was; with another interval at the next multiple") {
  Schedule schedule(0.1);
  CHECK(schedule.due(0));
  CHECK(schedule.due(0.13));
  Schedule same(0.1);
  same.restore(schedule.interval(), schedule.next(), 0.13);
  CHECK(same.next() == schedule.next());
  CHECK(!same.due(0.19));
  CHECK(same.due(0.2));
  Schedule finer(0.05);
  finer.restore(schedule.interval(), schedule.next(), 0.13);
  CHECK(!finer.due(0.14));
  CHECK(finer.due(0.15));
}
