#include "render/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace hydrolith {

namespace {

const Colour ink(0.03f, 0.035f, 0.045f);
constexpr double ink_opacity = 0.85;
constexpr double gap = 1.9;  // [grid units] between letters; a space takes three

void blend(Image& image, int x, int y, const Colour& colour, double opacity) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height || opacity <= 0) return;
  std::uint8_t* pixel = &image.rgb[3 * (static_cast<std::size_t>(y) * image.width + x)];
  const auto w = static_cast<float>(std::min(opacity, 1.0));
  for (int k = 0; k < 3; ++k) {
    const float under = linear_from_srgb(static_cast<float>(pixel[k]) / 255);
    pixel[k] = byte_from_linear(under + w * (colour[k] - under));
  }
}

using Stroke = std::vector<Vec2>;  // [grid units], y upwards from the baseline

std::vector<Stroke> strokes_of(char c) {
  std::vector<Stroke> strokes(1);
  const std::string_view text = glyph_strokes(c);
  for (std::size_t i = 0; i + 1 < text.size();) {
    if (text[i] == ' ') {
      strokes.emplace_back();
      ++i;
      continue;
    }
    const int x = text[i] - '0', y = text[i + 1] - '0';
    strokes.back().emplace_back(x, y >= 8 ? y - 10 : y);
    i += 2;
  }
  return strokes;
}

double advance(char c) {
  if (c == ' ') return 3;
  double widest = 0;
  for (const Stroke& stroke : strokes_of(c))
    for (const Vec2& p : stroke) widest = std::max(widest, p.x());
  return widest + gap;
}

double distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 d = b - a;
  const double length_sq = d.squaredNorm();
  const double s = length_sq > 0 ? std::clamp((p - a).dot(d) / length_sq, 0.0, 1.0) : 0;
  return (p - a - s * d).norm();
}

/// One letter: every pixel is covered as far as the nearest stroke reaches into it.
void draw_glyph(Image& image, char c, double x, double y, double unit, const Colour& colour,
                double opacity) {
  const std::vector<Stroke> strokes = strokes_of(c);
  const double half_width = std::max(0.6, 0.44 * unit);  // [pixels] of the pen
  for (int v = static_cast<int>(y - 7 * unit) - 1; v <= y + 3 * unit + 1; ++v)
    for (int u = static_cast<int>(x - unit) - 1; u <= x + 5 * unit + 1; ++u) {
      double distance = 1e9;
      const Vec2 p((u + 0.5 - x) / unit, (y - v - 0.5) / unit);
      for (const Stroke& stroke : strokes)
        for (std::size_t i = 0; i + 1 < stroke.size(); ++i)
          distance = std::min(distance, unit * distance_to_segment(p, stroke[i], stroke[i + 1]));
      blend(image, u, v, colour, opacity * std::clamp(half_width + 0.5 - distance, 0.0, 1.0));
    }
}

/// Three digits, without exponent as long as that is readable.
std::string number(double value) {
  const double size = std::abs(value);
  if (size < 1000 || size >= 1e6) return fmt::format("{:.3g}", size > 0 ? value : 0.0);
  const double step = std::pow(10, std::floor(std::log10(size)) - 2);
  return fmt::format("{:.0f}", std::round(value / step) * step);
}

void draw_bar(Image& image, ColourBy what, int x, int y, int width, int height) {
  for (int u = -1; u <= width; ++u)
    for (int v = -1; v <= height; ++v) {
      const bool rim = u < 0 || v < 0 || u == width || v == height;
      const float at = (static_cast<float>(u) + 0.5f) / static_cast<float>(width);
      blend(image, x + u, y + v, rim ? ink : map_colour(what, at), rim ? 0.35 : 1);
    }
}

}  // namespace

double text_width(std::string_view text, double height) {
  double width = -gap;
  for (const char c : text) width += advance(c);
  return std::max(0.0, width) * height / 6;
}

void draw_text(Image& image, std::string_view text, double x, double y, double height,
               const Colour& colour, double opacity) {
  const double unit = height / 6;
  for (const char c : text) {
    draw_glyph(image, c, x, y, unit, colour, opacity);
    x += unit * advance(c);
  }
}

void draw_legend(Image& image, const Stage& stage, ColourBy what, double time) {
  const double scale = std::min(image.height / 540.0, image.width / 720.0);
  if (scale < 0.3) return;  // no room for readable letters
  const double letters = std::max(6.0, 9.5 * scale), margin = 20 * scale;
  const double baseline = image.height - margin;
  draw_text(image, fmt::format("t = {:.3f} s", time), margin, baseline, letters, ink, ink_opacity);
  if (what == ColourBy::body) return;

  const int width = static_cast<int>(150 * scale),
            height = std::max(2, static_cast<int>(7 * scale));
  const double left = image.width - margin - width, between = 6 * scale;
  const double bar_top = baseline - letters - between - height;
  const std::string high = number(stage.range_max);
  draw_bar(image, what, static_cast<int>(left), static_cast<int>(bar_top), width, height);
  draw_text(image, number(stage.range_min), left, baseline, letters, ink, ink_opacity);
  draw_text(image, high, left + width - text_width(high, letters), baseline, letters, ink,
            ink_opacity);
  draw_text(image, what == ColourBy::pressure ? "pressure [Pa]" : "speed [m/s]", left,
            bar_top - between, letters, ink, ink_opacity);
}

}  // namespace hydrolith
