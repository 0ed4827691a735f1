// Good scenes: every key is read into its place.

#include "hydrolith/error.h"

#include "about.h"
#include "scene/reader.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

using namespace hydrolith;

namespace {

Scene read(std::string_view yaml) { return read_scene_text(yaml, "folder/test.yaml").scene; }

Shape shape(const std::string& yaml) {
  return read("bodies: [{kind: static, shape: {" + yaml + "}}]").bodies.at(0).shape;
}

template <class K>
K kind(const std::string& yaml) {
  return std::get<K>(shape(yaml).kind);
}

constexpr double degree = std::numbers::pi / 180;

}  // namespace

TEST_CASE("a scene of one line has the defaults of the struct") {
  const Scene scene = read("bodies: [{shape: {sphere: 1}}]"), plain;
  CHECK(scene.name == "test");
  CHECK(scene.dimensions == plain.dimensions);
  CHECK(scene.spacing == plain.spacing);
  CHECK(scene.gravity == plain.gravity);
  CHECK(scene.duration == plain.duration);
  CHECK(scene.time_step.adaptive);
  CHECK(scene.time_step.cfl == plain.time_step.cfl);
  CHECK(scene.output.hdf5);
  CHECK_FALSE(scene.domain);
  CHECK(scene.bodies[0].kind == BodyKind::dynamic);
  CHECK(scene.bodies[0].mark.line == 1);
  CHECK(scene.bodies[0].mark.column == 10);
  CHECK(scene.bodies[0].mark.path == "bodies[0]");
}

TEST_CASE("every key at the top is read") {
  const Scene scene = read(R"yaml(
name: All of it
description: Every key once.
dimensions: 3
engine: particles
parameters: {L: 20 cm, double: 2*L}
spacing: L/10
gravity: [0, -1.62, 0]
duration: 3 min
time_step: {cfl: 0.3, min: 10 us, max: 2 ms}
solver: {tolerance: 1e-3, min_iterations: 1, max_iterations: 50}
domain: {min: [-1, -1, -1], max: [1, 2*double, 1]}
output: {frame_rate: 60, formats: [vtk, ply], fields: [density], compression: 9, metrics_every: 0.1}
picture: {camera: {from: [1, 2, 3], to: [0, 0, 0], field_of_view: 50}, colour_by: body}
expect:
  - {metric: energy, when: max, below: 1 kJ}
  - {metric: height, equals: 20 mm, margin: 1 mm, time: 2}
)yaml");
  CHECK(scene.name == "All of it");
  CHECK(scene.description == "Every key once.");
  CHECK(scene.parameters.at("double") == 0.4);
  CHECK(scene.spacing == about(0.02, 1e-14));
  CHECK(scene.gravity == Vec3(0, -1.62, 0));
  CHECK(scene.duration == 180);
  CHECK(scene.time_step.cfl == 0.3);
  CHECK(scene.time_step.min == about(1e-5, 1e-14));
  CHECK(scene.time_step.max == 2e-3);
  CHECK(scene.solver.tolerance == 1e-3);
  CHECK(scene.solver.min_iterations == 1);
  CHECK(scene.solver.max_iterations == 50);
  CHECK(scene.domain->hi == Vec3(1, 0.8, 1));
  CHECK(scene.output.frame_rate == 60);
  CHECK_FALSE(scene.output.hdf5);
  CHECK(scene.output.vtk);
  CHECK(scene.output.ply);
  CHECK(scene.output.fields == std::vector<std::string>{"density"});
  CHECK(scene.output.compression == 9);
  CHECK(scene.output.metrics_every == 0.1);
  CHECK(scene.picture.camera->from == Vec3(1, 2, 3));
  CHECK(scene.picture.camera->field_of_view == 50);
  CHECK(scene.picture.colour_by == "body");
  CHECK(scene.expect[0].when == ExpectWhen::max);
  CHECK(*scene.expect[0].below == 1000);
  CHECK(scene.expect[1].when == ExpectWhen::at);
  CHECK(scene.expect[1].time == 2);
  CHECK(*scene.expect[1].equals == 0.02);
  CHECK(scene.expect[1].margin == 0.001);
}

TEST_CASE("a time step is fixed by a number, and one bound moves the other out of its way") {
  CHECK_FALSE(read("time_step: 1 ms").time_step.adaptive);
  CHECK(read("time_step: 1 ms").time_step.fixed == 1e-3);
  CHECK(read("time_step: {max: 1e-6}").time_step.min == 1e-6);
  CHECK(longest_step(read("time_step: {min: 0.1}")) == 0.1);
}

