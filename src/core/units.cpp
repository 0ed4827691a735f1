#include "core/units.h"

#include "core/check.h"

#include <fmt/format.h>

#include <cctype>
#include <numbers>
#include <utility>

namespace hydrolith {

Dimension Dimension::operator*(const Dimension& b) const {
  Dimension product = *this;
  for (std::size_t i = 0; i < exponent.size(); ++i) product.exponent[i] += b.exponent[i];
  return product;
}

Dimension Dimension::pow(double e) const {
  Dimension power = *this;
  for (double& x : power.exponent) x *= e;
  return power;
}

namespace {

constexpr double pi = std::numbers::pi;

struct Symbol {
  std::string_view name;
  Unit unit;
};

// Exponents are those of metre, kilogram, second, angle.
constexpr Dimension length{{1, 0, 0, 0}}, mass{{0, 1, 0, 0}}, time{{0, 0, 1, 0}},
    angle{{0, 0, 0, 1}}, volume{{3, 0, 0, 0}}, force{{1, 1, -2, 0}}, pressure{{-1, 1, -2, 0}},
    energy{{2, 1, -2, 0}}, power{{2, 1, -3, 0}}, frequency{{0, 0, -1, 0}}, turning{{0, 0, -1, 1}};

constexpr Symbol symbols[] = {
    {"m", {1, length}},         {"km", {1e3, length}},       {"dm", {0.1, length}},
    {"cm", {0.01, length}},     {"mm", {1e-3, length}},      {"um", {1e-6, length}},
    {"in", {0.0254, length}},   {"ft", {0.3048, length}},    {"kg", {1, mass}},
    {"g", {1e-3, mass}},        {"mg", {1e-6, mass}},        {"t", {1e3, mass}},
    {"s", {1, time}},           {"ms", {1e-3, time}},        {"us", {1e-6, time}},
    {"min", {60, time}},        {"h", {3600, time}},         {"rad", {1, angle}},
    {"deg", {pi / 180, angle}}, {"rpm", {pi / 30, turning}}, {"l", {1e-3, volume}},
    {"L", {1e-3, volume}},      {"ml", {1e-6, volume}},      {"mL", {1e-6, volume}},
    {"N", {1, force}},          {"mN", {1e-3, force}},       {"kN", {1e3, force}},
    {"MN", {1e6, force}},       {"Pa", {1, pressure}},       {"mPa", {1e-3, pressure}},
    {"hPa", {1e2, pressure}},   {"kPa", {1e3, pressure}},    {"MPa", {1e6, pressure}},
    {"GPa", {1e9, pressure}},   {"bar", {1e5, pressure}},    {"mbar", {1e2, pressure}},
    {"J", {1, energy}},         {"kJ", {1e3, energy}},       {"W", {1, power}},
    {"kW", {1e3, power}},       {"Hz", {1, frequency}},      {"kHz", {1e3, frequency}},
};

constexpr std::pair<std::string_view, Dimension> quantities[] = {
    {"a length", length},
    {"an area", {{2, 0, 0, 0}}},
    {"a volume", volume},
    {"a mass", mass},
    {"a time", time},
    {"an angle", angle},
    {"a frequency", frequency},
    {"a velocity", {{1, 0, -1, 0}}},
    {"an acceleration", {{1, 0, -2, 0}}},
    {"an angular velocity", turning},
    {"a density", {{-3, 1, 0, 0}}},
    {"a force", force},
    {"a pressure", pressure},
    {"an energy or torque", energy},
    {"a power", power},
    {"a flow rate", {{3, 0, -1, 0}}},
    {"a viscosity", {{-1, 1, -1, 0}}},
    {"a surface tension", {{0, 1, -2, 0}}},
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

std::size_t name_end(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]))) ++at;
  return at;
}

