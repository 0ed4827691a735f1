#pragma once
// Ctrl-C and its like: an orderly stop.

#include <atomic>

namespace hydrolith::command {

/// From now on the first interrupt sets the flag, the second kills as usual. A closed pipe ends the
/// progress line, not the run.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace hydrolith::command
