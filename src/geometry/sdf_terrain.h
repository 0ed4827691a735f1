#pragma once
#include "geometry/sdf.h"

namespace hydrolith {

/// Bound; exact sign. `resolution` [m] as for facet().
SdfPtr sdf_of(const HeightFieldShape& shape, double resolution);

}  // namespace hydrolith
