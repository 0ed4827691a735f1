#pragma once
// The frames that a run has.

#include "output/run_folder.h"

#include <cstdint>
#include <vector>

namespace hydrolith::command {

/// The whole frames of a run. Throws Error if there is none.
std::vector<std::int64_t> frames_of(const RunReader& reader);

/// Frames a simulated second; 25 where it cannot be known.
double frames_per_second(const RunReader& reader, const std::vector<std::int64_t>& frames);

}  // namespace hydrolith::command
