#include "geometry/grey_png.h"

#include "hydrolith/error.h"

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <memory>

namespace hydrolith {

namespace {

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string problem;

  PngReader() {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png) info = png_create_info_struct(png);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  static void on_error(png_structp png, png_const_charp message) {
    static_cast<PngReader*>(png_get_error_ptr(png))->problem = message;
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
};

// Asks libpng for one 16-bit sample a pixel, whatever the file holds.
void ask_for_grey16(PngReader& r) {
  png_set_expand(r.png);
  png_set_expand_16(r.png);
  png_set_strip_alpha(r.png);
  if (png_get_color_type(r.png, r.info) & PNG_COLOR_MASK_COLOR)
    png_set_rgb_to_gray_fixed(r.png, 1, -1, -1);
  png_read_update_info(r.png, r.info);
}

// libpng leaves through longjmp; nothing in here owns memory that would be skipped.
bool read_pixels(PngReader& r, std::FILE* in, GreyImage& image, std::vector<png_byte>& bytes,
                 std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(r.png))) return false;
  png_init_io(r.png, in);
  png_set_user_limits(r.png, 16384, 16384);
  png_read_info(r.png, r.info);
  ask_for_grey16(r);
  image.width = static_cast<int>(png_get_image_width(r.png, r.info));
  image.height = static_cast<int>(png_get_image_height(r.png, r.info));
  const std::size_t stride = png_get_rowbytes(r.png, r.info);
  bytes.resize(stride * image.height);
  rows.resize(image.height);
  for (int j = 0; j < image.height; ++j) rows[j] = bytes.data() + stride * j;
  png_read_image(r.png, rows.data());
  return true;
}

}  // namespace

GreyImage read_grey_png(const std::string& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"),
                                                           std::fclose);
  if (!in) throw IoError(fmt::format("{}: cannot open this picture.", file));
  PngReader reader;
  GreyImage image;
  std::vector<png_byte> bytes;
  std::vector<png_bytep> rows;
  if (!reader.info || !read_pixels(reader, in.get(), image, bytes, rows))
    throw IoError(fmt::format("{}: not a readable PNG picture ({}).", file, reader.problem));
  image.pixels.resize(std::size_t(image.width) * image.height);
  for (int j = 0; j < image.height; ++j)
    for (int i = 0; i < image.width; ++i) {
      const png_bytep sample = rows[j] + 2 * i;  // big endian
      image.pixels[i + std::size_t(image.width) * j] =
          static_cast<float>(sample[0] * 256 + sample[1]) / 65535.0f;
    }
  return image;
}

}  // namespace hydrolith
