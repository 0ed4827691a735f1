#pragma once
// Explicit forces of the liquid, beside the solve and not in it: each adds to the velocities v* of
// Probst & Teschner 2023 eq. 3.16.

#include "particles/model.h"
#include "particles/neighbours.h"

#include <vector>

namespace hydrolith::particles {

/// v += dt g
void apply_gravity(const Model& m, State& s, double dt);

/// Viscosity after Monaghan (2005, eq. 8.10): between particles i, j of volumes V and viscosity eta
///   F_ij = 2 (d + 2) eta V_i V_j (v_ij . x_ij) / (r^2 + 0.01 h^2) grad W_ij,
/// along the line between them, so that linear and angular momentum are kept; with samples of walls
/// and bodies alike (no slip), unless they have BodySpec::slip. Bounded: eta dt / (rho h^2) never
/// counts as more than 0.05, beyond which the explicit update could grow; viscosity_share tells.
void apply_viscosity(const Model& m, State& s, const Samples& samples, const Neighbours& near,
                     double dt);

/// [-] of its viscosity that the thickest liquid has in a step of dt: 1 unless it is bounded.
double viscosity_share(const Model& m, double dt);

bool has_surface_tension(const Model& m);

/// Surface tension after Akinci, Akinci & Teschner (2013): cohesion between particles and a force
/// that makes the surface small.
void apply_surface_tension(const Model& m, State& s, const Neighbours& near, double dt);

}  // namespace hydrolith::particles
