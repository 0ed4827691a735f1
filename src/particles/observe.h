#pragma once
// What can be seen of the state: frames and probes.

#include "particles/model.h"
#include "setup/probes.h"

#include <string>
#include <vector>

namespace hydrolith::particles {

/// `fields` as named in output.fields.
Frame make_frame(const Model& m, const State& s, const std::vector<std::string>& fields);

/// Appends the values of the scene's probes (columns: setup/probes.h); NaN where there is none.
void read_probes(const Model& m, const State& s, std::vector<double>& values);

}  // namespace hydrolith::particles
