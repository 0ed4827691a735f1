#pragma once
// The particle engine's constant model and its mutable state.

#include "core/motion.h"
#include "geometry/mesh_distance.h"
#include "rigid/motion.h"
#include "sampling/surface.h"
#include "scene/scene.h"
#include "setup/friction.h"
#include "setup/solids.h"

#include <cstdint>
#include <vector>

namespace hydrolith::particles {

/// A flat opening cut into a lattice: one layer of particles is released whenever the last one has
/// moved on by a spacing.
struct Emitter {
  EmitterSpec spec;
  std::uint32_t liquid = 0;    // index into Scene::liquids
  double area = 0;             // [m^2], 2D: [m] times unit depth
  double particle_volume = 0;  // [m^3] = area * spacing / particles a layer
  std::vector<Vec3> layer;     // [m] positions on the opening, world frame
};

struct Outlet {
  OutletSpec spec;
  int liquid = -1;  // index into Scene::liquids; -1 = any
  MeshDistance region;
  Box3 box;          // [m] around the region
  Polygons section;  // 2D
};

/// Fixed when built.
struct Model {
  Scene scene;
  Solids solids;                        // shapes; solids.bodies is the starting state
  std::vector<SurfaceSamples> samples;  // per distinct shape, body frame
  std::vector<double> reach;            // [m] per distinct shape: farthest vertex from its origin
  std::vector<Pose> start;              // per body: pose of the shape's origin at t = 0
  std::vector<Emitter> emitters;
  std::vector<Outlet> outlets;
  FrictionTable friction;
  Objects objects;
};

/// Forces of the last step on one body, split by origin; torques about its centre of mass.
struct BodyForces {
  Wrench pressure, viscosity, contact, friction;  // [N], [N m]
};

/// Everything a run changes; a copy of it is a checkpoint.
struct State {
  double time = 0;  // [s]
  std::int64_t step = 0;

  // Liquid particles, one column per quantity.
  std::vector<Vec3> x, v;             // [m], [m/s]
  std::vector<double> volume;         // [m^3] at rest density
  std::vector<float> pressure;        // [Pa]
  std::vector<std::uint32_t> id;      // stable over the run
  std::vector<std::uint32_t> liquid;  // index into Scene::liquids
  std::uint32_t next_id = 0;

  RigidBodies bodies;
  std::vector<BodyForces> forces;      // per body, of the last step
  std::vector<MotionProgress> motion;  // per body; used by kinematic ones

  /// Contact forces of the last step, the guess for the next; sorted by (sample, other body).
  struct ContactMemory {
    std::vector<std::uint32_t> sample, body;
    std::vector<Vec3> force;   // [N] on the sample's body
    std::vector<Vec3> torque;  // [N m] against turning, likewise; empty if nothing resists it
    std::vector<Vec3> anchor;  // [m] how far it has moved along the other body since it sticks, in
                               // that body's frame; empty unless contacts are anchored
  };
  ContactMemory contacts;

  struct EmitterState {
    double travelled = 0, released = 0;
  };  // [m] since the last layer, [m^3]
  struct OutletState {
    double credit = 0, removed = 0;
  };  // [m^3] it may still take, [m^3]
  std::vector<EmitterState> emitters;
  std::vector<OutletState> outlets;

  std::size_t particles() const { return x.size(); }
};

}  // namespace hydrolith::particles
