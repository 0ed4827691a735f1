#pragma once
#include "geometry/mesh.h"

namespace hydrolith {

/// Of a solid of density 1 bounded by a closed mesh. Exact for the mesh (polynomial integrals).
struct MassProperties {
  double volume = 0;             // [m^3]  negative if the mesh is inside out
  Vec3 centre = Vec3::Zero();    // [m]
  Mat3 inertia = Mat3::Zero();   // [m^5]  about the centre, at density 1
};

/// Throws MeshError if the mesh is not closed.
MassProperties mass_properties(const TriangleMesh& mesh);

}  // namespace hydrolith
