#pragma once
// zlib streams and CRC-32, by libdeflate.

#include <cstdint>
#include <string>
#include <string_view>

namespace hydrolith {

/// As zlib's own functions make it; level from 0 (none) and 1 (fast) to 9 (small).
std::string zlib_compressed(std::string_view bytes, int level);
/// `before`: of the bytes before these.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);

}  // namespace hydrolith
