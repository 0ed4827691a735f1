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

/// Position, orientation, velocity, angular velocity, then the forces of the last step: their sum,
/// and by origin with torques. x, y, z (and w) of each; NaN for forces a frame does not tell.
const std::vector<BodyColumn>& body_columns();

}  // namespace hydrolith
