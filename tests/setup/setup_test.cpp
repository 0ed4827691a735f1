#include "hydrolith/error.h"

#include "about.h"
#include "geometry/mesh.h"
#include "setup/friction.h"
#include "setup/solids.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;

namespace {

BodySpec body(std::string name, Shape shape, BodyKind kind = BodyKind::dynamic) {
  BodySpec b;
  b.name = std::move(name);
  b.shape = std::move(shape);
  b.kind = kind;
  b.mark = {7, 3, "bodies[0]"};
  return b;
}

Scene scene_of(std::vector<BodySpec> bodies) {
  Scene s;
  s.file = "test.yaml";
  s.spacing = 0.1;
  s.bodies = std::move(bodies);
  s.body_objects = {"all"};
  return s;
}

std::string fault_of(const Scene& scene) {
  try {
    build_solids(scene);
  } catch (const SceneError& e) {
    return e.what();
  }
  return "no fault";
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bodies of the same shape share one mesh") {
  const Shape box{.kind = BoxShape{Vec3(1, 1, 1)}};
  const Solids s = build_solids(scene_of(
      {body("a", box), body("b", box), body("c", Shape{.kind = BoxShape{Vec3(1, 1, 2)}})}));
  CHECK(s.shapes.size() == 2);
  CHECK(s.shape_of[0] == s.shape_of[1]);
}

TEST_CASE("the body frame of a dynamic body has its origin at the centre of mass") {
  BodySpec b = body("a", Shape{.kind = BoxShape{Vec3(1, 1, 1)}, .at = Vec3(5, 0, 0)});
  b.pose.orientation = Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ()));
  const Solids s = build_solids(scene_of({b}));
  CHECK((s.bodies.x[0] - Vec3(0, 5, 0)).norm() < 1e-12);
  const Box3 box = bounds(s.shapes[0].mesh);
  CHECK((box.lo + Vec3::Constant(0.5)).norm() < 1e-12);
}

TEST_CASE("mass given directly is the mass; a material gives the density") {
  BodySpec heavy = body("a", Shape{.kind = BoxShape{Vec3(1, 1, 1)}});
  heavy.mass = 7;
  BodySpec wood = heavy;
  wood.name = "b";
  wood.mass.reset();
  wood.material = "wood";
  Scene scene = scene_of({heavy, wood});
  scene.materials["wood"].density = 600;
  const Solids s = build_solids(scene);
  CHECK(s.bodies.mass[0] == about(7, 1e-12));
  CHECK(s.bodies.mass[1] == about(600, 1e-12));
}

TEST_CASE("a half space is cut to the scene and cannot move") {
  const Shape ground{.kind = HalfSpaceShape{}};
  Scene scene = scene_of({body("ground", ground, BodyKind::fixed)});
  scene.domain = Box3{Vec3(-1, -1, -1), Vec3(1, 1, 1)};
  const Solids s = build_solids(scene);
  CHECK((bounds(s.shapes[0].mesh).hi - Vec3(1, 0, 1)).norm() < 1e-12);
  scene.bodies[0].kind = BodyKind::dynamic;
  CHECK(says(fault_of(scene), "test.yaml:7:3  bodies[0]: an unbounded shape cannot move"));
}

TEST_CASE("a floor with a pit is cut around the pit") {
  const Shape floor{.kind = DifferenceShape{{Shape{.kind = HalfSpaceShape{}},
                                             Shape{.kind = SphereShape{1}, .at = Vec3(5, 0, 0)}}}};
  const Solids s = build_solids(scene_of({body("floor", floor, BodyKind::fixed)}));
  const Box3 box = bounds(s.shapes[0].mesh);
  CHECK(box.lo.x() < 4);
  CHECK(box.hi.x() > 6);
}

TEST_CASE("a dynamic body turned inside out is refused with the way out") {
  Shape shape{.kind = BoxShape{Vec3(1, 1, 1)}};
  shape.inside_out = true;
  CHECK(says(fault_of(scene_of({body("a", shape)})), "turned inside out has no mass"));
}

