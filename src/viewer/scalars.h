#pragma once
// What a liquid can be coloured by: one number a particle, from the fields of its frame.

#include "hydrolith/frame.h"

#include <string>
#include <vector>

namespace hydrolith {

struct ScalarChoice {
  std::string name;  // "speed", "pressure", "velocity.x", ...
  std::string unit;
};

/// Fields as they are, of vectors the length ("speed" for velocity) and the components.
std::vector<ScalarChoice> scalar_choices(const Frame& frame);

/// One value for each particle; NaN for all if the liquid has no such field.
std::vector<float> scalar_values(const LiquidFrame& liquid, const std::string& name);

/// Smallest, largest, and those that leave out 2 % at each end; all 0 if nothing is finite.
struct ValueRange {
  float min = 0, max = 0, low = 0, high = 0;
};
ValueRange range_of(const std::vector<std::vector<float>>& values);

}  // namespace hydrolith
