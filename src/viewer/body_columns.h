#pragma once
// The numbers of a body at one time, by name.

#include "hydrolith/frame.h"

#include <functional>
#include <string>
#include <vector>

namespace hydrolith {

struct BodyColumn {
  std::string name, unit;
  std::function<double(const BodyFrame&)> value;
};

/// Position, orientation, velocity, angular velocity: x, y, z (and w) of each.
const std::vector<BodyColumn>& body_columns();

}  // namespace hydrolith
