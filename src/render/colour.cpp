#include "render/colour.h"

#include "render/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hydrolith {

namespace {

// Nodes in sRGB, evenly spaced; between them colours are blended in linear light.
constexpr std::array<std::uint32_t, 7> speed_nodes = {0x0d3b80, 0x1557a8, 0x2a7bcb, 0x55a3e0,
                                                      0x8cc6ee, 0xc3e3f7, 0xf4fafe};
constexpr std::array<std::uint32_t, 9> pressure_nodes = {
    0x440f55, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
// Bodies without a colour of their own: terracotta, sand, sage, slate, plum, ochre, teal, rose.
constexpr std::array<std::uint32_t, 8> body_palette = {0xcd7c5c, 0xe9c46a, 0x7fa66b, 0x5b7c99,
                                                       0x8e6c8a, 0xd98e36, 0x3f8f8a, 0xd48a94};
constexpr std::uint32_t fixed_colour = 0xdddcd9;  // static bodies: a light warm grey

template <std::size_t n>
Colour blend_nodes(const std::array<std::uint32_t, n>& nodes, float x) {
  const float at = (x > 0 ? std::min(x, 1.0f) : 0.0f) * static_cast<float>(n - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), n - 2);
  const float w = at - static_cast<float>(i);
  return (1 - w) * linear_from_srgb8(nodes[i]) + w * linear_from_srgb8(nodes[i + 1]);
}

}  // namespace

Colour speed_colour(float x) { return blend_nodes(speed_nodes, x); }
Colour pressure_colour(float x) { return blend_nodes(pressure_nodes, x); }
Colour map_colour(ColourBy what, float x) {
  return what == ColourBy::pressure ? pressure_colour(x) : speed_colour(x);
}

Colour body_colour(const BodyInfo& info, std::size_t index) {
  if (info.kind == BodyKind::fixed || info.container)
    return info.colour == BodyInfo{}.colour ? linear_from_srgb8(fixed_colour) : info.colour;
  const Colour base = info.colour == BodyInfo{}.colour
                          ? linear_from_srgb8(body_palette[info.object % body_palette.size()])
                          : info.colour;
  constexpr float brightness = 0.25f, warmth = 0.08f;  // [-] of the colour, each way
  const std::uint32_t seed = hash(static_cast<std::uint32_t>(index), info.object);
  const float b = 1 + brightness * (2 * unit_float(seed) - 1);
  const float w = 1 + warmth * (2 * unit_float(hash(seed)) - 1);
  return b * base.cwiseProduct(Colour(w, 1, 1 / w));
}

Colour tone_mapped(const Colour& light) {
  constexpr float knee = 0.7f, room = 1 - knee;
  return light.unaryExpr([](float x) {
    const float above = x - knee;
    return above <= 0 ? std::max(x, 0.0f) : knee + room * above / (above + room);
  });
}

float luminance(const Colour& linear) { return linear.dot(Colour(0.2126f, 0.7152f, 0.0722f)); }

float srgb_from_linear(float c) {
  return c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
}
float linear_from_srgb(float c) {
  return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}
Colour linear_from_srgb8(std::uint32_t rgb) {
  const auto channel = [&](int shift) {
    return linear_from_srgb(static_cast<float>((rgb >> shift) & 0xff) / 255.0f);
  };
  return {channel(16), channel(8), channel(0)};
}
std::uint8_t byte_from_linear(float linear, float dither) {
  const float step = 255 * srgb_from_linear(std::clamp(linear, 0.0f, 1.0f)) + dither;
  return static_cast<std::uint8_t>(std::clamp(std::lround(step), 0l, 255l));
}

}  // namespace hydrolith