// 0.09 sqrt(h / g): 4.06 ms at 20 mm, 1.29 ms at 2 mm.
TEST_CASE("the longest step follows spacing and gravity unless the scene says otherwise") {
  CHECK(longest_step(read("spacing: 50 mm")) == 5e-3);
  CHECK(longest_step(read("spacing: 20 mm")) == about(4.064e-3, 1e-3));
  CHECK(longest_step(read("spacing: 2 mm")) == about(1.285e-3, 1e-3));
  CHECK(longest_step(read("spacing: 2 mm\ngravity: 981")) == about(0.1285e-3, 1e-3));
  CHECK(longest_step(read("spacing: 2 mm\ngravity: 0")) == 5e-3);
  CHECK(longest_step(read("spacing: 2 mm\nengine: hybrid")) == 5e-3);
  CHECK(longest_step(read("spacing: 2 mm\ntime_step: {max: 4 ms}")) == 4e-3);
  CHECK(longest_step(read("spacing: 2 mm\ntime_step: 3 ms")) == 3e-3);
}

TEST_CASE("a height probe reads the filled column unless it asks for the highest drop") {
  CHECK(read("probes: [{name: a, height: {at: [0, 0, 0]}}]").probes[0].reading ==
        HeightReading::filled);
  CHECK(read("probes: [{name: a, height: {at: [0, 0, 0], reading: highest}}]").probes[0].reading ==
        HeightReading::highest);
}

TEST_CASE("gravity is a vector or a number downwards") {
  CHECK(read("gravity: 1.62").gravity == Vec3(0, -1.62, 0));
  CHECK(read("gravity: 3 m/s^2").gravity == Vec3(0, -3, 0));
  CHECK(read("gravity: [1, 2, 3]").gravity == Vec3(1, 2, 3));
}

TEST_CASE("liquids, emitters and outlets are read") {
  const Scene scene = read(R"yaml(
liquids:
  - {name: water, shape: {box: [1, 1, 1]}, density: 998, viscosity: 1 mPa s, surface_tension: 0.07,
     velocity: [1, 0, 0], colour: [1, 0, 0]}
  - {name: oil}
emitters:
  - {liquid: oil, opening: rectangle, width: 0.3, height: 0.4, at: [0, 1, 0], direction: [0, -2, 0],
     rate: "max(0, 1 - t)", from: 1, until: 2, volume: 3 l}
  - {name: jet, liquid: water, radius: 0.05, speed: {keyframes: [[0, 0], [1, 2]]}}
outlets:
  - {name: drain, shape: {sphere: 0.1}, liquid: oil, rate: 2, from: 1, until: 5, volume: 1}
  - {shape: {sphere: 0.1}}
)yaml");
  const LiquidSpec& water = scene.liquids[0];
  CHECK(water.density == 998);
  CHECK(water.viscosity == 0.001);
  CHECK(water.surface_tension == 0.07);
  CHECK(water.velocity(Vec3(7, 8, 9)) == Vec3(1, 0, 0));
  const Scene flow =
      read_scene_text("liquids: [{shape: {sphere: 1}, velocity: [2*y, z - 1, x^2]}]", "s.yaml")
          .scene;
  CHECK(flow.liquids[0].velocity(Vec3(3, 4, 5)) == Vec3(8, 4, 9));
  CHECK_FALSE(flow.liquids[0].velocity.is_constant());
  CHECK(water.colour == Vec3(1, 0, 0));
  CHECK_FALSE(scene.liquids[1].shape);
  const EmitterSpec& emitter = scene.emitters[0];
  CHECK(emitter.name == "emitter1");
  CHECK(emitter.liquid == "oil");
  CHECK(emitter.opening == EmitterOpening::rectangle);
  CHECK(emitter.width == 0.3);
  CHECK(emitter.height == 0.4);
  CHECK(emitter.at == Vec3(0, 1, 0));
  CHECK(emitter.direction == Vec3(0, -1, 0));
  CHECK((*emitter.rate)(0.25) == 0.75);
  CHECK_FALSE(emitter.speed);
  CHECK(emitter.from == 1);
  CHECK(emitter.until == 2);
  CHECK(emitter.volume == about(0.003, 1e-14));
  CHECK(scene.emitters[1].until == unlimited);
  CHECK((*scene.emitters[1].speed)(0.5) == 1);
  const OutletSpec& outlet = scene.outlets[0];
  CHECK(outlet.name == "drain");
  CHECK(*outlet.liquid == "oil");
  CHECK(outlet.rate == 2);
  CHECK(outlet.from == 1);
  CHECK(outlet.until == 5);
  CHECK(outlet.volume == 1);
  CHECK(scene.outlets[1].rate == unlimited);
}

