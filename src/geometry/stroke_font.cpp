#include "geometry/stroke_font.h"

#include "hydrolith/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <string>

namespace hydrolith {

namespace {

// Lines are separated by ';' and given by their corners. '~' in front rounds the corners between.
struct Entry {
  char character;
  double width;
  const char* lines;
};

constexpr Entry font[] = {
    {' ', 2, ""},
    {'A', 4, "0 0 2 6 4 0; 0.7 2 3.3 2"},
    {'B', 3.6, "0 0 0 6;~0 6 3.2 6 3.2 3.2 0 3.2;~0 3.2 3.6 3.2 3.6 0 0 0"},
    {'C', 3.6, "~3.6 4.6 3.6 6 0 6 0 0 3.6 0 3.6 1.4"},
    {'D', 3.6, "0 0 0 6;~0 6 3.6 6 3.6 0 0 0"},
    {'E', 3.2, "3.2 0 0 0 0 6 3.2 6; 0 3.1 2.6 3.1"},
    {'F', 3.2, "0 0 0 6 3.2 6; 0 3 2.6 3"},
    {'G', 3.8, "~3.8 4.6 3.8 6 0 6 0 0 3.8 0 3.8 2.8; 2.2 2.8 3.8 2.8"},
    {'H', 3.6, "0 0 0 6; 3.6 0 3.6 6; 0 3 3.6 3"},
    {'I', 0, "0 0 0 6"},
    {'J', 2.6, "~2.6 6 2.6 0 0 0 0 1.6"},
    {'K', 3.6, "0 0 0 6; 3.5 6 0 2.4; 1.2 3.6 3.6 0"},
    {'L', 3, "0 6 0 0 3 0"},
    {'M', 4.6, "0 0 0 6 2.3 2 4.6 6 4.6 0"},
    {'N', 3.8, "0 0 0 6 3.8 0 3.8 6"},
    {'O', 4, "~2 6 0 6 0 0 4 0 4 6 2 6"},
    {'P', 3.4, "0 0 0 6;~0 6 3.4 6 3.4 2.6 0 2.6"},
    {'Q', 4, "~2 6 0 6 0 0 4 0 4 6 2 6; 2.5 1.5 4.1 -0.1"},
    {'R', 3.6, "0 0 0 6;~0 6 3.4 6 3.4 2.7 0 2.7; 1.8 2.7 3.6 0"},
    {'S', 3.4, "~3.4 4.7 3.4 6 0 6 0 3.1 3.4 3.1 3.4 0 0 0 0 1.3"},
    {'T', 4, "0 6 4 6; 2 0 2 6"},
    {'U', 3.6, "~0 6 0 0 3.6 0 3.6 6"},
    {'V', 4, "0 6 2 0 4 6"},
    {'W', 5.4, "0 6 1.4 0 2.7 4.4 4 0 5.4 6"},
    {'X', 3.8, "0 0 3.8 6; 0 6 3.8 0"},
    {'Y', 4, "0 6 2 3 4 6; 2 3 2 0"},
    {'Z', 3.6, "0 6 3.6 6 0 0 3.6 0"},
    {'0', 3.4, "~1.7 6 0 6 0 0 3.4 0 3.4 6 1.7 6"},
    {'1', 1.6, "0 4.6 1.6 6 1.6 0"},
    {'2', 3.4, "~0 4.6 0 6 3.4 6 3.4 3.6 0 0.1; 0 0 3.4 0"},
    {'3', 3.4, "~0 4.8 0 6 3.2 6 3.2 3.2 1.2 3.2;~1.2 3.2 3.4 3.2 3.4 0 0 0 0 1.2"},
    {'4', 3.8, "2.8 0 2.8 6 0 1.6 3.8 1.6"},
    {'5', 3.4, "3.2 6 0.2 6 0 3.4;~0 3.4 3.4 3.8 3.4 0 0 0 0 1.2"},
    {'6', 3.4, "~3.2 5 3.2 6 0 6 0 0 3.4 0 3.4 3.4 0 3.4 0 2"},
    {'7', 3.4, "0 6 3.4 6 1.2 0"},
    {'8', 3.4,
     "~1.7 3.2 0.1 3.2 0.1 6 3.3 6 3.3 3.2 1.7 3.2;~1.7 3.2 0 3.2 0 0 3.4 0 3.4 3.2 1.7 3.2"},
    {'9', 3.4, "~0.2 1 0.2 0 3.4 0 3.4 6 0 6 0 2.6 3.4 2.6 3.4 4"},
    {'.', 0, "0 0 0 0.01"},
    {',', 0.4, "0.4 0.1 0 -0.9"},
    {':', 0, "0 0.8 0 0.81; 0 3.6 0 3.61"},
    {'!', 0, "0 6 0 2; 0 0 0 0.01"},
    {'?', 3.2, "~0 4.6 0 6 3.2 6 3.2 3.4 1.6 3.4 1.6 1.8; 1.6 0 1.6 0.01"},
    {'-', 2.4, "0 3 2.4 3"},
    {'+', 3, "0 3 3 3; 1.5 1.5 1.5 4.5"},
    {'=', 3, "0 2.2 3 2.2; 0 4 3 4"},
    {'/', 2.6, "0 0 2.6 6"},
    {'&', 4, "~4 0 0.7 4.6 0.7 6 2.9 6 2.9 4.4 0 2 0 0 3.2 0 4 2.4"},
    {'*', 2.6, "1.3 2.6 1.3 5.6; 0 3.35 2.6 4.85; 0 4.85 2.6 3.35"},
    {'(', 1, "~1 6.4 0 5 0 1 1 -0.4"},
    {')', 1, "~0 6.4 1 5 1 1 0 -0.4"},
};

// Replaces a corner by an arc that touches both sides, with a radius of 1.7 or what fits into half
// of each side.
void add_rounded_corner(std::vector<Vec2>& line, const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 to_a = (a - b).normalized(), to_c = (c - b).normalized();
  const double half_angle = 0.5 * std::acos(std::clamp(to_a.dot(to_c), -1.0, 1.0));
  const double reach =
      std::min({1.7 / std::tan(half_angle), 0.5 * (a - b).norm(), 0.5 * (c - b).norm()});
  const double radius = reach * std::tan(half_angle);
  const Vec2 middle = b + (to_a + to_c).normalized() * reach / std::cos(half_angle);
  const Vec2 from = b + reach * to_a - middle, to = b + reach * to_c - middle;
  const double turn = std::atan2(from.x() * to.y() - from.y() * to.x(), from.dot(to));
  const int steps = std::max(1, int(std::ceil(std::abs(turn) / 0.16)));
  for (int i = 0; i <= steps; ++i)
    line.push_back(middle + radius * (Eigen::Rotation2Dd(turn * i / steps) * from.normalized()));
}

std::vector<Vec2> read_line(const std::string& text) {
  const bool rounded = text.find('~') != std::string::npos;
  std::istringstream in(rounded ? text.substr(text.find('~') + 1) : text);
  std::vector<Vec2> corners, line;
  for (double x, y; in >> x >> y;) corners.emplace_back(x, y);
  for (std::size_t i = 0; i < corners.size(); ++i)
    if (rounded && i > 0 && i + 1 < corners.size())
      add_rounded_corner(line, corners[i - 1], corners[i], corners[i + 1]);
    else
      line.push_back(corners[i]);
  return line;
}

}  // namespace

Glyph glyph(char character) {
  const char wanted = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  const auto entry = std::find_if(std::begin(font), std::end(font),
                                  [&](const Entry& e) { return e.character == wanted; });
  if (entry == std::end(font))
    throw MeshError(fmt::format(
        "text: the font has no '{}'. It has A to Z, 0 to 9, the space and . , : ! ? - + = / & * "
        "( ).",
        character));
  Glyph result{entry->width, {}};
  std::istringstream lines(entry->lines);
  for (std::string line; std::getline(lines, line, ';');) result.lines.push_back(read_line(line));
  return result;
}

}  // namespace hydrolith
