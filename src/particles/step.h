#pragma once
// One step of the particle engine.
//
// This version moves everything in free flight: gravity, loads, prescribed motion, emitters and
// outlets act; pressure, contact, friction and viscosity are not solved.

#include "particles/model.h"

namespace hydrolith::particles {

/// The step the scene asks for at this state: fixed, or the CFL condition within its bounds.
double choose_time_step(const Model& m, const State& s);

StepReport step(const Model& m, State& s, double dt);

/// Mass, momentum and energy of everything dynamic, and the fastest speed.
void audit(const Model& m, const State& s, StepReport& report);

}  // namespace hydrolith::particles
