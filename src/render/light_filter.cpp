#include "render/light_filter.h"

#include "core/parallel.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr int radius = 4;  // [pixels] of the neighbourhood
constexpr int block = 8;   // [pixels] at least the radius

/// Blocks of pixels in which, or beside which, some light is uncertain; in the rest of the picture
/// there is nothing to do.
class GrainyBlocks {
 public:
  explicit GrainyBlocks(const Picture& picture)
      : columns_(picture.width / block + 1), near_(columns_ * (picture.height / block + 1), 0) {
    const int rows = picture.height / block + 1;
    for (int y = 0; y < picture.height; ++y)
      for (int x = 0; x < picture.width; ++x)
        if (picture.at(x, y).grainy) mark_around(x / block, y / block, rows);
  }
  bool near(int x, int y) const { return near_[y / block * columns_ + x / block] != 0; }

 private:
  void mark_around(int column, int row, int rows) {
    for (int r = std::max(0, row - 1); r <= std::min(rows - 1, row + 1); ++r)
      for (int c = std::max(0, column - 1); c <= std::min(columns_ - 1, column + 1); ++c)
        near_[r * columns_ + c] = 1;
  }
  int columns_;
  std::vector<char> near_;
};

/// Do both pixels show one smooth surface? Normals within 11 degrees, the second point within 7
/// degrees of the first's plane.
bool same_plane(const Radiance& a, const Radiance& b) {
  constexpr float alike = 0.98f, slope = 0.12f;
  if (a.normal.dot(b.normal) < alike) return false;
  const Vec3f d = b.position - a.position;
  return std::abs(d.dot(a.normal)) <= slope * d.norm();
}

/// Is the difference of light no larger than three standard deviations? Otherwise there runs the
/// edge of a shadow between them.
bool same_light(const Pixel& a, const Pixel& b) {
  constexpr float invisible_sq = 0.06f * 0.06f;
  const float difference = luminance(a.mean.light - b.mean.light);
  return difference * difference <= 9 * (a.grain_sq + b.grain_sq) + invisible_sq;
}

Colour mean_light(const Picture& picture, int x, int y) {
  const Pixel& here = picture.at(x, y);
  Colour sum = Colour::Zero();
  float weights = 0;
  for (int v = std::max(0, y - radius); v <= std::min(picture.height - 1, y + radius); ++v)
    for (int u = std::max(0, x - radius); u <= std::min(picture.width - 1, x + radius); ++u) {
      const Pixel& there = picture.at(u, v);
      if (!there.flat || !same_plane(here.mean, there.mean) || !same_light(here, there)) continue;
      const auto dx = static_cast<float>(u - x), dy = static_cast<float>(v - y);
      const float weight = 1 / (1 + 0.25f * (dx * dx + dy * dy));
      sum += weight * there.mean.light;
      weights += weight;
    }
  return sum / weights;  // the pixel itself always counts
}

}  // namespace

Pixel average(const std::vector<Radiance>& samples) {
  Pixel pixel;
  Radiance& mean = pixel.mean;
  pixel.open = true;
  float squares = 0;
  for (const Radiance& s : samples) {
    mean.colour += s.colour;
    mean.response += s.response;
    mean.light += s.light;
    squares += luminance(s.light) * luminance(s.light);
    mean.normal += s.normal;
    mean.position += s.position;
    pixel.open = pixel.open && s.open;
  }
  const float share = 1 / static_cast<float>(samples.size());
  for (Vec3f* v : {&mean.colour, &mean.response, &mean.light, &mean.normal, &mean.position})
    *v *= share;
  const float level = luminance(mean.light);
  pixel.grain_sq = share * std::max(0.0f, share * squares - level * level);
  constexpr float parallel = 0.998f;  // shorter mean normals come from bent or different surfaces
  pixel.flat = mean.normal.norm() > parallel;
  pixel.grainy = pixel.flat && !pixel.open;
  return pixel;
}

std::vector<Colour> filter_light(const Picture& picture) {
  std::vector<Colour> colours(picture.pixels.size());
  const GrainyBlocks grain(picture);
  parallel_for(
      static_cast<std::size_t>(picture.height),
      [&](std::size_t row) {
        const int y = static_cast<int>(row);
        for (int x = 0; x < picture.width; ++x) {
          const Radiance& mean = picture.at(x, y).mean;
          Colour& colour = colours[row * static_cast<std::size_t>(picture.width) + x];
          colour = mean.colour;
          if (picture.at(x, y).flat && grain.near(x, y))
            colour += mean.response.cwiseProduct(mean_light(picture, x, y) - mean.light);
        }
      },
      4);
  return colours;
}

}  // namespace hydrolith
