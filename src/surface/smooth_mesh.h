#pragma once
// Smoothing of a closed mesh, and its normals.

#include "hydrolith/frame.h"

#include <span>

namespace hydrolith {

/// Diffuses the vertices over the mesh, then gives back the diffused difference: bumps go, and what
/// is much larger than the diffusion's reach stays, with its volume (the loss is of second order).
/// `freedom` 0 holds a vertex, 1 lets it move (after the weights of Loeschner et al. 2023,
/// "Weighted Laplacian smoothing for surface reconstruction of particle-based fluids"). Each round
/// spreads by a standard deviation of about 0.44 cells. `rim`, if not empty, marks the vertices of
/// a slab's rim, which follow the rim alone.
void smooth_mesh(SurfaceMesh& mesh, std::span<const float> freedom, int rounds,
                 std::span<const std::uint8_t> rim);

/// Unit normals at the vertices: of the triangles around, weighted with their areas.
std::vector<Vec3f> vertex_normals(const SurfaceMesh& mesh);

}  // namespace hydrolith
