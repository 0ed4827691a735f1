// Towers, card houses and chains in a few lines.

#include "scene/reader.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace hydrolith;

namespace {

Scene read(std::string_view yaml) { return read_scene_text(yaml, "test.yaml").scene; }

constexpr double round_off = 1e-12;  // a handful of additions of numbers of order one

void check_near(const Vec3& a, const Vec3& b) {
  CAPTURE(a.transpose());
  CAPTURE(b.transpose());
  CHECK((a - b).norm() < round_off);
}

}  // namespace

TEST_CASE("an array in a line and in a grid stands where it should") {
  const Scene line = read(R"yaml(
bodies:
  - {name: pile, shape: {sphere: 0.1}, at: [1, 2, 3], repeat: {array: {count: 3, step: [0.5, 0.1, 0]}}}
)yaml");
  REQUIRE(line.bodies.size() == 3);
  CHECK(line.bodies[2].name == "pile[2]");
  check_near(line.bodies[2].pose.position, {2, 2.2, 3});
  CHECK(line.body_objects == std::vector<std::string>{"pile"});

  const Scene grid = read(R"yaml(
bodies:
  - shape: {sphere: 0.1}
    density: 100 + 10*i_x + i_z + 1000*i
    repeat: {array: {count: [2, 1, 3], step: [1, 0, 2], centred: true}}
)yaml");
  REQUIRE(grid.bodies.size() == 6);
  CHECK(grid.bodies[5].name == "sphere1[5]");
  check_near(grid.bodies[0].pose.position, {-0.5, 0, -2});
  check_near(grid.bodies[5].pose.position, {0.5, 0, 2});
  CHECK(grid.bodies[5].density == 100 + 10 + 2 + 5000);
}

TEST_CASE("a ring faces outwards, and an arc has a copy at both ends") {
  const Scene scene = read(R"yaml(
bodies:
  - {shape: {box: [1, 1, 1]}, at: [5, 1, 0], repeat: {ring: {count: 4, radius: 2}}}
  - {shape: {box: [1, 1, 1]}, repeat: {ring: {count: 3, radius: 2, arc: 90, turn: false, start: 90}}}
)yaml");
  REQUIRE(scene.bodies.size() == 7);
  // A quarter turn about +y brings x to -z.
  check_near(scene.bodies[0].pose.position, {7, 1, 0});
  check_near(scene.bodies[1].pose.position, {5, 1, -2});
  check_near(scene.bodies[2].pose.position, {3, 1, 0});
  check_near(scene.bodies[1].pose.orientation * Vec3::UnitX(), {0, 0, -1});
  check_near(scene.bodies[4].pose.position, {0, 0, -2});
  check_near(scene.bodies[6].pose.position, {-2, 0, 0});
  check_near(scene.bodies[6].pose.orientation * Vec3::UnitX(), {1, 0, 0});
}

TEST_CASE("in 2D a ring lies in the plane") {
  const Scene scene = read(R"yaml(
dimensions: 2
bodies: [{shape: {sphere: 0.1}, repeat: {ring: {count: 4, radius: 1}}}]
)yaml");
  check_near(scene.bodies[1].pose.position, {0, 1, 0});
}

TEST_CASE("a stack turns per level and alternates at odd levels") {
  const Scene scene = read(R"yaml(
bodies:
  - shape: {box: [1, 0.2, 0.3]}
    repeat:
      stack:
        count: 4
        step: [0, 0.2, 0]
        turn: 10
        alternate: {at: [0.1, 0, 0], rotate: {axis: [0, 1, 0], angle: 90}}
)yaml");
  REQUIRE(scene.bodies.size() == 4);
  const double a = 10 * std::numbers::pi / 180;
  check_near(scene.bodies[1].pose.position, {0.1 * std::cos(a), 0.2, -0.1 * std::sin(a)});
  check_near(scene.bodies[1].pose.orientation * Vec3::UnitX(), {-std::sin(a), 0, -std::cos(a)});
  check_near(scene.bodies[2].pose.position, {0, 0.4, 0});
  check_near(scene.bodies[2].pose.orientation * Vec3::UnitX(),
             {std::cos(2 * a), 0, -std::sin(2 * a)});
}

