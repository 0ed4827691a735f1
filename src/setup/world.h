#pragma once
// What every engine knows of a scene and what every engine changes; an engine adds its liquid.

#include "core/motion.h"
#include "geometry/mesh_distance.h"
#include "geometry/section.h"
#include "rigid/bodies.h"
#include "rigid/motion.h"
#include "sampling/surface.h"
#include "scene/scene.h"
#include "setup/friction.h"
#include "setup/solids.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace hydrolith {

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
struct World {
  Scene scene;
  double particle_spacing = 0;          // [m] of liquid particles
  double finest = 0;                    // [m] the spacing, or the finest resolution of a body
  Solids solids;                        // shapes; solids.bodies is the starting state
  std::vector<SurfaceSamples> samples;  // per distinct shape, body frame
  std::vector<double> reach;            // [m] per distinct shape: farthest vertex from its origin
  std::vector<Pose> start;              // per body: pose of the shape's origin at t = 0
  std::vector<Emitter> emitters;
  std::vector<Outlet> outlets;
  FrictionTable friction;
  Objects objects;
  std::optional<Box3> container;  // [m] liquid outside has leaked (setup/container.h)
};

/// Contact forces of the last step, the guess for the next; sorted by (sample, other body).
struct ContactMemory {
  std::vector<std::uint32_t> sample, body;
  std::vector<Vec3> force;   // [N] on the sample's body
  std::vector<Vec3> torque;  // [N m] against turning, likewise; empty if nothing resists it
  std::vector<Vec3> anchor;  // [m] how far it has moved along the other body since it sticks, in
                             // that body's frame; empty unless contacts are anchored
};

struct EmitterState {
  double travelled = 0, released = 0;  // [m] since the last layer, [m^3]
};
struct OutletState {
  double credit = 0, removed = 0;  // [m^3] it may still take, [m^3]
};

/// Everything a run changes but the liquid.
struct WorldState {
  double time = 0;  // [s]
  std::int64_t step = 0;
  RigidBodies bodies;
  std::vector<BodyForces> forces;      // per body, of the last step
  std::vector<Wrench> applied;         // per body, from outside, over the next step; empty: none
  std::vector<MotionProgress> motion;  // per body; used by kinematic ones
  ContactMemory contacts;
  std::vector<EmitterState> emitters;
  std::vector<OutletState> outlets;
};

/// Throws SceneError with everything that cannot be built. Emitters release layers
/// `particle_spacing` [m] apart.
World build_world(const Scene& scene, double particle_spacing);
inline World build_world(const Scene& scene) { return build_world(scene, scene.spacing); }

WorldState initial_world_state(const World& world);

/// How an engine takes a new particle: its liquid (index into Scene::liquids), position [m],
/// velocity [m/s] and volume [m^3].
using AddParticle =
    std::function<void(std::uint32_t liquid, const Vec3& x, const Vec3& v, double volume)>;

/// Calls `add` for every particle of the liquids at t = 0, `spacing` [m] apart and at least
/// `clearance` [m] away from solids. A liquid keeps clear of those before it. Towards `up`, an
/// axis, rows follow the surface (sampling/fill.h). Throws SceneError.
void fill_liquids(const World& world, double spacing, double clearance, const AddParticle& add,
                  const Vec3& up = Vec3::Zero());

}  // namespace hydrolith
