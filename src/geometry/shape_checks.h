#pragma once
// Conditions between the numbers of one shape. The scene's table checks each number alone.

#include "core/shape.h"

namespace hydrolith {

// Throw MeshError with the numbers and what to change.
void check(const BoxShape& shape);
void check(const SphereShape& shape);
void check(const EllipsoidShape& shape);
void check(const CylinderShape& shape);
void check(const CapsuleShape& shape);
void check(const ConeShape& shape);
void check(const TorusShape& shape);
void check(const WedgeShape& shape);
void check(const PlateShape& shape);
void check(const RoundedBoxShape& shape);
void check(const HalfSpaceShape& shape);
void check(const HeightFieldShape& shape);
void check(const TetrapodShape& shape);
void check(const ChainLinkShape& shape);
void check(const GearShape& shape);
void check(const BoltShape& shape);
void check(const NutShape& shape);
void check(const TextShape& shape);
void check(const DuckShape& shape);
void check_scale(const Vec3& scale);

}  // namespace hydrolith