TEST_CASE("the body's rotation turns every copy by itself and leaves the layout alone") {
  const Scene scene = read(R"yaml(
bodies:
  - shape: {box: [1, 1, 1]}
    at: [1, 0, 0]
    rotate: {axis: [0, 0, 1], angle: 90}
    repeat: {array: {count: 2, step: [2, 0, 0]}}
)yaml");
  check_near(scene.bodies[1].pose.position, {3, 0, 0});
  check_near(scene.bodies[1].pose.orientation * Vec3::UnitX(), {0, 1, 0});
}

TEST_CASE("a tower of 658 blocks takes a few lines") {
  // 47 rings of 14 blocks, every second ring turned by half a block.
  const Scene scene = read(R"yaml(
parameters: {blocks: 14, rings: 47, height: 8 cm, radius: 0.5}
bodies:
  - name: block
    shape: {box: [0.1, height, 0.2]}
    at: [0, height/2, 0]
    repeat:
      - stack: {count: rings, step: [0, height, 0], alternate: {rotate: {angle: 180/blocks}}}
      - ring: {count: blocks, radius: radius}
)yaml");
  REQUIRE(scene.bodies.size() == 658);
  CHECK(scene.body_objects.size() == 1);
  CHECK(scene.bodies[657].name == "block[657]");
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const std::size_t ring = i / 14, block = i % 14;
    const double angle = 2 * std::numbers::pi * (double(block) + (ring % 2 ? 0.5 : 0)) / 14;
    const Vec3 expected(0.5 * std::cos(angle), 0.08 * (double(ring) + 0.5), -0.5 * std::sin(angle));
    check_near(scene.bodies[i].pose.position, expected);
  }
}

TEST_CASE("a card house of seven storeys takes two entries") {
  // Storey s has 7 - s tents of two leaning cards and 6 - s flat cards on top.
  const Scene scene = read(R"yaml(
parameters: {card: 9 cm, lean: 20, storeys: 7}
materials: {paper: {density: 800}}
bodies:
  - group:
      - name: left
        shape: {plate: {width: 0.4 mm, depth: 6 cm, thickness: card}}
        at: [-card*sin(lean deg)/2, 0, 0]
        rotate: {axis: [0, 0, 1], angle: -lean}
        material: paper
      - name: right
        shape: {plate: {width: 0.4 mm, depth: 6 cm, thickness: card}}
        at: [card*sin(lean deg)/2, 0, 0]
        rotate: {axis: [0, 0, 1], angle: lean}
        material: paper
    at: [storey*card*sin(lean deg), card*cos(lean deg)/2, 0]
    repeat: &pyramid
      - stack: {count: storeys, step: [0, card*cos(lean deg), 0], index: storey}
      - array: {count: storeys - storey, step: [2*card*sin(lean deg), 0, 0]}
  - name: flat
    shape: {plate: {width: card, depth: 6 cm, thickness: 0.4 mm}}
    at: [(storey + 1)*card*sin(lean deg), card*cos(lean deg), 0]
    material: paper
    repeat:
      - stack: {count: storeys - 1, step: [0, card*cos(lean deg), 0], index: storey}
      - array: {count: storeys - 1 - storey, step: [2*card*sin(lean deg), 0, 0]}
)yaml");
  const auto count = [&](std::string_view name) {
    return std::count_if(scene.bodies.begin(), scene.bodies.end(), [&](const BodySpec& b) {
      return b.name.starts_with(name) && b.name[name.size()] == '[';
    });
  };
  CHECK(count("left") == 28);  // 7 + 6 + ... + 1
  CHECK(count("right") == 28);
  CHECK(count("flat") == 21);  // 6 + 5 + ... + 1
  CHECK(scene.bodies.size() == 77);
  CHECK(scene.body_objects == std::vector<std::string>{"left", "right", "flat"});

  // The top tent stands above the middle of the lowest row.
  const double s = std::sin(20 * std::numbers::pi / 180), c = std::cos(20 * std::numbers::pi / 180);
  const BodySpec& top = scene.bodies[55];
  CHECK(top.name == "right[27]");
  check_near(top.pose.position, {0.09 * s * (6 + 0.5), 0.09 * c * 6.5, 0});
}

