#pragma once
// Colours: maps from numbers, the palette of bodies, and the way from linear light to 8-bit sRGB.

#include "hydrolith/frame.h"

#include "render/render.h"

#include <cstddef>
#include <cstdint>

namespace hydrolith {

using Colour = Vec3f;  // linear RGB, 1 = white of the display

/// Colour of `x` in [0, 1] (clamped; NaN counts as 0). Luminance rises with x.
Colour speed_colour(float x);     // deep blue, light blue, white
Colour pressure_colour(float x);  // violet, green, yellow
Colour map_colour(ColourBy what, float x);

/// The body's own colour; a colour left at its default is chosen from a palette by scene entry.
/// Copies of one entry differ a little in brightness so that a wall of bricks can be read.
Colour body_colour(const BodyInfo& info, std::size_t index);

/// 0..1 to 0..1, linear up to a knee and then ever flatter: nothing burns out.
Colour tone_mapped(const Colour& light);
float luminance(const Colour& linear);

float srgb_from_linear(float linear);
float linear_from_srgb(float srgb);
Colour linear_from_srgb8(std::uint32_t rgb);                    // 0xRRGGBB
std::uint8_t byte_from_linear(float linear, float dither = 0);  // dither in [-0.5, 0.5] of a step

}  // namespace hydrolith
