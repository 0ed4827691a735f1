#include "output/base64.h"

#include <cstdint>

namespace hydrolith {

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t old = out.size();
  out.resize(old + (bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data() + old;
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0u;
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {  // three bytes are four letters of six bits
    const std::uint32_t word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (const int shift : {18, 12, 6, 0}) *to++ = letters[word >> shift & 63];
  }
  if (i == bytes.size()) return;
  const std::uint32_t word = byte(i) << 16 | byte(i + 1) << 8;
  *to++ = letters[word >> 18];
  *to++ = letters[word >> 12 & 63];
  if (i + 2 == bytes.size()) *to = letters[word >> 6 & 63];
}

}  // namespace hydrolith
