#pragma once
#include <string>
#include <vector>

namespace hydrolith {

struct GreyImage {
  int width = 0, height = 0;
  std::vector<float> pixels;  // [-] 0 black to 1 white, rows from the top, as stored (no gamma)
};

/// 8 or 16 bits; colours are turned grey, transparency is ignored. Throws IoError.
GreyImage read_grey_png(const std::string& file);

}  // namespace hydrolith