// Reads ^n, ^-n, or the characters for square and cube, behind a symbol.
double scan_power(std::string_view text, std::size_t& at) {
  if (text.substr(at, 2) == "\xC2\xB2") return at += 2, 2;
  if (text.substr(at, 2) == "\xC2\xB3") return at += 2, 3;
  if (at >= text.size() || text[at] != '^') return 1;
  std::size_t digit = at + 1;
  const bool negative = digit < text.size() && text[digit] == '-';
  digit += negative;
  if (digit >= text.size() || !is_digit(text[digit])) return 1;
  at = digit + 1;
  return (negative ? -1 : 1) * (text[digit] - '0');
}

Unit to_power(const Unit& unit, double e) {
  double factor = 1;
  for (int i = 0; i < (e < 0 ? -e : e); ++i) factor *= unit.factor;
  return {e < 0 ? 1 / factor : factor, unit.dimension.pow(e)};
}

}  // namespace

std::optional<Unit> find_unit(std::string_view symbol) {
  for (const Symbol& s : symbols)
    if (s.name == symbol) return s.unit;
  return std::nullopt;
}

std::optional<ScannedUnit> scan_unit(std::string_view text, std::size_t position,
                                     const std::function<bool(std::string_view)>& taken) {
  // The degree and per-cent signs stand alone.
  std::size_t at = skip_blanks(text, position);
  if (text.substr(at, 2) == "\xC2\xB0") return ScannedUnit{*find_unit("deg"), at + 2};
  if (text.substr(at, 1) == "%") return ScannedUnit{{0.01, {}}, at + 1};

  // One factor: symbol and power.
  const auto factor = [&](std::size_t from) -> std::optional<ScannedUnit> {
    const std::size_t begin = skip_blanks(text, from);
    if (begin >= text.size() || !is_letter(text[begin])) return std::nullopt;
    std::size_t end = name_end(text, begin);
    const std::string_view name = text.substr(begin, end - begin);
    const std::size_t next = skip_blanks(text, end);
    const bool call = next < text.size() && text[next] == '(';
    const std::optional<Unit> unit = find_unit(name);
    if (!unit || call || taken(name)) return std::nullopt;
    const double exponent = scan_power(text, end);
    return ScannedUnit{to_power(*unit, exponent), end};
  };

  // The first factor may be missing before a slash: 1/s.
  ScannedUnit all{{}, at};
  if (const auto first = factor(at)) {
    all = *first;
  } else if (at + 1 < text.size() && text[at] == '1' && text[skip_blanks(text, at + 1)] == '/') {
    all.end = at + 1;
    if (!factor(skip_blanks(text, all.end) + 1)) return std::nullopt;
  } else {
    return std::nullopt;
  }

  // Further factors.
  for (;;) {
    const std::size_t next = skip_blanks(text, all.end);
    if (next >= text.size()) return all;
    const bool joined = text[next] == '*' || text[next] == '/';
    const auto more = factor(joined ? next + 1 : next);
    if (!more) return all;
    const Unit by = text[next] == '/' ? to_power(more->unit, -1) : more->unit;
    all = {{all.unit.factor * by.factor, all.unit.dimension * by.dimension}, more->end};
  }
}

Unit parse_unit(std::string_view text) {
  if (skip_blanks(text, 0) == text.size()) return {};
  const auto scanned = scan_unit(text, 0, [](std::string_view) { return false; });
  require(scanned && skip_blanks(text, scanned->end) == text.size(), "unknown unit \"{}\"", text);
  return scanned->unit;
}

std::string describe(const Dimension& dimension) {
  if (dimension.none()) return "a plain number";
  for (const auto& [name, d] : quantities)
    if (d == dimension) return std::string(name);
  constexpr std::string_view base[] = {"m", "kg", "s", "rad"};
  std::string text = "in";
  for (std::size_t i = 0; i < 4; ++i) {
    const double e = dimension.exponent[i];
    if (e == 1) text += fmt::format(" {}", base[i]);
    if (e != 0 && e != 1) text += fmt::format(" {}^{:g}", base[i], e);
  }
  return text;
}

}  // namespace hydrolith
