#pragma once
// require(): a stated precondition. Breaking one is an Error with the numbers in it, in every
// build.

#include "hydrolith/error.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace hydrolith {

/// Throws Error with a formatted message unless `condition` holds.
template <class... Args>
void require(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) throw Error(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace hydrolith
