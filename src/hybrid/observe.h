#pragma once
// What can be seen of the state: frames and probes.

#include "hybrid/model.h"

#include <string>
#include <vector>

namespace hydrolith::hybrid {

/// `fields` as named in output.fields.
Frame make_frame(const Model& m, const State& s, const std::vector<std::string>& fields);

/// Values of the scene's probes; NaN where there is none.
void read_probes(const Model& m, const State& s, const Workspace& w, std::vector<double>& values);

}  // namespace hydrolith::hybrid
