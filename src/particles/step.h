#pragma once
// One step of the particle engine: search, explicit forces, one solve for pressure, contact and
// friction, integration.

#include "contact/contact_step.h"
#include "contact/samples.h"
#include "particles/cell_liquid.h"
#include "particles/cell_viscosity.h"
#include "particles/model.h"
#include "particles/neighbours.h"
#include "particles/solve.h"
#include "particles/void_measure.h"

#include <atomic>
#include <vector>

namespace hydrolith::particles {

/// Seconds spent in the stages of the last step; for benchmarks, nothing depends on them.
struct StageSeconds {
  double sort = 0, find = 0, forces = 0, assemble = 0, contacts = 0, solve = 0, apply = 0,
         audit = 0;
};

/// What a step needs besides model and state; holds nothing that the next step could not compute
/// anew, except memory.
struct Workspace {
  Workspace(const Model& m, const State& s);

  Kernel kernel;
  Samples samples;
  std::vector<char> sample_is_static;
  NeighbourSearch search;
  Neighbours near;
  CellLiquid cells;
  CellViscosity viscosity;
  std::vector<Vec3> under_pressure;  // [m/s] the liquid without viscosity, by last step's pressure
  ContactWorkspace contact;
  System system;
  InterfacePressure interface;
  SolverWorkspace solver;
  Solution solution;
  std::vector<float> diagonal;     // of all particles, while dfsph looks at the inner ones
  std::vector<Vec6> earlier_push;  // [N s], [N m s] on every body before forces act; dfsph only
  State before;                    // for a step that has to be taken back
  VoidMeasure voids;
  double film_force = 0;           // [N] of the last step
  std::vector<std::string> notes;  // what settling has to tell
  bool first = true;
  StageSeconds seconds;
};

/// The step the scene asks for at this state: fixed, or the CFL condition within its bounds.
double choose_time_step(const Model& m, const State& s);

/// Makes the liquid ready around bodies that are held meanwhile. A liquid cut from a lattice is not
/// in balance with the bodies in it: first particles that are too close to walls and bodies are
/// pushed apart without gaining speed, always; then, for as long as the scene's `settle` says, the
/// liquid comes to rest under gravity, its motion strongly damped. On cells this ends as soon as
/// nothing would move any more, and liquid that fills a closed room is made to fit it (`w.notes`).
/// False: it was told to stop, and the state is as before. Throws SimulationError if there is more
/// liquid than room.
bool settle(const Model& m, State& s, Workspace& w, const std::atomic<bool>* stopped = nullptr);

/// Advances by dt, or by less if dt had to be halved. Throws SimulationError, the state being the
/// last good one, when halving does not help.
StepReport step(const Model& m, State& s, Workspace& w, double dt);

/// Mass, momentum and energy of everything dynamic, and the fastest speed.
void audit(const Model& m, const State& s, StepReport& report);

}  // namespace hydrolith::particles
