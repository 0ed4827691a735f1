#pragma once
// Liquid that comes and goes (setup/flow.h) in the particle engine's columns.

#include "particles/model.h"
#include "setup/flow.h"

namespace hydrolith::particles {

void add_particle(State& s, std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume);

/// Releases the layers that are due now.
void emit(const Model& m, State& s);

/// Removes what is inside an outlet, within its rate, and what has left the domain.
void drain(const Model& m, State& s, double dt);

}  // namespace hydrolith::particles
