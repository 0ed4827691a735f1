#pragma once
// Dividing a length evenly.

#include "hydrolith/vec.h"

#include <vector>

namespace hydrolith {

/// Into how many parts to divide `length` [m] so that each is closest to h: between 0.8 h and
/// 1.2 h wherever that is possible; at least one.
int intervals(double length, double h);

/// Points at even arc length along a polyline: between its ends, or all around if it is closed
/// (first point repeated at the end).
std::vector<Vec3> divide_evenly(const std::vector<Vec3>& points, bool closed, double h);

}  // namespace hydrolith
