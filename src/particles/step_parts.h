#pragma once
// The parts that a step is put together from, each named after what it does; for step.cpp and
// settle.cpp.

#include "contact/bodies_step.h"
#include "particles/step.h"

#include <string>

namespace hydrolith::particles {

// --- step.cpp -----------------------------------------------------------------------------------

/// Sorts the liquid, places the samples of the bodies and finds who is near whom.
void find_neighbours(const Model& m, State& s, Workspace& w);

/// One try at a step of dt from a state whose neighbours are known. Without weight the liquid is
/// not accelerated by gravity.
StepReport attempt(const Model& m, State& s, Workspace& w, double dt, bool weightless);

// --- integrate.cpp ------------------------------------------------------------------------------

/// x += dt v (eq. B.1a, B.2a) and the bodies' rotation; kinematic bodies go where they are told.
void integrate(const Model& m, State& s, double dt);

// --- solve_step.cpp -----------------------------------------------------------------------------

SolverOptions solver_options(const SolverSpec& spec);

/// Velocities of the liquid under the solution's pressures; its impulses on walls join those on
/// bodies.
void push_liquid(State& s, Workspace& w);

/// The part of the liquid's system that follows from positions.
void assemble_step(const Model& m, const State& s, Workspace& w, double dt);

/// Viscosity on cells, after gravity, from what the liquid would do under last step's pressure.
ViscosityReport rub_cells(const Model& m, State& s, Workspace& w, double dt, bool weightless);

/// DFSPH (Bender & Koschier 2017): velocities at the start of the step made free of divergence
/// where liquid would be compressed, before any force acts.
SolveReport make_divergence_free(const Model& m, State& s, Workspace& w, double dt);

/// Velocities, contacts and rows; again with a wider margin if the solve has accelerated a body
/// beyond what the list of contacts covers.
SolveReport solve_step(const Model& m, State& s, Workspace& w, double dt);

/// Pressures into the state, velocities of the liquid, forces on the bodies.
void apply_solution(const Model& m, State& s, Workspace& w, double dt);

// --- audit.cpp ----------------------------------------------------------------------------------

/// Speed [m/s] of the fastest particle or point of a body; infinite if one is not a number.
double fastest(const Model& m, const State& s);

/// Names the first thing whose motion is no longer a number, and what to look at.
std::string first_not_finite(const Model& m, const State& s);

}  // namespace hydrolith::particles
