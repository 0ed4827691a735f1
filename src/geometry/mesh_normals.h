#pragma once
// Angle-weighted pseudo-normals of a closed mesh: the sign of n . (x - p), p the point nearest to
// x, tells inside from outside (Baerentzen & Aanaes 2005, "Signed distance computation using the
// angle weighted pseudonormal").

#include "geometry/mesh.h"
#include "geometry/triangle_distance.h"

#include <cstdint>
#include <vector>

namespace hydrolith {

class MeshNormals {
 public:
  explicit MeshNormals(const TriangleMesh& mesh);

  /// Unit normal of a feature of a triangle: of the face, of the two faces that meet at the side,
  /// or of all faces around the corner weighted with their angles. Zero where there is none.
  Vec3 at(std::uint32_t triangle, TriangleFeature feature) const;

 private:
  std::vector<Triangle> triangles_;
  std::vector<Triangle> neighbours_;  // triangle across side k; itself at a boundary
  std::vector<Vec3> face_, vertex_;   // unit normals; zero for needles
};

}  // namespace hydrolith
