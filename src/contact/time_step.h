#pragma once
// How long a step may be: the CFL condition, whatever the engine.

#include "setup/world.h"

#include <span>

namespace hydrolith {

/// Liquid particles as the choice of a step sees them.
struct MovingLiquid {
  std::span<const Vec3> x, v;      // [m], [m/s]
  double lone_travel = unlimited;  // [spacings] that one which rules nothing may go in a step
};

/// Speed [m/s] of the fastest particle or point of a body that the step has to follow; what is not
/// a number counts as infinite. A particle does not rule the step
/// - when it is outside the container (setup/container.h), nor
/// - when it flies alone: neither liquid within 2 h + 2 v dt nor the surface of a body within
///   2 h + (v + speed of the body) dt. It meets nothing during a step of dt [s], and its flight is
///   right with any step.
/// Such a particle counts only as far as `lone_travel` demands.
/// Particles slower than `enough` [m/s] are not looked at one by one.
double ruling_speed(const World& w, const WorldState& s, const MovingLiquid& liquid, double dt,
                    double enough);

/// The step [s] the scene asks for: fixed, or the CFL condition within its bounds.
double choose_time_step(const World& w, const WorldState& s, const MovingLiquid& liquid);

}  // namespace hydrolith
