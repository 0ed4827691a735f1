#pragma once
// Bytes as text (RFC 4648, section 4).

#include <string>
#include <string_view>

namespace hydrolith {

/// Appends the bytes as letters, digits, + and /, filled up with = to a multiple of four.
void append_base64(std::string& out, std::string_view bytes);

}  // namespace hydrolith
