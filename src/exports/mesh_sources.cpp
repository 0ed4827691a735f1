#include "exports/mesh_sources.h"

#include <fmt/format.h>

namespace hydrolith {

LiquidMesher make_mesher(const Objects& objects, const ExportSettings& settings) {
  if (settings.liquid != LiquidAs::surface) return {};
  return [&objects, settings](const Frame& frame, std::size_t liquid) {
    LiquidSurface s = liquid_surface(frame.liquids[liquid], objects.spacing, objects.dimensions,
                                     settings.surface);
    warn_of_left_out(settings, frame, objects.liquids[liquid].name, s.left_out);
    return WorldMesh{.vertices = std::move(s.mesh.vertices),
                     .velocities = std::move(s.velocity),
                     .normals = std::move(s.normal),
                     .triangles = std::move(s.mesh.triangles),
                     .body = {}};
  };
}

void warn_of_left_out(const ExportSettings& settings, const Frame& frame, const std::string& liquid,
                      std::size_t left_out) {
  if (left_out > 0 && settings.warn)
    settings.warn(fmt::format(
        "frame {}: {} particles of {} are not finite or too far away for a surface, and left out",
        frame.index, left_out, liquid));
}

Quat turn_up_to_y(const Vec3& up) { return Quat::FromTwoVectors(up, Vec3::UnitY()).normalized(); }

Quat nearer_to(const Quat& last, const Quat& orientation) {
  return last.dot(orientation) < 0 ? Quat(-orientation.coeffs()) : orientation;
}

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
