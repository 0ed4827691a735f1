#pragma once
// A mesh in the world: the bodies of a frame for formats that know no poses, or a liquid's surface.

#include "hydrolith/frame.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

struct WorldMesh {
  std::vector<Vec3f> vertices;                          // [m]
  std::vector<Vec3f> velocities;                        // [m/s] of the material there, or empty
  std::vector<Vec3f> normals;                           // unit, or empty
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside
  std::vector<std::uint32_t> body;  // of each triangle: index into Objects::bodies; or empty
};

/// The meshes of the bodies named by index, placed by the frame, one after the other.
WorldMesh merge_bodies(const Objects& objects, const Frame& frame,
                       std::span<const std::uint32_t> bodies);

}  // namespace hydrolith
