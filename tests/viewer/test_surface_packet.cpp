#include "../output/fixtures.h"
#include "packet_reader.h"
#include "viewer/body_columns.h"
#include "viewer/surface_packet.h"

#include <algorithm>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

/// A block of particles at rest but for one velocity, and a liquid without particles.
Frame block(const Objects& objects) {
  Frame frame = sample_frame(objects, 0, 0);
  LiquidFrame& liquid = frame.liquids[0];
  const auto h = static_cast<float>(objects.spacing);
  for (int i = 0; i < 6 * 6 * 6; ++i) {
    liquid.id.push_back(static_cast<std::uint32_t>(i));
    liquid.position.push_back(h * Vec3f(static_cast<float>(i % 6), static_cast<float>(i / 6 % 6),
                                        static_cast<float>(i / 36)));
    liquid.fields[0].values.insert(liquid.fields[0].values.end(), {3, 0, 4});
    liquid.fields[1].values.push_back(7);
  }
  return frame;
}

}  // namespace

TEST_CASE("the surface of a block is packed with its normals, and an empty liquid as nothing") {
  const Objects objects = sample_objects();
  const PacketReader packet(surface_packet(block(objects), objects, "speed"));
  const auto vertices = packet.array<std::uint16_t>("vertices", "uint16");
  const auto normals = packet.array<std::int8_t>("normals", "int8");
  const auto triangles = packet.array<std::uint32_t>("triangles", "uint32");
  REQUIRE(vertices.size() > 400);
  CHECK(normals.size() == vertices.size());
  REQUIRE(!triangles.empty());
  CHECK(*std::max_element(triangles.begin(), triangles.end()) < vertices.size() / 4);
  CHECK(contains(packet.json(),
                 fmt::format("\"surfaces\":[[0,{},0,{}],[{},0,{},0]]", vertices.size() / 4,
                             triangles.size() / 3, vertices.size() / 4, triangles.size() / 3)));
  for (std::size_t i = 0; i < normals.size(); i += 4) {
    const double length = std::hypot(normals[i], normals[i + 1], normals[i + 2]);
    CHECK(std::abs(length - 127) < 1.5);  // three numbers, each rounded by up to a half
  }
  // All move at 5 m/s, so the range is a point but for round-off.
  CHECK(contains(packet.json(), "\"range\":["));
}

TEST_CASE("a field that the surface does not know comes without a range") {
  const Objects objects = sample_objects();
  CHECK_FALSE(contains(PacketReader(surface_packet(block(objects), objects, "pressure")).json(),
                       "\"range\""));
}

TEST_CASE("forces of a body are told by origin and as their sum, or as NaN") {
  BodyFrame body;
  const auto value = [&](const std::string& name) {
    for (const BodyColumn& column : body_columns())
      if (column.name == name) return column.value(body);
    FAIL("no column " << name);
    return 0.0;
  };
  CHECK(std::isnan(value("force.x")));
  body.forces = BodyForces{.pressure = {Vec3(1, 2, 3), Vec3(4, 5, 6)},
                           .viscosity = {Vec3(10, 0, 0), Vec3::Zero()},
                           .contact = {Vec3(100, 0, 0), Vec3(0, 0, 7)},
                           .friction = {Vec3(1000, 0, 0), Vec3::Zero()}};
  CHECK(value("force.x") == 1111);
  CHECK(value("torque.z") == 13);
  CHECK(value("pressure_force.y") == 2);
  CHECK(value("contact_torque.z") == 7);
  CHECK(value("friction_force.x") == 1000);
  CHECK(value("viscosity_force.x") == 10);
}
