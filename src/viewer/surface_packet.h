#pragma once
// The surface of a frame's liquids as the page wants it: 12 bytes a vertex.

#include "hydrolith/frame.h"

#include <string>

namespace hydrolith {

/// Arrays "vertices" (x, y, z, value, each a uint16 in the box and range told, as in
/// packed_frame.h), "normals" (x, y, z, 0 as int8, 127 = 1) and "triangles" (uint32, vertices of the
/// same liquid from 0). "surfaces" gives for each liquid its first vertex, vertices, first triangle
/// and triangles. Only the velocity is known on the surface: coloured by "speed" or "velocity.x" ...,
/// and by anything else without a range.
std::string surface_packet(const Frame& frame, const Objects& objects, const std::string& field);

}  // namespace hydrolith
