#include "setup/world.h"

#include "core/check.h"
#include "core/memory.h"
#include "geometry/build_mesh.h"
#include "geometry/full_volume.h"
#include "sampling/fill.h"
#include "setup/container.h"
#include "setup/flow.h"
#include "setup/memory_use.h"
#include "setup/unknown_forces.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace hydrolith {

namespace {

/// Rethrows what goes wrong in `build` as a fault at its place in the scene.
template <class F>
auto located(const Scene& scene, const SourceMark& mark, F&& build) {
  try {
    return build();
  } catch (const SceneError&) {
    throw;
  } catch (const Error& e) {
    throw SceneError({{scene.file, mark.line, mark.column, mark.path, e.what()}});
  }
}

/// Samples lie half their spacing inside the surface, so that bodies meet at their true sizes and
/// liquid on the kernel's volumes wets them there.
SurfaceSamples sample(const SolidShape& shape, const Scene& scene) {
  const double h = shape.resolution;
  if (scene.dimensions == 3) require_memory(area(shape.mesh) / (h * h), 600, "body particles", h);
  const SurfaceSampleOptions options{.spacing = h, .inset = 0.5 * h};
  return scene.dimensions == 2 ? sample_outline(shape.outline, options)
                               : sample_surface(shape.mesh, options);
}

/// Liquid k keeps clear of all solids and of the liquids before it.
void fill_liquid(const World& w, std::uint32_t k, const FillOptions& options, Obstacles& taken,
                 const AddParticle& add) {
  const Scene& scene = w.scene;
  const LiquidSpec& spec = scene.liquids[k];
  if (!spec.shape) return;
  const double h = options.spacing;
  const MeshingOptions meshing{.resolution = h, .clip = w.solids.box};
  std::optional<TriangleMesh> full = build_full_mesh(*spec.shape, meshing, scene.dimensions);
  const TriangleMesh region = full ? std::move(*full) : build_mesh(*spec.shape, meshing);
  const Vec3 size = bounds(region).size();
  if (scene.dimensions == 3)
    require_memory(size.prod() / (h * h * h), particle_bytes(scene), "liquid particles", h);
  const Fill fill = fill_region(region, taken, options);
  require(
      !fill.position.empty(),
      "no liquid fits here: the region is smaller than the spacing of {} m or lies inside solids "
      "or other liquids",
      h);
  for (const Vec3& x : fill.position)
    require(
        !scene.domain || scene.domain->contains(x),
        "a part of this liquid lies outside the domain, at [{:.3g}, {:.3g}, {:.3g}] m, and would "
        "vanish at once. Make the domain larger or the liquid smaller",
        x.x(), x.y(), x.z());
  for (std::size_t i = 0; i < fill.position.size(); ++i) {
    const Vec3& x = fill.position[i];
    const double share = fill.share.empty() ? 1 : fill.share[i];
    add(k, x, spec.velocity(x), share * fill.particle_volume);
  }
  taken = [before = std::move(taken), distance = std::make_shared<MeshDistance>(region)](
              const Vec3& x) { return std::min(before(x), distance->signed_distance(x)); };
}

/// In 2D bodies live in the plane z = 0 and turn about z alone, whatever the scene says.
void keep_in_plane(RigidBodies& b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    b.x[i].z() = b.v[i].z() = 0;
    set_angular_velocity(b, i, Vec3(0, 0, b.omega[i].z()));
  }
}

/// A kinematic body moves from the start: its velocity over the first microsecond.
void set_kinematic_velocity(const World& w, WorldState& s, std::size_t i) {
  constexpr double moment = 1e-6;  // [s]
  const MotionSpec& motion = w.scene.bodies[i].motion;
  const MotionProgress progress = advance(motion, {}, 0, moment);
  const Twist twist =
      twist_between(w.start[i], prescribed_pose(motion, w.start[i], progress, moment), moment);
  s.bodies.v[i] = twist.velocity;
  s.bodies.omega[i] = twist.angular_velocity;
}

}  // namespace

World build_world(const Scene& scene, double particle_spacing) {
  Solids solids = build_solids(scene);
  std::vector<SurfaceSamples> samples(solids.shapes.size());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto first = std::find(solids.shape_of.begin(), solids.shape_of.end(), k);
    const SourceMark& mark = scene.bodies[first - solids.shape_of.begin()].mark;
    samples[k] = located(scene, mark, [&] { return sample(solids.shapes[k], scene); });
  }
  Objects objects = describe(scene, solids);
  objects.spacing = particle_spacing;  // not the width of a cell, where there are cells
  World w{.scene = scene,
          .particle_spacing = particle_spacing,
          .finest = scene.spacing,
          .solids = std::move(solids),
          .samples = std::move(samples),
          .reach = {},
          .start = {},
          .emitters = {},
          .outlets = {},
          .friction = FrictionTable(scene),
          .objects = std::move(objects),
          .container = {}};
  for (const SolidShape& shape : w.solids.shapes) {
    w.finest = std::min(w.finest, shape.resolution);
    double reach_sq = 0;
    for (const Vec3& x : shape.mesh.vertices) reach_sq = std::max(reach_sq, x.squaredNorm());
    w.reach.push_back(std::sqrt(reach_sq));
  }
  for (std::size_t i = 0; i < w.solids.bodies.size(); ++i)
    w.start.push_back(w.solids.bodies.pose(i) *
                      Pose{w.solids.shapes[w.solids.shape_of[i]].shape_origin, Quat::Identity()});
  if (scene.dimensions == 2)
    for (Pose& pose : w.start) pose.position.z() = 0;
  for (const EmitterSpec& spec : scene.emitters)
    w.emitters.push_back(
        located(scene, spec.mark, [&] { return build_emitter(scene, spec, particle_spacing); }));
  for (const OutletSpec& spec : scene.outlets)
    w.outlets.push_back(
        located(scene, spec.mark, [&] { return build_outlet(scene, w.solids, spec); }));
  w.container = container_box(w);
  return w;
}

WorldState initial_world_state(const World& w) {
  WorldState s;
  s.bodies = w.solids.bodies;
  s.forces.assign(s.bodies.size(), unknown_forces());
  s.motion.resize(s.bodies.size());
  if (w.scene.dimensions == 2) keep_in_plane(s.bodies);
  s.emitters.resize(w.emitters.size());
  s.outlets.resize(w.outlets.size());
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    if (s.bodies.kind[i] == BodyKind::kinematic) set_kinematic_velocity(w, s, i);
  for (EmitterState& e : s.emitters) e.travelled = w.particle_spacing;  // first layer at once
  return s;
}

void fill_liquids(const World& w, double spacing, double clearance, const AddParticle& add,
                  const Vec3& up) {
  const FillOptions options{
      .spacing = spacing, .clearance = clearance, .dimensions = w.scene.dimensions, .up = up};
  Obstacles taken = obstacles(w.solids, 4 * spacing, w.scene.dimensions);
  for (std::uint32_t k = 0; k < w.scene.liquids.size(); ++k)
    located(w.scene, w.scene.liquids[k].mark, [&] {
      fill_liquid(w, k, options, taken, add);
      return 0;
    });
}

}  // namespace hydrolith
