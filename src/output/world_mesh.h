#pragma once
// The bodies of a frame as one mesh in the world, for formats that know no poses.

#include "hydrolith/frame.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

struct WorldMesh {
  std::vector<Vec3f> vertices;                          // [m]
  std::vector<Vec3f> velocities;                        // [m/s] of the body's material there
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside
  std::vector<std::uint32_t> body;  // of each triangle: index into Objects::bodies
};

/// The meshes of the bodies named by index, placed by the frame, one after the other.
WorldMesh merge_bodies(const Objects& objects, const Frame& frame,
                       std::span<const std::uint32_t> bodies);

}  // namespace hydrolith
