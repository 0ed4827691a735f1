#pragma once
// Few rays to sun and sky leave grain in soft shadows. Neighbouring pixels that show the same flat
// piece of surface share what they know about the light; edges and small spheres are left alone.

#include "render/shading.h"

#include <vector>

namespace hydrolith {

/// What one pixel saw: the mean over its samples.
struct Pixel {
  Radiance mean;
  float grain_sq = 0;   // variance of the mean light (luminance)
  bool flat = false;    // every sample met the same flat surface
  bool grainy = false;  // and some of them found light, some shadow
  bool open = false;    // no sample found any shadow

  bool calm() const { return open && (flat || mean.normal.isZero()); }
};

struct Picture {
  int width, height;
  std::vector<Pixel> pixels;  // rows from the top

  Pixel& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
  const Pixel& at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
};

/// The mean of samples that belong to one pixel.
Pixel average(const std::vector<Radiance>& samples);

/// The pixels' colours, with the light averaged over neighbours on the same plane.
std::vector<Colour> filter_light(const Picture& picture);

}  // namespace hydrolith
