#include "viewer/scalars.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith {

namespace {

constexpr const char* components[] = {".x", ".y", ".z"};

std::string length_name(const Field& field) {
  return field.name == "velocity" ? "speed" : field.name;
}

float length(const float* v) { return std::hypot(v[0], v[1], v[2]); }

}  // namespace

std::vector<ScalarChoice> scalar_choices(const Frame& frame) {
  std::vector<ScalarChoice> choices;
  const auto add = [&](const std::string& name, const std::string& unit) {
    for (const ScalarChoice& c : choices)
      if (c.name == name) return;
    choices.push_back({name, unit});
  };
  for (const LiquidFrame& liquid : frame.liquids)
    for (const Field& field : liquid.fields)
      add(field.components == 3 ? length_name(field) : field.name, field.unit);
  for (const LiquidFrame& liquid : frame.liquids)
    for (const Field& field : liquid.fields)
      if (field.components == 3)
        for (const char* c : components) add(field.name + c, field.unit);
  return choices;
}

std::vector<float> scalar_values(const LiquidFrame& liquid, const std::string& name) {
  const std::size_t n = liquid.position.size();
  for (const Field& field : liquid.fields) {
    if (field.components == 1 && field.name == name) return field.values;
    if (field.components != 3) continue;
    std::vector<float> values(n);
    if (length_name(field) == name) {
      for (std::size_t i = 0; i < n; ++i) values[i] = length(&field.values[3 * i]);
      return values;
    }
    for (std::size_t c = 0; c < 3; ++c)
      if (field.name + components[c] == name) {
        for (std::size_t i = 0; i < n; ++i) values[i] = field.values[3 * i + c];
        return values;
      }
  }
  return std::vector<float>(n, std::numeric_limits<float>::quiet_NaN());
}

ValueRange range_of(const std::vector<std::vector<float>>& values) {
  std::vector<float> finite;
  for (const std::vector<float>& list : values)
    for (const float v : list)
      if (std::isfinite(v)) finite.push_back(v);
  if (finite.empty()) return {};
  const auto at = [&](double part) {
    const auto place = finite.begin() + static_cast<std::ptrdiff_t>(
                                            part * static_cast<double>(finite.size() - 1) + 0.5);
    std::nth_element(finite.begin(), place, finite.end());
    return *place;
  };
  const auto [min, max] = std::minmax_element(finite.begin(), finite.end());
  ValueRange range{.min = *min, .max = *max};
  range.low = at(0.02);
  range.high = at(0.98);
  return range;
}

}  // namespace hydrolith
