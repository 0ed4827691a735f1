#pragma once
// Signed distance of the elementary shapes around their own origin; all exact.

#include "geometry/sdf.h"
#include "geometry/section.h"

namespace hydrolith {

SdfPtr sdf_of(const BoxShape& shape);
SdfPtr sdf_of(const SphereShape& shape);
SdfPtr sdf_of(const EllipsoidShape& shape);
SdfPtr sdf_of(const CylinderShape& shape);
SdfPtr sdf_of(const CapsuleShape& shape);
SdfPtr sdf_of(const ConeShape& shape);
SdfPtr sdf_of(const TorusShape& shape);
SdfPtr sdf_of(const WedgeShape& shape);
SdfPtr sdf_of(const PlateShape& shape);
SdfPtr sdf_of(const RoundedBoxShape& shape);
SdfPtr sdf_of(const HalfSpaceShape& shape);

/// A polygon in (z, x), counter-clockwise about +y, extruded along y over [-height/2, height/2].
SdfPtr sdf_prism(Polygons polygon, double height);

/// Distance of a solid whose cross-section is at distance `across` and which ends `along` away
/// from the point; both negative inside. Exact if both are.
double extruded(double across, double along);

}  // namespace hydrolith
