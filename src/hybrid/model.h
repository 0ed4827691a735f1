#pragma once
// The hybrid engine's constant model, its mutable state and the memory of a step.

#include "contact/contact_step.h"
#include "contact/samples.h"
#include "hybrid/coupled_system.h"
#include "hybrid/film_forces.h"
#include "hybrid/fluid_system.h"
#include "hybrid/grid_velocity.h"
#include "hybrid/liquid_particles.h"
#include "hybrid/liquid_surface.h"
#include "hybrid/reseed.h"
#include "hybrid/solid_field.h"
#include "hybrid/sort_particles.h"
#include "hybrid/tile_grid.h"
#include "hybrid/transfer.h"
#include "setup/world.h"

#include <string>
#include <utility>
#include <vector>

namespace hydrolith::hybrid {

/// Fixed when built. `spacing` of the scene is the width of a cell; particles are half that apart.
struct Model : World {
  explicit Model(World&& world) : World(std::move(world)) {}
  bool viscous = false;                    // whether stresses are unknowns
  bool newtonian = true;                   // no viscosity depends on shear
  std::vector<double> density, viscosity;  // per liquid
  std::vector<std::string> remarks;        // for the log
};

/// Everything a run changes; a copy of it is a checkpoint.
struct State : WorldState {
  LiquidParticles liquid;
};

/// Seconds spent in the stages of the last step; for benchmarks, nothing depends on them.
struct StageSeconds {
  double sort = 0, to_grid = 0, solids = 0, surface = 0, assemble = 0, contacts = 0, solve = 0,
         velocity = 0, correct = 0, to_particles = 0, move = 0, audit = 0;
  double total() const {
    return sort + to_grid + solids + surface + assemble + contacts + solve + velocity + correct +
           to_particles + move + audit;
  }
};

/// What a step needs besides model and state; holds nothing that the next step could not compute
/// anew, except memory and the last pressure as a guess.
struct Workspace {
  Workspace(const Model& m, const State& s);

  TileGrid grid;
  ParticleSorter sorter;
  ReseedScratch reseed;
  GridLiquid liquid;
  SolidField solids;
  LiquidSurface surface;
  LiquidMaterial material;
  FluidSystem fluid;
  GridFilm film;
  double film_force = 0;  // [N] of the last step
  CoupledSystem coupled;
  VelocityExtension extension;
  FaceMarks known;
  FaceField u, carry;                 // [m/s] after the solve; with the correction of volume
  std::vector<double> cell_pressure;  // [Pa] of the last step, by cell; 0 without
  std::vector<char> inside;
  std::vector<double> correction, correction_rhs;
  std::vector<double> shear;  // [Pa] shear stress by cell

  Samples samples;
  ContactWorkspace contact;
  ContactSystem contacts;
  StageSeconds seconds;
};

}  // namespace hydrolith::hybrid
