#pragma once
// Viscosity that depends on shear (Herschel & Bulkley 1926): the shear stress is
//   tau = tau_y + K rate^n,   so   eta(rate) = tau_y / rate + K rate^(n - 1),
// K the viscosity, n the flow index and tau_y the yield stress of the scene; n = 1 is Bingham's
// liquid, tau_y = 0 the power law. At rest eta is limited by max_viscosity: below the yield stress
// the liquid creeps that slowly instead of standing still.

#include "hybrid/model.h"

namespace hydrolith::hybrid {

/// eta [Pa s] at a shear rate sqrt(2 D:D) [1/s].
double viscosity_at(const LiquidSpec& liquid, double rate);

/// Viscosities of cells from the velocity gradients that particles carry.
void guess_viscosity(const Model& m, const State& s, Workspace& w);

/// Viscosities of cells from the stresses of the last solve, rate = tau / eta. Returns the largest
/// relative change among cells.
double update_viscosity(const Model& m, const State& s, Workspace& w);

}  // namespace hydrolith::hybrid
