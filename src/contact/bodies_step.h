#pragma once
// What a step does to bodies besides contact and liquid: loads, prescribed motion, positions.

#include "hydrolith/frame.h"

#include "contact/contact_rows.h"
#include "setup/world.h"

#include <string>

namespace hydrolith {

/// v_R*, omega_R* (Probst & Teschner 2023, eq. 3.12): gravity, the scene's loads and what is
/// applied from outside, as impulses.
void accelerate_bodies(const World& w, WorldState& s, double dt);

/// A kinematic body gets the velocities that carry it to its next prescribed pose; a driven one
/// keeps those it was given.
void steer_kinematic(const World& w, WorldState& s, double dt);

/// x += dt v and the bodies' rotation; kinematic bodies go where they are told.
void integrate_bodies(const World& w, WorldState& s, double dt);

/// Masses and velocities as a solve sees them.
void write_bodies(const World& w, const WorldState& s, BodyColumns& b);

/// Speed [m/s] of the fastest point of body i: v plus omega times the farthest vertex.
double body_speed(const World& w, const WorldState& s, std::size_t i);
/// Speed [m/s] of the fastest point of all bodies.
double fastest_body(const World& w, const WorldState& s);

/// Names the first body whose motion is no longer a number, and what to look at; empty: none.
std::string first_body_not_finite(const World& w, const WorldState& s);

/// Adds momentum and energy of all dynamic bodies to the report.
void audit_bodies(const World& w, const WorldState& s, StepReport& report);

}  // namespace hydrolith
