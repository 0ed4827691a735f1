#pragma once
// Ctrl-C and its like: an orderly stop.

#include <atomic>
#include <string_view>

namespace hydrolith::command {

/// From now on the first interrupt sets the flag, the second kills as usual. A closed pipe ends the
/// progress line, not the run. `said` on a terminal when it happens must live forever.
const std::atomic<bool>& stop_on_interrupt(std::string_view said = {});

}  // namespace hydrolith::command
