#pragma once
// A frame as the page wants it: 8 bytes a particle, ready for the GPU.
//
// Particles stand liquid after liquid, in each as in the file: x, y, z and the value they are
// coloured by, each a uint16 that spans a range told beside it: the box of this frame's particles,
// the smallest to the largest value. So a position is right to 1/131070 of the box.

#include "hydrolith/frame.h"

#include "viewer/scalars.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hydrolith {

struct PackedParticles {
  std::vector<std::uint16_t> data;  // x, y, z, value for each particle
  std::vector<std::size_t> counts;  // particles of each liquid
  std::size_t left_out = 0;         // particles without a finite position
  Box3 box;                         // [m]; empty without particles
  ValueRange range;                 // of the value, in its unit
};

/// `field` is one of scalar_choices(), or empty: all values zero.
PackedParticles pack_particles(const Frame& frame, const std::string& field);

/// The answer for one frame (viewer/packet.h): arrays "particles" as above, "poses", seven float32
/// a body: position x y z, orientation x y z w, and "speeds" of bodies [m/s], float32. Throws Error
/// if the frame has no such field.
std::string packed_frame(const Frame& frame, const std::string& field);

/// Members of the JSON that every packed frame has: number, step, time, fields to choose from.
std::string frame_members(const Frame& frame);
std::vector<float> body_poses(const Frame& frame);
std::vector<float> body_speeds(const Frame& frame);

}  // namespace hydrolith
