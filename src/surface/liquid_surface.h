#pragma once
// The surface of a liquid as a closed triangle mesh, from its particles alone: a level set in
// tiles, marching cubes with shared vertices, then smoothing of the mesh where there is enough
// liquid to be smooth. The same bits for any number of threads.

#include "hydrolith/frame.h"

#include <cstddef>
#include <vector>

namespace hydrolith {

struct SurfaceOptions {
  double cell = 0.5;  ///< [spacings] edge of a cell; 0.25 to 1. Finer: smaller triangles
  double radius = 2;  ///< [spacings] reach of a particle; 1.5 to 4. Larger: smoother, fewer details
  double smoothing = 1;  ///< [spacings] bumps of this size are smoothed away; 0 to 5, 0 = none
  bool velocity = true;  ///< velocities at the vertices, if the particles have them
};

struct LiquidSurface {
  SurfaceMesh mesh;             // closed, in the world; empty where there are no particles
  std::vector<Vec3f> normal;    // unit, out of the liquid; one a vertex
  std::vector<Vec3f> velocity;  // [m/s] one a vertex; empty if the frame has none
  std::size_t left_out = 0;     // particles not finite, or farther than 10^6 spacings away
};

/// Throws Error for options out of range. In two dimensions (z = 0) a slab one spacing thick.
LiquidSurface liquid_surface(const LiquidFrame& liquid, double spacing, int dimensions,
                             const SurfaceOptions& options = {});

/// The volume [m^3] inside a closed mesh.
double enclosed_volume(const SurfaceMesh& mesh);

}  // namespace hydrolith