TEST_CASE("a chain of 100 links is one entry, every second link turned") {
  const Scene scene = read(R"yaml(
bodies:
  - name: link
    shape: {chain_link: {length: 0.3, width: 0.2, wire: 0.025}}
    rotate: {axis: [1, 0, 0], angle: 90*(i - 2*floor(i/2))}
    repeat: {array: {count: 100, step: [0.2, 0, 0]}}
)yaml");
  REQUIRE(scene.bodies.size() == 100);
  for (std::size_t i = 0; i < 100; ++i) {
    check_near(scene.bodies[i].pose.position, {0.2 * double(i), 0, 0});
    const Vec3 across = scene.bodies[i].pose.orientation * Vec3::UnitZ();
    check_near(across, i % 2 ? Vec3(0, -1, 0) : Vec3(0, 0, 1));
  }
}

TEST_CASE("groups are placed, turned and repeated as one, and may hold groups") {
  const Scene scene = read(R"yaml(
bodies:
  - group:
      - {name: post, shape: {box: [0.1, 1, 0.1]}, at: [1, 0, 0]}
      - group: [{name: ball, shape: {sphere: 0.1}, at: [0, 0, 1]}]
        at: [0, 2, 0]
        repeat: {array: {count: 2, step: [0, 0.5, 0]}}
    at: [10, 0, 0]
    rotate: {axis: [0, 1, 0], angle: 90}
    repeat: {array: {count: 3, step: [0, 0, 4]}}
)yaml");
  REQUIRE(scene.bodies.size() == 9);
  CHECK(scene.bodies[3].name == "post[1]");
  check_near(scene.bodies[3].pose.position, {10, 0, 3});
  CHECK(scene.bodies[8].name == "ball[5]");
  check_near(scene.bodies[8].pose.position, {11, 2.5, 8});
}

TEST_CASE("indices of nested repetitions are i, j, k from the outside in, across groups") {
  const Scene scene = read(R"yaml(
bodies:
  - group:
      - shape: {sphere: 0.1}
        density: 1 + 100*i + 10*j + k
        repeat:
          - array: {count: 2, step: [1, 0, 0]}
          - array: {count: 2, step: [0, 1, 0]}
    repeat: {array: {count: 2, step: [0, 0, 1]}}
)yaml");
  REQUIRE(scene.bodies.size() == 8);
  CHECK(scene.bodies[7].density == 112);
  CHECK(scene.bodies[6].density == 111);
  CHECK(scene.bodies[1].density == 2);
}

TEST_CASE("names given by the scene are left out when others are made up") {
  const Scene scene = read(R"yaml(
bodies:
  - {shape: {box: [1, 1, 1]}}
  - {shape: {box: [1, 1, 1]}, name: box1}
  - {shape: {sphere: 1}}
)yaml");
  CHECK(scene.body_objects == std::vector<std::string>{"box2", "box1", "sphere1"});
}

TEST_CASE("ten thousand copies are read, each with its own indices") {
  const Scene scene = read(R"yaml(
bodies:
  - shape: {box: [0.1, 0.1 + 0.001*i_x, 0.1]}
    at: [0, sin(i), 0]
    density: 500 + i
    repeat: {array: {count: [100, 1, 100], step: [0.2, 0, 0.2]}}
)yaml");
  CHECK(scene.bodies.size() == 10'000);
  CHECK(scene.bodies[9999].density == 500 + 9999);
}
