#pragma once
// A plain font of strokes for capitals, digits and a few signs.

#include "hydrolith/vec.h"

#include <string_view>
#include <vector>

namespace hydrolith {

/// Centre lines of one character on a grid 6 high, from the base line up.
struct Glyph {
  double width = 0;
  std::vector<std::vector<Vec2>> lines;
};

/// Small letters give capitals. Throws MeshError for a character that the font does not have.
Glyph glyph(char character);

}  // namespace hydrolith
