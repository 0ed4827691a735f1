// --set path=value.

#include "hydrolith/error.h"

#include "scene/reader.h"

#include <doctest/doctest.h>

using namespace hydrolith;

namespace {

constexpr std::string_view pond = R"yaml(
# A pond.
parameters: {scale: 1}
gravity: [0, -9.81, 0]
liquids:
  - {name: water, shape: {box: [scale, 1, 1]}}
bodies:
  - {name: ship, shape: {box: [1, 1, 1]}, density: 300}
  - name: buoy
    shape: {sphere: 0.2}
)yaml";

SceneDocument read(const std::vector<std::string>& changes) {
  std::vector<Override> overrides;
  for (const std::string& change : changes) overrides.push_back(parse_override(change));
  return read_scene_text(pond, "pond.yaml", overrides);
}

}  // namespace

TEST_CASE("an override is split at its first equals sign") {
  CHECK(parse_override("a.b[2]=c=d").path == "a.b[2]");
  CHECK(parse_override("a.b[2]=c=d").value == "c=d");
  CHECK(parse_override("name=").value == "");
  CHECK_THROWS_AS(parse_override("duration"), Error);
  CHECK_THROWS_AS(parse_override("=3"), Error);
}

TEST_CASE("overrides change values, add keys and reach items by index or name") {
  CHECK(read({"bodies[0].density=500"}).scene.bodies[0].density == 500);
  CHECK(read({"bodies.ship.density=500"}).scene.bodies[0].density == 500);
  CHECK(read({"bodies.buoy.mass=2 kg"}).scene.bodies[1].mass == 2);
  CHECK(read({"liquids.water.velocity=[1, 2, 3]"}).scene.liquids[0].velocity(Vec3(7, 8, 9)) ==
        Vec3(1, 2, 3));
  CHECK(read({"gravity[1]=-1.62"}).scene.gravity == Vec3(0, -1.62, 0));
  CHECK(read({"output.frame_rate=60"}).scene.output.frame_rate == 60);
  CHECK(read({"time_step={cfl: 0.2, max: 1 ms}"}).scene.time_step.cfl == 0.2);
  CHECK(read({"bodies=[]"}).scene.bodies.empty());
  CHECK(read({"duration=1", "duration=2"}).scene.duration == 2);
}

TEST_CASE("a parameter from the command line reaches every expression") {
  const Scene scene = read({"parameters.scale=3"}).scene;
  CHECK(std::get<BoxShape>(scene.liquids[0].shape->kind).size.x() == 3);
}

TEST_CASE("parameters given as a whole may be new and be used by other overrides") {
  const Scene scene = read({"parameters={scale: 3, depth: 2}", "parameters.depth=4",
                            "liquids.water.shape.box[1]=depth"})
                          .scene;
  const auto& box = std::get<BoxShape>(scene.liquids[0].shape->kind);
  CHECK(box.size == Vec3(3, 4, 1));
}

TEST_CASE("without overrides the scene as run is the user's text, comments included") {
  CHECK(read({}).yaml == pond);
}

TEST_CASE("with overrides the scene as run lists them and reads back as the same scene") {
  const SceneDocument edited = read({"bodies.ship.density=500", "output.formats=[vtk]"});
  CHECK(edited.yaml.starts_with(
      "# The scene as run, with these changes:\n#   --set bodies.ship.density=500\n"));
  const SceneDocument again = read_scene_text(edited.yaml, "pond.yaml");
  CHECK(again.scene.bodies[0].density == 500);
  CHECK(again.scene.output.vtk);
  CHECK(again.scene.bodies.size() == edited.scene.bodies.size());
  CHECK(std::get<SphereShape>(again.scene.bodies[1].shape.kind).radius == 0.2);
}

TEST_CASE("quoted texts, colours and multi-line texts survive the writing of an edited scene") {
  const std::string yaml =
      "name: \"12\"\ndescription: |\n  two\n  lines\nbodies:\n"
      "  - {shape: {text: \"a: b # c\"}, colour: \"#ff0000\", at: [0, \"max(1, 2)\", 0]}\n";
  const auto edited = read_scene_text(yaml, "t.yaml", {parse_override("duration=1")});
  const Scene again = read_scene_text(edited.yaml, "t.yaml").scene;
  CHECK(again.name == "12");
  CHECK(again.description == "two\nlines\n");
  CHECK(std::get<TextShape>(again.bodies[0].shape.kind).text == "a: b # c");
  CHECK(again.bodies[0].pose.position.y() == 2);
  CHECK(*again.bodies[0].colour == Vec3(1, 0, 0));
}

TEST_CASE("an override of broken YAML is told as such") {
  CHECK_THROWS_WITH_AS(read({"gravity=[1, 2"}),
                       "--set gravity=[1, 2  this is not YAML: end of sequence flow not found",
                       SceneError);
}

TEST_CASE("overrides alone can make a scene") {
  const auto made =
      read_scene_text("", "new.yaml", {parse_override("bodies=[{shape: {sphere: 1}}]")});
  CHECK(made.scene.bodies.size() == 1);
}
