#pragma once
// Samples of spacing h on a surface: corners first, then sharp edges, then faces.

#include "geometry/mesh.h"
#include "geometry/section.h"

#include <vector>

namespace hydrolith {

struct SurfaceSampleOptions {
  double spacing = 0.01;      ///< [m] h
  double inset = 0;           ///< [m] samples lie this far inside the surface (half a spacing
                              ///< makes the wetted volume right); less where the body is thinner
  double feature_angle = 30;  ///< [deg] edges sharper than this are sampled along their length
};

struct SurfaceSamples {
  std::vector<Vec3> position;  // [m] in the frame of the mesh
  std::vector<Vec3> normal;    // unit, outward
};

/// The same mesh in any pose gives the same samples in the body's frame: sample in the body frame,
/// then move. Deterministic, independent of the number of threads.
SurfaceSamples sample_surface(const TriangleMesh& mesh, const SurfaceSampleOptions& options);
SurfaceSamples sample_outline(const Polygons& polygons, const SurfaceSampleOptions& options);  // 2D

/// How even a sampling is. V0 is the rest volume of Probst & Teschner 2023, eq. 3.2, with the
/// cubic spline of support 2h; spread = standard deviation / mean.
struct Evenness {
  double volume_spread = 0;                 // [-]
  double volume_min = 0, volume_max = 0;    // relative to the mean
  double nearest_min = 0, nearest_max = 0;  // [h] nearest-neighbour distances, at most 2
  double nearest_mean = 0;
};
Evenness evenness(const std::vector<Vec3>& positions, double spacing, int dimensions = 3);

}  // namespace hydrolith
