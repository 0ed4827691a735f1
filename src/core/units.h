#pragma once
// Units of measure as written in scenes: mm, g/cm^3, kPa, rpm, Pa s.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hydrolith {

/// Exponents of metre, kilogram, second and angle.
struct Dimension {
  std::array<double, 4> exponent{};
  bool operator==(const Dimension&) const = default;
  bool none() const { return *this == Dimension{}; }
  Dimension operator*(const Dimension& b) const;
  Dimension pow(double e) const;
  double angle() const { return exponent[3]; }
};

/// One unit: factor * (SI unit of its dimension), angles in radians.
struct Unit {
  double factor = 1;
  Dimension dimension;
};

/// A single symbol ("mm", "kPa", "rpm"), or nothing.
std::optional<Unit> find_unit(std::string_view symbol);

/// The unit that starts at text[position] and the position behind it; nothing if none starts there.
/// Factors are joined by * / or a blank and may have whole powers. A name for which `taken` is true
/// is not a unit.
struct ScannedUnit {
  Unit unit;
  std::size_t end = 0;
};
std::optional<ScannedUnit> scan_unit(std::string_view text, std::size_t position,
                                     const std::function<bool(std::string_view)>& taken);

/// A whole text as a unit, "" being none. Throws Error.
Unit parse_unit(std::string_view text);

/// "a length", "a density", or the exponents: "in m^2 s^-1".
std::string describe(const Dimension& dimension);

}  // namespace hydrolith
