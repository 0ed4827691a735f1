#pragma once
// A frame as the page wants it: 7 bytes a particle, ready for the GPU.
//
// Particles stand liquid after liquid, in each as in the file. Of every particle 56 bits are kept,
// in three arrays that shaders read as they are:
//
//   words   uint32   bits 0-14: first axis   15-29: second axis   30-31: value, bits 10-11
//   halves  uint16   bits 0-13: third axis   14-15: value, bits 8-9
//   octets  uint8                                          value, bits 0-7
//
// Axes are those of the frame's own box, the shortest one last; each number spans its axis, the
// value spans the smallest to the largest. So a position is right to 1/65534 of the box, 1/32766
// along its shortest side, and the value to 1/8190 of its range: a tenth of a pixel, and a
// sixteenth of the steps that colours have.

#include "hydrolith/frame.h"

#include "viewer/scalars.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hydrolith {

struct Packed {
  std::vector<std::size_t> counts;  // particles of each liquid
  std::size_t left_out = 0;         // particles without a finite position
  Box3 box;                         // [m]; empty without particles
  ValueRange range;                 // of the value, in its unit
};

/// Seven bytes a particle, as above.
struct PackedBits : Packed {
  std::vector<std::uint32_t> words;
  std::vector<std::uint16_t> halves;
  std::vector<std::uint8_t> octets;
  std::array<int, 3> axes = {0, 1, 2};
};

/// Eight bytes a particle: x, y, z, value, each a uint16 over the box and the range.
struct PackedNumbers : Packed {
  std::vector<std::uint16_t> data;
};

/// `field` is one of scalar_choices(), or empty: all values zero.
PackedBits pack_bits(const Frame& frame, const std::string& field);
PackedNumbers pack_numbers(const Frame& frame, const std::string& field);

/// The answer for one frame (viewer/packet.h): arrays "words", "halves" and "octets" as above,
/// "poses", seven float32 a body: position x y z, orientation x y z w, and "speeds" of bodies
/// [m/s], float32. Throws NotFound if the frame has no such field.
std::string packed_frame(const Frame& frame, const std::string& field);

/// Members of the JSON that every packed frame has: number, step, time, fields to choose from.
std::string frame_members(const Frame& frame);
std::vector<float> body_poses(const Frame& frame);
std::vector<float> body_speeds(const Frame& frame);

}  // namespace hydrolith