TEST_CASE("an emitter feeds the only liquid by itself") {
  CHECK(read("liquids: [{}]\nemitters: [{speed: 1}]").emitters[0].liquid == "liquid1");
}

TEST_CASE("friction against turning and friction with a grain are read") {
  const Scene scene = read(R"(
solver: {anchor: true}
materials:
  felt: {rolling_friction: 2 mm, torsional_friction: 0.001}
  ski: {friction: {along: "0.1*t", across: 0.6, direction: [0, 0, 2]}}
friction:
  - {between: [felt, ski], coefficient: 0.3, rolling_friction: 4 mm}
bodies:
  - {shape: {sphere: 1}, material: felt, rolling_friction: 0, friction: {along: 0.1, across: 0.2}}
)");
  CHECK(scene.solver.anchor);
  CHECK(scene.materials.at("felt").rolling_friction == 0.002);
  CHECK(scene.materials.at("felt").torsional_friction == 0.001);
  const MaterialSpec& ski = scene.materials.at("ski");
  REQUIRE(ski.grain);
  CHECK(!ski.friction);
  CHECK(ski.grain->along(2) == 0.2);
  CHECK(ski.grain->across(2) == 0.6);
  CHECK(ski.grain->direction == Vec3::UnitZ());
  CHECK(scene.friction[0].rolling_friction == 0.004);
  CHECK(!scene.friction[0].torsional_friction);
  CHECK(scene.bodies[0].rolling_friction == 0);
  CHECK(scene.bodies[0].grain->direction == Vec3::UnitX());
}

TEST_CASE("bodies, materials and friction are read") {
  const Scene scene = read(R"yaml(
materials:
  oak: {density: 700, friction: 0.4, colour: "#ff0000"}
  ice: {friction: "max(0, 1 - t/5)"}
friction:
  - {between: [oak, ice], coefficient: {keyframes: [[0, 1], [2, 0]], interpolation: step}}
bodies:
  - {name: a, shape: {sphere: 1}, at: [1, 2, 3], rotate: {axis: [0, 0, 2], angle: 90}, density: 500,
     material: oak, friction: 0.2, velocity: [1, 0, 0], angular_velocity: [0, 60 rpm, 0], colour: white,
     loads: [{force: [1 kN, "sin(t)", 0], at: [0, 1, 0]}, {torque: {keyframes: [[0, [0, 0, 0]], [2, [0, 4, 0]]]}, body_frame: true}]}
  - {shape: {sphere: 1}, mass: 3 t}
)yaml");
  CHECK(*scene.materials.at("oak").density == 700);
  CHECK((*scene.materials.at("oak").friction)(3) == 0.4);
  CHECK(*scene.materials.at("oak").colour == Vec3(1, 0, 0));
  CHECK((*scene.materials.at("ice").friction)(2.5) == 0.5);
  CHECK(scene.friction[0].a == "oak");
  CHECK(scene.friction[0].b == "ice");
  CHECK(scene.friction[0].coefficient(1.9) == 1);
  const BodySpec& a = scene.bodies[0];
  CHECK(a.pose.position == Vec3(1, 2, 3));
  CHECK((a.pose.orientation * Vec3::UnitX() - Vec3::UnitY()).norm() < 1e-15);
  CHECK(*a.density == 500);
  CHECK(a.material == "oak");
  CHECK((*a.friction)(0) == 0.2);
  CHECK(a.velocity == Vec3(1, 0, 0));
  CHECK(a.angular_velocity.y() == doctest::Approx(2 * std::numbers::pi));
  CHECK(*a.colour == Vec3(1, 1, 1));
  REQUIRE(a.loads.size() == 2);
  CHECK(a.loads[0].force(0.5) == Vec3(1000, std::sin(0.5), 0));
  CHECK(*a.loads[0].at == Vec3(0, 1, 0));
  CHECK_FALSE(a.loads[0].body_frame);
  CHECK(a.loads[1].torque(1) == Vec3(0, 2, 0));
  CHECK(a.loads[1].body_frame);
  CHECK(*scene.bodies[1].mass == 3000);
}