TEST_CASE("all faulty bodies are reported at once") {
  Shape inside_out{.kind = BoxShape{Vec3(1, 1, 1)}};
  inside_out.inside_out = true;
  BodySpec a = body("a", inside_out);
  BodySpec b = body("b", Shape{.kind = HalfSpaceShape{}});
  b.mark.path = "bodies[1]";
  const std::string faults = fault_of(scene_of({a, b}));
  CHECK(says(faults, "bodies[0]"));
  CHECK(says(faults, "bodies[1]"));
}

TEST_CASE("obstacles join solids and containers") {
  Shape tank{.kind = BoxShape{Vec3(4, 4, 4)}};
  tank.inside_out = true;
  BodySpec ball = body("ball", Shape{.kind = SphereShape{0.5}});
  ball.pose.position = Vec3(1, 0, 0);
  const Solids s = build_solids(scene_of({body("tank", tank, BodyKind::fixed), ball}));
  const Obstacles d = obstacles(s, 0.5, 3);
  CHECK(d(Vec3(-1, 0, 0)) == doctest::Approx(0.5));     // far from both: the reach
  CHECK(d(Vec3(1.9, 1.9, 0)) == doctest::Approx(0.1));  // near the wall
  CHECK(d(Vec3(1, 0.7, 0)) == about(0.2, 0.02));        // facets of the ball
  CHECK(d(Vec3(1, 0, 0)) < -0.45);
  CHECK(d(Vec3(3, 0, 0)) < 0);  // outside the tank is solid
}

TEST_CASE("friction is per pair: named, or the geometric mean, and may change with time") {
  BodySpec a = body("a", Shape{}), b = a, c = a;
  a.material = "wood";
  b.material = "stone";
  c.friction = TimeFunction({0, 10}, {1, 0}, Interpolation::linear);
  Scene scene = scene_of({a, b, c, a});
  scene.materials["wood"].friction = TimeFunction(0.25);
  scene.materials["stone"].friction = TimeFunction(0.36);
  scene.friction = {{"stone", "wood", TimeFunction(0.8)}};
  const FrictionTable mu(scene);
  CHECK(mu.classes() == 3);
  CHECK(mu.class_of(0) == mu.class_of(3));
  const auto between = [&](std::size_t i, std::size_t j, double t) { return mu(i, j, t).along; };
  CHECK(between(0, 1, 0) == doctest::Approx(0.8));
  CHECK(between(1, 0, 0) == doctest::Approx(0.8));
  CHECK(between(0, 3, 0) == doctest::Approx(0.25));
  CHECK(between(0, 2, 0) == doctest::Approx(0.5));
  CHECK(between(0, 2, 10) == 0);
}

TEST_CASE("friction against turning is per pair; of two grains that of the first body counts") {
  BodySpec plain = body("plain", Shape{}), ski = plain, sledge = plain, felt = plain;
  ski.grain = GrainSpec{0.04, 0.36, Vec3::UnitZ()};
  sledge.grain = GrainSpec{0.25, 1, Vec3::UnitX()};
  plain.friction = TimeFunction(1);
  plain.rolling_friction = 0.004;
  felt.material = "felt";
  Scene scene = scene_of({plain, ski, sledge, felt});
  scene.materials["felt"].rolling_friction = 0.001;
  scene.materials["felt"].torsional_friction = 0.002;
  const FrictionTable table(scene);
  CHECK(table.has_spin());
  CHECK(table.has_grain());
  CHECK(table(0, 3, 0).rolling == doctest::Approx(0.002));
  CHECK(table(0, 3, 0).torsional == 0);
  CHECK(table(3, 3, 0).torsional == doctest::Approx(0.002));
  for (const PairFriction& pair : {table(0, 1, 0), table(1, 0, 0)}) {
    CHECK(pair.grain_of == 1);
    CHECK(pair.direction == Vec3::UnitZ());
    CHECK(pair.along == doctest::Approx(0.2));
    CHECK(pair.across == doctest::Approx(0.6));
  }
  for (const PairFriction& pair : {table(2, 1, 0), table(1, 2, 0)}) {
    CHECK(pair.grain_of == 1);
    CHECK(pair.along == doctest::Approx(std::sqrt(0.04 * 0.5)));
    CHECK(pair.across == doctest::Approx(std::sqrt(0.36 * 0.5)));
  }
  CHECK(table(0, 3, 0).direction.isZero());
}
