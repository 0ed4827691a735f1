#pragma once
// Refusing what cannot fit, before trying.

#include <string_view>

namespace hydrolith {

/// Throws Error if `count` things of `bytes` each need more than this machine's memory. `what`
/// names them in the message: "liquid particles".
void require_memory(double count, double bytes, std::string_view what, double spacing);

}  // namespace hydrolith