TEST_CASE("the motion of a kinematic body is read") {
  const Scene scene = read(R"yaml(
bodies:
  - {shape: {sphere: 1}, kind: kinematic, motion: {velocity: [t, 0, 1], rotation: {axis: [0, 0, 3], centre: [1, 0, 0], rate: 2*t}}}
  - shape: {sphere: 1}
    kind: kinematic
    motion:
      keyframes: [{time: 0}, {time: 2 s, at: [0, 1, 0], rotate: {angle: 90}}]
      interpolation: linear
)yaml");
  const MotionSpec& steady = scene.bodies[0].motion;
  CHECK((*steady.velocity)(3) == Vec3(3, 0, 1));
  CHECK((*steady.rotation_rate)(3) == 6);
  CHECK(steady.rotation_axis == Vec3(0, 0, 1));
  CHECK(*steady.rotation_centre == Vec3(1, 0, 0));
  const MotionSpec& keyed = scene.bodies[1].motion;
  REQUIRE(keyed.keyframes.size() == 2);
  CHECK(keyed.keyframes[1].time == 2);
  CHECK(keyed.keyframes[1].at == Vec3(0, 1, 0));
  CHECK(keyed.keyframes[1].rotate.angularDistance(
            Quat(Eigen::AngleAxisd(90 * degree, Vec3::UnitY()))) < 1e-7);
  CHECK(keyed.interpolation == Interpolation::linear);
}

TEST_CASE("probes are read") {
  const Scene scene = read(R"yaml(
bodies: [{name: ship, shape: {sphere: 1}}, {name: pile, shape: {sphere: 1}, repeat: {array: {count: 2, step: [3, 0, 0]}}}]
probes:
  - {name: a, force: ship}
  - {name: b, pressure: [1, 2, 3]}
  - {name: c, height: {at: [1, 0, 0], direction: [0, 0, 2]}}
  - {name: d, height: {at: [1, 0, 0]}}
  - {name: e, pose: "pile[1]"}
)yaml");
  CHECK(scene.probes[0].kind == ProbeKind::force);
  CHECK(scene.probes[0].body == "ship");
  CHECK(scene.probes[1].kind == ProbeKind::pressure);
  CHECK(scene.probes[1].at == Vec3(1, 2, 3));
  CHECK(scene.probes[2].kind == ProbeKind::height);
  CHECK(scene.probes[2].direction == Vec3(0, 0, 1));
  CHECK(scene.probes[3].direction == Vec3(0, 0, 0));
  CHECK(scene.probes[4].kind == ProbeKind::pose);
  CHECK(scene.probes[4].body == "pile[1]");
}

