#pragma once
// Signed distance of machine parts around their own origin.

#include "geometry/sdf.h"

namespace hydrolith {

SdfPtr sdf_of(const ChainLinkShape& shape);  // exact
SdfPtr sdf_of(const GearShape& shape);       // exact but for the bore's rim
SdfPtr sdf_of(const BoltShape& shape);       // bound, exact sign
SdfPtr sdf_of(const NutShape& shape);        // bound, exact sign

}  // namespace hydrolith
