#pragma once
// One step of the hybrid engine (Takahashi & Batty 2022, algorithm 1): particles to grid, one solve
// for pressure, stress, contact and friction, grid to particles, motion.

#include "hydrolith/frame.h"

#include "hybrid/model.h"

namespace hydrolith::hybrid {

/// [cells] that anything may move in a step, whatever solver.max_travel says.
constexpr double most_travel = 6;

Model build_model(const Scene& scene);
State initial_state(const Model& m);

/// The step the scene asks for at this state: fixed, or the CFL condition within its bounds.
double choose_time_step(const Model& m, const State& s);

/// Advances by dt, or by less if dt had to be halved. Throws SimulationError, the state being the
/// last good one, when halving does not help.
StepReport step(const Model& m, State& s, Workspace& w, double dt);

/// Mass, momentum and energy of everything dynamic, and the fastest speed.
void audit(const Model& m, const State& s, StepReport& report);
/// Speed [m/s] of the fastest particle or point of a body; infinite if one is not a number.
double fastest(const Model& m, const State& s);

}  // namespace hydrolith::hybrid
