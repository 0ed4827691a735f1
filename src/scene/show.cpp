// Values as JSON, for the defaults in the schema and the reference.

#include "scene/json.h"
#include "scene/values.h"

#include <fmt/format.h>

#include <cmath>

namespace hydrolith::schema {

std::string show_value(const KeyInfo&, double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}
std::string show_value(const KeyInfo&, int value) { return fmt::format("{}", value); }
std::string show_value(const KeyInfo&, bool value) { return value ? "true" : "false"; }
std::string show_value(const KeyInfo&, const std::string& value) {
  return value.empty() ? "" : json_text(value);
}

std::string show_value(const KeyInfo& key, const Vec3& value) {
  if (!value.allFinite()) return "";
  if (key.type == Type::colour) {
    const Vec3 bytes = (255 * srgb_from_linear(value)).array().round();
    return fmt::format("\"#{:02x}{:02x}{:02x}\"", int(bytes.x()), int(bytes.y()), int(bytes.z()));
  }
  const bool same = value == Vec3::Constant(value.x());
  if (key.type == Type::scale && same) return fmt::format("{}", value.x());
  return fmt::format("[{}, {}, {}]", value.x(), value.y(), value.z());
}

std::string show_value(const KeyInfo&, const Quat&) { return ""; }
std::string show_value(const KeyInfo&, const Expression& value) {
  return value.text().empty() ? "" : json_text(value.text());
}
std::string show_value(const KeyInfo&, const TimeFunction& value) {
  return value.is_constant() ? fmt::format("{}", value(0)) : "";
}
std::string show_value(const KeyInfo&, const VectorFunction& value) {
  const Vec3 v = value(0);
  return value.is_constant() ? fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()) : "";
}
std::string show_value(const KeyInfo&, const SpaceFunction& value) {
  const Vec3 v = value(Vec3::Zero());
  return value.is_constant() ? fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()) : "";
}
std::string show_value(const KeyInfo&, const std::array<int, 3>& value) {
  return fmt::format("[{}, {}, {}]", value[0], value[1], value[2]);
}

}  // namespace hydrolith::schema
