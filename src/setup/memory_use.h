#pragma once
// How much memory a run needs, before it is tried.

#include "setup/world.h"

#include <cstddef>

namespace hydrolith {

/// [bytes] that a liquid particle costs in a run, all told: its columns, the copy for a step that
/// is taken back, neighbours or cells, the solver's vectors, and what waits for the disk.
double particle_bytes(const Scene& scene);

/// Peak memory [bytes] of a run with so many liquid particles.
std::size_t memory_use(const World& w, std::size_t particles);

}  // namespace hydrolith
