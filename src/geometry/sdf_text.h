#pragma once
#include "geometry/sdf.h"

namespace hydrolith {

/// Strokes with round ends, reading along +x, up along +y, extruded along z, centred. Exact
/// outside.
SdfPtr sdf_of(const TextShape& shape);

}  // namespace hydrolith
