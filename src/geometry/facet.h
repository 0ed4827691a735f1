#pragma once
// Shapes whose surface can be laid out directly: exact where they are flat, finely faceted where
// they are curved, with every vertex on the true surface and every sharp edge sharp.

#include "core/shape.h"
#include "geometry/mesh.h"

namespace hydrolith {

/// Segments of a circle [m]: a facet of half a resolution or a chord error below 1 % of the
/// resolution, whichever is coarser, and at least 64 so that volumes are right within 0.5 %.
/// A multiple of 4.
int circle_segments(double radius, double resolution);

// Each around its own origin, without placement; counter-clockwise seen from outside.
TriangleMesh facet(const BoxShape& shape, double resolution);
TriangleMesh facet(const SphereShape& shape, double resolution);
TriangleMesh facet(const EllipsoidShape& shape, double resolution);
TriangleMesh facet(const CylinderShape& shape, double resolution);
TriangleMesh facet(const CapsuleShape& shape, double resolution);
TriangleMesh facet(const ConeShape& shape, double resolution);
TriangleMesh facet(const TorusShape& shape, double resolution);
TriangleMesh facet(const WedgeShape& shape, double resolution);
TriangleMesh facet(const PlateShape& shape, double resolution);
TriangleMesh facet(const RoundedBoxShape& shape, double resolution);
TriangleMesh facet(const HeightFieldShape& shape, double resolution);
TriangleMesh facet(const ChainLinkShape& shape, double resolution);
TriangleMesh facet(const GearShape& shape, double resolution);
TriangleMesh facet(const BoltShape& shape, double resolution);
TriangleMesh facet(const NutShape& shape, double resolution);

/// The part of `clip` on the side of the plane against its normal. Throws MeshError if nothing is.
TriangleMesh facet_half_space(const Vec3& normal, const Vec3& point, const Box3& clip);

}  // namespace hydrolith
