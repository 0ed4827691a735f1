#include "output/deflate.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace hydrolith {

namespace {

struct Free {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};

/// One a thread and level: they are large.
libdeflate_compressor& compressor(int level) {
  thread_local std::array<std::unique_ptr<libdeflate_compressor, Free>, 10> all;
  level = std::clamp(level, 0, 9);
  auto& mine = all[static_cast<std::size_t>(level)];
  if (!mine) mine.reset(libdeflate_alloc_compressor(level));
  if (!mine) throw std::bad_alloc();
  return *mine;
}

}  // namespace

std::string zlib_compressed(std::string_view bytes, int level) {
  libdeflate_compressor& c = compressor(level);
  std::string out(libdeflate_zlib_compress_bound(&c, bytes.size()), '\0');
  out.resize(libdeflate_zlib_compress(&c, bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace hydrolith
