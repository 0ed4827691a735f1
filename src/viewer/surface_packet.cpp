#include "viewer/surface_packet.h"

#include "surface/liquid_surface.h"
#include "viewer/json_text.h"
#include "viewer/packed_frame.h"
#include "viewer/packet.h"

#include <cmath>

namespace hydrolith {

namespace {

/// Vertices as if they were particles, so that they are packed by the same function.
LiquidFrame as_particles(const LiquidSurface& surface) {
  LiquidFrame points;
  points.position = surface.mesh.vertices;
  Field velocity{.name = "velocity", .unit = "m/s", .components = 3, .values = {}};
  for (const Vec3f& v : surface.velocity)
    velocity.values.insert(velocity.values.end(), v.begin(), v.end());
  if (surface.velocity.size() == points.position.size())
    points.fields.push_back(std::move(velocity));
  return points;
}

std::int8_t packed(float x) {
  return static_cast<std::int8_t>(std::lround(127 * std::fmin(1.0f, std::fmax(-1.0f, x))));
}

}  // namespace

std::string surface_packet(const Frame& frame, const Objects& objects, const std::string& field) {
  Frame points;
  std::vector<std::int8_t> normals;
  std::vector<std::uint32_t> triangles;
  std::string surfaces;
  std::size_t first_vertex = 0;
  for (const LiquidFrame& liquid : frame.liquids) {
    const LiquidSurface surface = liquid_surface(liquid, objects.spacing, objects.dimensions);
    const std::size_t vertices = surface.mesh.vertices.size();
    surfaces += fmt::format("{}[{},{},{},{}]", surfaces.empty() ? "" : ",", first_vertex, vertices,
                            triangles.size() / 3, surface.mesh.triangles.size());
    for (const Vec3f& n : surface.normal)
      normals.insert(normals.end(), {packed(n.x()), packed(n.y()), packed(n.z()), std::int8_t(0)});
    for (const auto& t : surface.mesh.triangles)
      triangles.insert(triangles.end(), t.begin(), t.end());
    first_vertex += vertices;
    points.liquids.push_back(as_particles(surface));
  }
  bool known = false;
  for (const ScalarChoice& choice : scalar_choices(points)) known = known || choice.name == field;
  const PackedNumbers data = pack_numbers(points, known ? field : "");
  std::string members = fmt::format(R"("index":{},"surfaces":[{}],"lo":{},"hi":{})", frame.index,
                                    surfaces, json_vector(data.box.lo), json_vector(data.box.hi));
  if (known)
    members += fmt::format(R"(,"range":[{},{}])", json_number(data.range.min),
                           json_number(data.range.max));
  Packet packet;
  packet.add<std::uint16_t>("vertices", data.data);
  packet.add<std::int8_t>("normals", normals);
  packet.add<std::uint32_t>("triangles", triangles);
  return packet.finish(members);
}

}  // namespace hydrolith
