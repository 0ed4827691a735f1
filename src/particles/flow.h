#pragma once
// Liquid that comes and goes: emitters, outlets, and the edge of the domain.

#include "particles/model.h"

namespace hydrolith::particles {

void add_particle(State& s, std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume);

Emitter build_emitter(const EmitterSpec& spec, std::uint32_t liquid, double spacing,
                      int dimensions);

/// Speed [m/s] at which liquid leaves the opening at time t; a rate is spread over the area.
double emitter_speed(const Emitter& emitter, double t);

/// Particles it will have released at time `end` [s], to about a layer.
double expected_particles(const Emitter& emitter, double end);

/// Releases the layers that are due now.
void emit(const Model& m, State& s);
/// What has come through the openings in the step of dt from `start` [s] is due later.
void move_emitters(const Model& m, State& s, double start, double dt);

/// Removes what is inside an outlet, within its rate, and what has left the domain.
void drain(const Model& m, State& s, double dt);

}  // namespace hydrolith::particles
