#include "output/hdf5_chunk.h"

#include "hydrolith/error.h"

#include "output/deflate.h"

#include <algorithm>
#include <cstdint>

namespace hydrolith::h5 {

namespace {

/// First bytes of all elements, then the second ones, ...: alike bytes stand together.
std::string shuffled(std::string_view values, std::size_t element) {
  const std::size_t n = values.size() / element;
  std::string out(values.size(), '\0');
  for (std::size_t b = 0; b < element; ++b)
    for (std::size_t i = 0; i < n; ++i) out[b * n + i] = values[i * element + b];
  return out;
}

/// Fletcher's checksum over big-endian 16-bit words, as HDF5 takes it.
std::uint32_t fletcher32(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u;
  };
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  constexpr std::size_t run = 720;  // [bytes] whose sums still fit
  std::uint32_t a = 0, b = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += run) {
    const std::size_t end = std::min(begin + run, bytes.size());
    for (std::size_t i = begin; i < end; i += 2) {
      a += byte(i) << 8 | byte(i + 1);
      b += a;
    }
    a = fold(a), b = fold(b);
  }
  return fold(b) << 16 | fold(a);
}

}  // namespace

std::string packed_chunk(std::string_view values, std::size_t element, int level) {
  std::string out =
      zlib_compressed(element > 1 ? shuffled(values, element) : std::string(values), level);
  const std::uint32_t sum = fletcher32(out);
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(sum >> shift & 0xff);
  return out;
}

}  // namespace hydrolith::h5
