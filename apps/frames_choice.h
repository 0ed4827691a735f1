#pragma once
// --frames, and numbers on the command line.

#include "output/run_folder.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith::command {

/// Throws Error naming the option.
int whole_number(std::string_view text, std::string_view what);

/// The frames named by --frames: all, last, N, FIRST:LAST or FIRST:LAST:STEP. Throws Error.
std::vector<std::int64_t> choose_frames(const std::vector<std::int64_t>& all,
                                        const std::string& which);

/// The whole frames of a run. Throws Error if there is none.
std::vector<std::int64_t> frames_of(const RunReader& reader);

/// Frames a simulated second; 25 where it cannot be known.
double frames_per_second(const RunReader& reader, const std::vector<std::int64_t>& frames);

}  // namespace hydrolith::command
