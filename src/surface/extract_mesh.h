#pragma once
// From the level set to triangles that share their vertices.

#include "surface/surface_tile.h"

namespace hydrolith {

/// A vertex by its place on the grid: exact enough far from the origin too.
struct GridVertex {
  GridIndex node;
  Vec3f fraction;  // [cells]
};

struct GridMesh {
  std::vector<GridVertex> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Closed; every edge has two triangles. Throws Error beyond 2^32 vertices.
GridMesh extract_mesh(const ParticleBins& bins, int dimensions);

}  // namespace hydrolith
