// PNG files, whole or not at all.

#include "core/check.h"
#include "render/render.h"

#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

namespace hydrolith {

namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& reason) {
  throw IoError(fmt::format("{}: cannot write the picture: {}", file.string(), reason));
}

/// Removes the unfinished file unless it was renamed.
struct Temporary {
  std::filesystem::path name;
  ~Temporary() {
    std::error_code ignored;
    std::filesystem::remove(name, ignored);
  }
};

std::vector<std::uint8_t> encode(const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::vector<std::uint8_t> bytes(size);
  require(
      png_image_write_to_memory(&png, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) != 0,
      "PNG encoder: {}", png.message);
  bytes.resize(size);
  return bytes;
}

void write_bytes(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (!out) fail(file, std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  const int write_error = errno;
  const bool closed = std::fclose(out) == 0;
  if (!written || !closed) fail(file, std::strerror(written ? errno : write_error));
}

}  // namespace

void write_png(const std::filesystem::path& file, const Image& image) {
  const std::size_t bytes = 3 * static_cast<std::size_t>(std::max(image.width, 0)) *
                            static_cast<std::size_t>(std::max(image.height, 0));
  require(bytes > 0 && image.rgb.size() == bytes,
          "{}: a picture of {} x {} pixels cannot have {} bytes", file.string(), image.width,
          image.height, image.rgb.size());
  Temporary temporary{file};
  temporary.name += fmt::format(".{}.part", getpid());
  write_bytes(temporary.name, encode(image));
  std::error_code error;
  std::filesystem::rename(temporary.name, file, error);
  if (error) fail(file, error.message());
}

}  // namespace hydrolith
