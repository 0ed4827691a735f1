#pragma once
// What is written over a picture: the colour bar with its numbers, and the time.

#include "render/colour.h"
#include "render/render.h"

#include <string>
#include <string_view>

namespace hydrolith {

/// Bar with label, unit and both ends of the range, lower right (not for ColourBy::body); the time
/// [s], lower left. Pictures too small for readable letters stay as they are.
void draw_legend(Image& image, const Stage& stage, ColourBy what, double time);

/// Text with letters `height` pixels tall, its baseline starting at (x, y) [pixels].
void draw_text(Image& image, std::string_view text, double x, double y, double height,
               const Colour& colour, double opacity);
double text_width(std::string_view text, double height);  // [pixels]

/// The strokes of a letter: points on a grid 4 wide and 6 tall with the baseline at 0, each as two
/// digits "xy" (y = 8, 9 lie below the baseline: -2, -1), strokes apart by spaces.
std::string_view glyph_strokes(char c);

}  // namespace hydrolith
