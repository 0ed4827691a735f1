#pragma once
// Probes: their columns, and the values of those that look at bodies.

#include "setup/world.h"

#include <string>
#include <vector>

namespace hydrolith {

/// Columns of metrics.csv for the scene's probes.
std::vector<std::string> probe_columns(const Scene& scene);

/// Appends the values of a probe of force or pose.
void read_body_probe(const World& w, const WorldState& s, const ProbeSpec& probe,
                     std::vector<double>& values);

}  // namespace hydrolith
