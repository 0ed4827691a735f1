#pragma once
// Rigid bodies: one column per quantity, index = body. Static and kinematic bodies have no mass
// here; their velocity is prescribed.

#include "hydrolith/frame.h"
#include "hydrolith/vec.h"

#include <vector>

namespace hydrolith {

struct RigidBodies {
  // Fixed when built.
  std::vector<BodyKind> kind;
  std::vector<double> mass;   // [kg]      0 unless dynamic
  std::vector<Vec3> inertia;  // [kg m^2]  principal moments
  std::vector<Quat> axes;     // principal axes -> body frame

  // State.
  std::vector<Vec3> x;      // [m]           centre of mass (static, kinematic: shape's origin)
  std::vector<Quat> q;      // body frame -> world
  std::vector<Vec3> v;      // [m/s]
  std::vector<Vec3> omega;  // [rad/s]       world frame; = I^-1 L for dynamic bodies
  std::vector<Vec3> L;      // [kg m^2/s]    angular momentum about x, world frame

  std::size_t size() const { return kind.size(); }
  Pose pose(std::size_t i) const { return {x[i], q[i]}; }
};

/// Mass, principal moments and principal axes of a body.
struct Inertia {
  double mass = 0;               // [kg]
  Vec3 moments = Vec3::Zero();   // [kg m^2]
  Quat axes = Quat::Identity();  // principal axes -> body frame
};
/// Diagonalises an inertia tensor [kg m^2]. The axes stay as close to x, y, z as they can.
Inertia principal_inertia(double mass, const Mat3& tensor);

/// Appends a body at rest and returns its index.
std::size_t add_body(RigidBodies& bodies, BodyKind kind, const Inertia& inertia, const Pose& pose);

/// Sets omega and, for a dynamic body, the angular momentum that goes with it.
void set_angular_velocity(RigidBodies& bodies, std::size_t i, const Vec3& omega);

/// Adds an impulse [N s] and an angular impulse about the centre of mass [N m s].
void apply_impulse(RigidBodies& bodies, std::size_t i, const Vec3& impulse, const Vec3& angular);

/// [1/kg] Speed that a point at `arm` from the centre of mass takes along n per unit of impulse
/// along n there; zero unless the body is dynamic.
double lightness_at(const RigidBodies& bodies, std::size_t i, const Vec3& arm, const Vec3& n);

/// Moves dynamic body i by dt at its present momentum: x += dt v, and the free rotation of
/// `rotate_freely`.
void drift(RigidBodies& bodies, std::size_t i, double dt);

double kinetic_energy(const RigidBodies& bodies, std::size_t i);  // [J]

}  // namespace hydrolith