TEST_CASE("every shape is read, in long and in short") {
  CHECK(kind<BoxShape>("box: {size: [1, 2, 3]}").size == Vec3(1, 2, 3));
  CHECK(kind<BoxShape>("box: [1, 2, 3]").size == Vec3(1, 2, 3));
  CHECK(kind<SphereShape>("sphere: {radius: 2}").radius == 2);
  CHECK(kind<SphereShape>("sphere: 2 cm").radius == 0.02);
  CHECK(kind<EllipsoidShape>("ellipsoid: [1, 2, 3]").radii == Vec3(1, 2, 3));
  CHECK(kind<CylinderShape>("cylinder: {radius: 2, height: 3}").height == 3);
  CHECK(kind<CapsuleShape>("capsule: {radius: 0.1, height: 3}").radius == 0.1);
  CHECK(kind<ConeShape>("cone: {radius: 1, height: 3, top_radius: 0.5}").top_radius == 0.5);
  CHECK(kind<TorusShape>("torus: {radius: 1, tube: 0.2}").tube == 0.2);
  CHECK(kind<WedgeShape>("wedge: [1, 2, 3]").size == Vec3(1, 2, 3));
  CHECK(kind<PlateShape>("plate: {width: 1, depth: 2, thickness: 3}").thickness == 3);
  CHECK(kind<RoundedBoxShape>("rounded_box: {size: [1, 1, 1], rounding: 0.2}").rounding == 0.2);
  CHECK(kind<HalfSpaceShape>("half_space: [0, 0, 5]").normal == Vec3(0, 0, 1));
  const double point[] = {0.5, 2};
  CHECK(kind<HeightFieldShape>("height_field: 2*x + z").height(point) == 3);
  CHECK(
      kind<HeightFieldShape>("height_field: {height: 1, width: 4, depth: 5, thickness: 6}").depth ==
      5);
  CHECK(kind<TetrapodShape>("tetrapod: 2").leg_radius == doctest::Approx(0.32));
  CHECK(kind<TetrapodShape>("tetrapod: {size: 2, leg_radius: 0.1, taper: 0.5}").taper == 0.5);
  CHECK(kind<ChainLinkShape>("chain_link: {length: 1, width: 0.5, wire: 0.1}").wire == 0.1);
  CHECK(kind<GearShape>("gear: {teeth: 9, radius: 1, thickness: 2, bore: 0, tooth_height: 0.1}")
            .teeth == 9);
  CHECK(kind<BoltShape>("bolt: {diameter: 1, pitch: 0.1, length: 2, head_width: 3, head_height: 4, "
                        "clearance: 0.01}")
            .head_height == 4);
  CHECK(kind<NutShape>("nut: {diameter: 1, pitch: 0.1, width: 2, height: 3, clearance: 0.01}")
            .height == 3);
  CHECK(kind<TextShape>("text: ABC").text == "ABC");
  CHECK(kind<TextShape>("text: {text: '12', height: 1, stroke: 0.1, depth: 0.2}").stroke == 0.1);
  CHECK(kind<DuckShape>("duck: 0.4").length == 0.4);
  CHECK(
      kind<UnionShape>("union: [{sphere: 1}, {box: [1, 1, 1], at: [1, 0, 0]}]").shapes[1].at.x() ==
      1);
  CHECK(kind<IntersectionShape>("intersection: [{sphere: 1}]").shapes.size() == 1);
  CHECK(kind<DifferenceShape>("difference: {shapes: [{sphere: 1}, {sphere: 2}]}").shapes.size() ==
        2);
  CHECK(kind<BlendShape>("blend: {radius: 0.3, shapes: [{duck: 1}]}").radius == 0.3);
}

TEST_CASE("a shape is placed, turned, scaled and turned inside out") {
  const Shape s =
      shape("sphere: 1, at: [1, 2, 3], rotate: {angle: 90}, scale: [1, 2, 3], inside_out: true");
  CHECK(s.at == Vec3(1, 2, 3));
  CHECK(s.scale == Vec3(1, 2, 3));
  CHECK(s.inside_out);
  CHECK((s.rotate * Vec3::UnitX() + Vec3::UnitZ()).norm() < 1e-15);
  CHECK(shape("sphere: 1, scale: 2").scale == Vec3(2, 2, 2));
}

TEST_CASE("rotations are applied in the order of the list, and quaternions are normalised") {
  const Quat q =
      shape("sphere: 1, rotate: [{axis: [1, 0, 0], angle: 90}, {axis: [0, 1, 0], angle: 90 deg}]")
          .rotate;
  CHECK((q * Vec3::UnitZ() - Vec3(0, -1, 0)).norm() < 1e-15);  // z -> -y, which the second keeps
  CHECK((q * Vec3::UnitY() - Vec3(1, 0, 0)).norm() < 1e-15);   // y -> z -> x
  CHECK(shape("sphere: 1, rotate: {quaternion: [0, 0, 2, 0]}").rotate.y() == 1);
}

TEST_CASE("a mesh is found beside the scene") {
  const auto folder = std::filesystem::temp_directory_path() / "hydrolith_scene_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "hull.obj") << "v 0 0 0\n";
  std::ofstream(folder / "scene.yaml") << "bodies: [{shape: {mesh: hull.obj}}, {shape: {mesh: "
                                          "{file: ./hull.obj, repair: false, weld: 1 mm}}}]";
  const Scene scene = read_scene(folder / "scene.yaml").scene;
  const auto& mesh = std::get<MeshShape>(scene.bodies[1].shape.kind);
  CHECK(std::get<MeshShape>(scene.bodies[0].shape.kind).file == (folder / "hull.obj").string());
  CHECK(mesh.file == (folder / "hull.obj").string());
  CHECK_FALSE(mesh.repair);
  CHECK(mesh.weld == 0.001);
  CHECK_THROWS_AS(read_scene(folder / "none.yaml"), IoError);
  CHECK_THROWS_AS(read_scene(folder), IoError);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a path that leads out of the scene's folder is whole in the scene as run") {
  const auto folder = std::filesystem::temp_directory_path() / "hydrolith_outside_test";
  std::filesystem::create_directories(folder / "scenes");
  std::ofstream(folder / "hull.obj") << "v 0 0 0\n";
  std::ofstream(folder / "scenes" / "mast.obj") << "v 0 0 0\n";
  const std::string text =
      "bodies: [{shape: {mesh: ../hull.obj}}, {shape: {mesh: {file: mast.obj}}}]\n";
  const auto file = folder / "scenes" / "scene.yaml", elsewhere = folder / "run.yaml";
  const std::string yaml = read_scene_text(text, file).yaml;
  CHECK(yaml.find((folder / "hull.obj").string()) != std::string::npos);
  CHECK(yaml.find("../") == std::string::npos);
  CHECK(yaml.find("file: mast.obj") != std::string::npos);
  std::filesystem::rename(folder / "scenes" / "mast.obj", folder / "mast.obj");
  CHECK(read_scene_text(yaml, elsewhere).yaml == yaml);
  const std::string inside = "bodies: [{shape: {mesh: mast.obj}}]  # stays\n";
  CHECK(read_scene_text(inside, elsewhere).yaml == inside);
  std::filesystem::remove_all(folder);
}

