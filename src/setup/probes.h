#pragma once
// Probes: their columns, and the values of those that look at bodies.

#include "setup/world.h"

#include <span>
#include <string>
#include <vector>

namespace hydrolith {

/// Columns of metrics.csv for the scene's probes.
std::vector<std::string> probe_columns(const Scene& scene);

/// Appends the values of a probe of force or pose.
void read_body_probe(const World& w, const WorldState& s, const ProbeSpec& probe,
                     std::vector<double>& values);

/// Height [m] of the liquid above the foot of a probe's line, from the particles x within one
/// spacing of it; zero where there are none. With `highest`, half a particle spacing above the
/// highest. With `filled`, half a particle spacing above the top of the column that stands on the
/// foot: from there upwards, the last particle before a gap of one and a half spacings or more.
/// Drops and spray above the surface are beyond such a gap.
double read_height(const World& w, const ProbeSpec& probe, std::span<const Vec3> x);

}  // namespace hydrolith
