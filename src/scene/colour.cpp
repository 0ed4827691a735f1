// Colours as people pick them (sRGB) and as light adds up (linear RGB).

#include "scene/values.h"

#include <charconv>
#include <cmath>

namespace hydrolith::schema {

namespace {

struct Named {
  std::string_view name;
  unsigned rgb;
};

// A few of the CSS colours.
constexpr Named named[] = {
    {"white", 0xffffff},     {"silver", 0xc0c0c0},     {"grey", 0x808080},
    {"gray", 0x808080},      {"black", 0x000000},      {"red", 0xff0000},
    {"darkred", 0x8b0000},   {"firebrick", 0xb22222},  {"tomato", 0xff6347},
    {"coral", 0xff7f50},     {"orange", 0xffa500},     {"gold", 0xffd700},
    {"yellow", 0xffff00},    {"khaki", 0xf0e68c},      {"olive", 0x808000},
    {"green", 0x008000},     {"lime", 0x00ff00},       {"forestgreen", 0x228b22},
    {"seagreen", 0x2e8b57},  {"teal", 0x008080},       {"turquoise", 0x40e0d0},
    {"cyan", 0x00ffff},      {"skyblue", 0x87ceeb},    {"steelblue", 0x4682b4},
    {"royalblue", 0x4169e1}, {"blue", 0x0000ff},       {"navy", 0x000080},
    {"indigo", 0x4b0082},    {"purple", 0x800080},     {"violet", 0xee82ee},
    {"magenta", 0xff00ff},   {"pink", 0xffc0cb},       {"brown", 0xa52a2a},
    {"chocolate", 0xd2691e}, {"tan", 0xd2b48c},        {"beige", 0xf5f5dc},
    {"ivory", 0xfffff0},     {"sandybrown", 0xf4a460}, {"slategrey", 0x708090},
};

Vec3 from_bytes(unsigned rgb) {
  return Vec3((rgb >> 16) & 0xff, (rgb >> 8) & 0xff, rgb & 0xff) / 255.0;
}

}  // namespace

// IEC 61966-2-1: linear near black, a power of 2.4 above.
Vec3 linear_from_srgb(const Vec3& srgb) {
  return srgb.unaryExpr(
      [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); });
}

Vec3 srgb_from_linear(const Vec3& linear) {
  return linear.unaryExpr(
      [](double c) { return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055; });
}

std::optional<Vec3> find_colour(std::string_view name) {
  if (name.size() == 7 && name[0] == '#') {
    unsigned rgb = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + 7, rgb, 16);
    if (error == std::errc() && end == name.data() + 7) return from_bytes(rgb);
  }
  for (const Named& n : named)
    if (n.name == name) return from_bytes(n.rgb);
  return std::nullopt;
}

std::vector<std::string> colour_names() {
  std::vector<std::string> names;
  for (const Named& n : named) names.emplace_back(n.name);
  return names;
}

}  // namespace hydrolith::schema
