#pragma once
// What can be seen of the state: frames and probes.

#include "particles/model.h"

#include <string>
#include <vector>

namespace hydrolith::particles {

/// `fields` as named in output.fields.
Frame make_frame(const Model& m, const State& s, const std::vector<std::string>& fields);

/// Columns of metrics.csv for the scene's probes, and their values; NaN where there is none.
std::vector<std::string> probe_columns(const Scene& scene);
void read_probes(const Model& m, const State& s, std::vector<double>& values);

/// Memory held by model and state [bytes], for `hydrolith check`.
std::size_t memory_use(const Model& m, const State& s);

}  // namespace hydrolith::particles
