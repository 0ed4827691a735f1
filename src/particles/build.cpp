#include "particles/build.h"

#include "core/check.h"
#include "core/memory.h"
#include "geometry/build_mesh.h"
#include "particles/flow.h"
#include "sampling/fill.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace hydrolith::particles {

namespace {

std::uint32_t index_of_liquid(const Scene& scene, const std::string& name) {
  for (std::size_t k = 0; k < scene.liquids.size(); ++k)
    if (scene.liquids[k].name == name) return static_cast<std::uint32_t>(k);
  throw Error(fmt::format("there is no liquid \"{}\"", name));
}

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

/// Samples lie half a spacing inside the surface, so that liquid wets the body at its true size.
SurfaceSamples sample(const SolidShape& shape, const Scene& scene) {
  if (scene.dimensions == 3)
    require_memory(area(shape.mesh) / (scene.spacing * scene.spacing), 600, "body particles",
                   scene.spacing);
  const SurfaceSampleOptions options{.spacing = scene.spacing, .inset = 0.5 * scene.spacing};
  return scene.dimensions == 2 ? sample_outline(shape.outline, options)
                               : sample_surface(shape.mesh, options);
}

Outlet build_outlet(const Scene& scene, const Solids& solids, const OutletSpec& spec) {
  const TriangleMesh mesh =
      build_mesh(spec.shape, {.resolution = scene.spacing, .clip = solids.box});
  Outlet outlet{.spec = spec, .region = MeshDistance(mesh), .box = bounds(mesh), .section = {}};
  if (scene.dimensions == 2) outlet.section = cut_at_z0(mesh);
  if (spec.liquid) outlet.liquid = static_cast<int>(index_of_liquid(scene, *spec.liquid));
  return outlet;
}

/// Liquid k keeps clear of all solids and of the liquids before it.
void fill_liquid(const Model& m, std::uint32_t k, Obstacles& taken, State& s) {
  const Scene& scene = m.scene;
  const LiquidSpec& spec = scene.liquids[k];
  if (!spec.shape) return;
  const double h = scene.spacing;
  const TriangleMesh region = build_mesh(*spec.shape, {.resolution = h, .clip = m.solids.box});
  const Vec3 size = bounds(region).size();
  if (scene.dimensions == 3) require_memory(size.prod() / (h * h * h), 110, "liquid particles", h);
  const Fill fill = fill_region(
      region, taken, {.spacing = h, .clearance = 0.5 * h, .dimensions = scene.dimensions});
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
  for (const Vec3& x : fill.position) add_particle(s, k, x, spec.velocity, fill.particle_volume);
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
void set_kinematic_velocity(const Model& m, State& s, std::size_t i) {
  constexpr double moment = 1e-6;  // [s]
  const MotionSpec& motion = m.scene.bodies[i].motion;
  const MotionProgress progress = advance(motion, {}, 0, moment);
  const Twist twist =
      twist_between(m.start[i], prescribed_pose(motion, m.start[i], progress, moment), moment);
  s.bodies.v[i] = twist.velocity;
  s.bodies.omega[i] = twist.angular_velocity;
}

}  // namespace

Model build_model(const Scene& scene) {
  Solids solids = build_solids(scene);
  std::vector<SurfaceSamples> samples(solids.shapes.size());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto first = std::find(solids.shape_of.begin(), solids.shape_of.end(), k);
    const SourceMark& mark = scene.bodies[first - solids.shape_of.begin()].mark;
    samples[k] = located(scene, mark, [&] { return sample(solids.shapes[k], scene); });
  }
  Objects objects = describe(scene, solids);
  Model m{.scene = scene,
          .solids = std::move(solids),
          .samples = std::move(samples),
          .reach = {},
          .start = {},
          .emitters = {},
          .outlets = {},
          .friction = FrictionTable(scene),
          .objects = std::move(objects)};
  for (const SolidShape& shape : m.solids.shapes) {
    double reach_sq = 0;
    for (const Vec3& x : shape.mesh.vertices) reach_sq = std::max(reach_sq, x.squaredNorm());
    m.reach.push_back(std::sqrt(reach_sq));
  }
  for (std::size_t i = 0; i < m.solids.bodies.size(); ++i)
    m.start.push_back(m.solids.bodies.pose(i) *
                      Pose{m.solids.shapes[m.solids.shape_of[i]].shape_origin, Quat::Identity()});
  if (scene.dimensions == 2)
    for (Pose& pose : m.start) pose.position.z() = 0;
  for (const EmitterSpec& spec : scene.emitters)
    m.emitters.push_back(located(scene, spec.mark, [&] {
      return build_emitter(spec, index_of_liquid(scene, spec.liquid), scene.spacing,
                           scene.dimensions);
    }));
  for (const OutletSpec& spec : scene.outlets)
    m.outlets.push_back(
        located(scene, spec.mark, [&] { return build_outlet(scene, m.solids, spec); }));
  return m;
}

State initial_state(const Model& m) {
  State s;
  s.bodies = m.solids.bodies;
  s.forces.resize(s.bodies.size());
  s.motion.resize(s.bodies.size());
  if (m.scene.dimensions == 2) keep_in_plane(s.bodies);
  s.emitters.resize(m.emitters.size());
  s.outlets.resize(m.outlets.size());
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    if (s.bodies.kind[i] == BodyKind::kinematic) set_kinematic_velocity(m, s, i);
  for (State::EmitterState& e : s.emitters) e.travelled = m.scene.spacing;  // first layer at once
  Obstacles taken = obstacles(m.solids, 4 * m.scene.spacing, m.scene.dimensions);
  for (std::uint32_t k = 0; k < m.scene.liquids.size(); ++k)
    located(m.scene, m.scene.liquids[k].mark, [&] {
      fill_liquid(m, k, taken, s);
      return 0;
    });
  return s;
}

}  // namespace hydrolith::particles
