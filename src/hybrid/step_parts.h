#pragma once
// The parts that a step is put together from, each named after what it does; for step.cpp.

#include "hybrid/step.h"

namespace hydrolith::hybrid {

// --- solve_step.cpp -----------------------------------------------------------------------------

/// u* of the grid: particles' velocities and gravity.
void accelerate_liquid(const Model& m, Workspace& w, double dt);
/// The liquid's block of the system.
void assemble_liquid(const Model& m, const State& s, Workspace& w, double dt);
/// Contacts and rows, the one solve, its velocities into bodies and grid; again with a wider margin
/// if it has accelerated a body beyond what the list of contacts covers, and with another viscosity
/// where that depends on shear.
CoupledReport solve_step(const Model& m, State& s, Workspace& w, double dt);

// --- move_liquid.cpp ----------------------------------------------------------------------------

/// Velocities beyond the liquid and inside solids.
void extend_velocity(const Model& m, const State& s, Workspace& w, double dt);
/// A velocity for moving only, `w.carry`, that undoes a part of the errors of density (Kugelstadt
/// et al. 2019).
void correct_volume(const Model& m, Workspace& w, double dt);
/// Velocities and pressure back to the particles, and their motion.
void move_liquid(const Model& m, State& s, Workspace& w, double dt);
/// Particles that are inside a solid now go to its surface.
void keep_out_of_solids(const Model& m, State& s, Workspace& w);
/// Splits and merges particles where cells have few or many.
void thin_and_fill(const Model& m, State& s, Workspace& w);
/// Removes what is inside an outlet and what has left the domain.
void drain(const Model& m, State& s, double dt);
/// Mean compression of the liquid's cells [-].
double compression(const Workspace& w);

}  // namespace hydrolith::hybrid