TEST_CASE("in 2D vectors have two components and rotations are angles") {
  const Scene scene = read(R"yaml(
dimensions: 2
gravity: [0, -5]
domain: {min: [-1, -1], max: [1, 1]}
bodies:
  - {shape: {box: [1, 2]}, at: [3, 4], rotate: 90, velocity: [1, 2], angular_velocity: 3, loads: [{force: [1, t], torque: 2*t}]}
  - {shape: {box: [1, 2]}, kind: kinematic, motion: {rotation: {rate: 1}}}
)yaml");
  CHECK(scene.gravity == Vec3(0, -5, 0));
  CHECK(scene.domain->size() == Vec3(2, 2, 1));
  const BodySpec& body = scene.bodies[0];
  CHECK(std::get<BoxShape>(body.shape.kind).size == Vec3(1, 2, 1));
  CHECK(body.pose.position == Vec3(3, 4, 0));
  CHECK((body.pose.orientation * Vec3::UnitX() - Vec3::UnitY()).norm() < 1e-15);
  CHECK(body.angular_velocity == Vec3(0, 0, 3));
  CHECK(body.loads[0].force(2) == Vec3(1, 2, 0));
  CHECK(body.loads[0].torque(2) == Vec3(0, 0, 4));
  CHECK(scene.bodies[1].motion.rotation_axis == Vec3::UnitZ());
}

TEST_CASE("colours are linear in the scene and sRGB in the file") {
  const Vec3 grey =
      *read("bodies: [{shape: {sphere: 1}, colour: [0.5, 0.5, 0.5]}]").bodies[0].colour;
  CHECK(grey.x() == about(0.214041, 1e-5));  // ((0.5 + 0.055) / 1.055)^2.4
  const Vec3 steel = *read("bodies: [{shape: {sphere: 1}, colour: steelblue}]").bodies[0].colour;
  CHECK(steel == *read("bodies: [{shape: {sphere: 1}, colour: '#4682b4'}]").bodies[0].colour);
}

TEST_CASE("JSON, anchors and merges work") {
  CHECK(read(R"yaml({"spacing": 0.1, "bodies": [{"shape": {"sphere": 1}}]})yaml").bodies.size() ==
        1);
  const Scene scene = read(R"yaml(
bodies:
  - &ball {shape: {sphere: 1}, density: 300, at: [1, 0, 0]}
  - {<<: *ball, at: [2, 0, 0]}
  - *ball
)yaml");
  REQUIRE(scene.bodies.size() == 3);
  CHECK(*scene.bodies[1].density == 300);
  CHECK(scene.bodies[1].pose.position.x() == 2);
  CHECK(scene.bodies[2].pose.position.x() == 1);
}

TEST_CASE("lists that are empty or left out are the same") {
  CHECK(read("bodies:\nliquids: []\nspacing: 0.1").bodies.empty());
}

TEST_CASE("the spacing and parameters are names in every expression") {
  const Scene scene = read(R"yaml(
spacing: 2 cm
parameters: {n: 3}
bodies: [{shape: {sphere: n*spacing}}]
)yaml");
  CHECK(std::get<SphereShape>(scene.bodies[0].shape.kind).radius == 0.06);
  CHECK_THROWS_AS(read("parameters: {a: 2*spacing}"), SceneError);
}
