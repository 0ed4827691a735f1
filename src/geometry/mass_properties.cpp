#include "geometry/mass_properties.h"

#include "hydrolith/error.h"

#include "core/parallel.h"
#include "geometry/mesh_edges.h"

#include <fmt/format.h>

namespace hydrolith {

namespace {

// A solid is the signed sum of the tetrahedra (o, a, b, c) over its triangles. With a, b, c taken
// relative to o, s = a + b + c and det = a . (b x c), each contributes
//   volume          det / 6
//   first moment    det / 24  s
//   second moments  det / 120 (s s^T + a a^T + b b^T + c c^T)
// (Tonon 2004, "Explicit exact formulas for the 3-D tetrahedron inertia tensor"). o is the centre
// of the bounds, so that a body far from the origin loses no digits.
using Moments = Eigen::Matrix<double, 10, 1>;  // 1, x, y, z, xx, yy, zz, xy, yz, zx

Moments tetrahedron_moments(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double det = a.dot(b.cross(c));
  const Vec3 s = a + b + c;
  const Mat3 second = s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose();
  Moments m;
  m << 1.0 / 6.0, s / 24.0, second.diagonal() / 120.0, second(0, 1) / 120.0, second(1, 2) / 120.0,
      second(2, 0) / 120.0;
  return det * m;
}

void require_closed(const TriangleMesh& mesh) {
  if (mesh.empty()) throw MeshError("the mesh has no triangles, so it has no mass");
  const EdgeCount edges = count_edges(sorted_half_edges(mesh));
  if (edges.closed()) return;
  throw MeshError(
      fmt::format("the mesh is not closed: {} open edges, {} edges where triangles disagree about "
                  "the outside, {} edges with more than two triangles. A density needs a closed "
                  "mesh; `repair: true` closes small holes",
                  edges.boundary, edges.flipped, edges.non_manifold));
}

}  // namespace

MassProperties mass_properties(const TriangleMesh& mesh) {
  require_closed(mesh);
  const Box3 box = bounds(mesh);
  const Vec3 o = box.centre();
  const Moments m =
      ordered_sum(mesh.triangles.size(), Moments(Moments::Zero()), [&](std::size_t t) {
        return tetrahedron_moments(mesh.corner(t, 0) - o, mesh.corner(t, 1) - o,
                                   mesh.corner(t, 2) - o);
      });

  // Below the rounding of the sum the sign of the volume is noise.
  const double volume = m[0];
  constexpr double noise = 1e-15;
  if (!(std::abs(volume) > noise * std::pow(box.size().norm(), 3)))
    throw MeshError(
        "the mesh is closed but encloses no volume, so it has no centre and no inertia");

  // Move the second moments to the centre, then inertia = trace(S) I - S.
  const Vec3 c = m.segment<3>(1) / volume;
  Mat3 S;
  S << m[4], m[7], m[9],  //
      m[7], m[5], m[8],   //
      m[9], m[8], m[6];
  S -= volume * c * c.transpose();
  return {volume, o + c, S.trace() * Mat3::Identity() - S};
}

}  // namespace hydrolith
