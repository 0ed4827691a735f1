#pragma once
// Shapes that are made of other shapes.

#include "core/shape.h"

namespace hydrolith {

/// Four tapered legs towards the corners of a tetrahedron, standing on three of them.
Shape tetrapod_recipe(const TetrapodShape& shape);

/// A rubber duck that looks along +x, y up.
Shape duck_recipe(const DuckShape& shape);

}  // namespace hydrolith
