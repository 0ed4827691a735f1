#include "exports/mesh_sources.h"

#include <fmt/format.h>

namespace hydrolith {

LiquidMesher make_mesher(const Objects& objects, const ExportSettings& settings) {
  if (settings.liquid != LiquidAs::surface) return {};
  return [&objects, options = settings.surface](const Frame& frame, std::size_t liquid) {
    LiquidSurface s =
        liquid_surface(frame.liquids[liquid], objects.spacing, objects.dimensions, options);
    return WorldMesh{.vertices = std::move(s.mesh.vertices),
                     .velocities = std::move(s.velocity),
                     .normals = std::move(s.normal),
                     .triangles = std::move(s.mesh.triangles),
                     .body = {}};
  };
}

Quat turn_up_to_y(const Vec3& up) { return Quat::FromTwoVectors(up, Vec3::UnitY()).normalized(); }

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out + '"';
}

}  // namespace hydrolith
