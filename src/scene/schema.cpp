// The top of the table: the scene itself, time, output, probes and expectations.

#include "scene/tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace hydrolith::schema {

namespace {

// --- Lists whose items have names ---------------------------------------------------------------

// Gives names to the nameless and refuses a name that is there already.
template <class S>
void name_items(Reader& reader, const Node& node, std::vector<S>& items, std::string_view prefix) {
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Node* name = node.items[i].find("name");
    if (!name || items[i].name.empty()) continue;
    if (std::find(taken.begin(), taken.end(), items[i].name) != taken.end()) {
      const auto step = reader.enter(i);
      const auto in_name = reader.enter("name");
      reader.fault(*name, fmt::format("the name \"{}\" is taken", shown(items[i].name)));
    }
    taken.push_back(items[i].name);
  }
  int number = 1;
  for (S& item : items) {
    while (item.name.empty()) {
      const std::string name = fmt::format("{}{}", prefix, number++);
      if (std::find(taken.begin(), taken.end(), name) == taken.end()) item.name = name;
    }
  }
}

template <class S>
Field<Scene> named_list(std::string name, std::vector<S> Scene::*member, std::string prefix) {
  Field<Scene> field = key(std::move(name), member);
  field.read = [member, prefix](Reader& r, const Node& n, const KeyInfo& k, Scene& scene) {
    read_value(r, n, k, scene.*member);
    name_items(r, n, scene.*member, prefix);
  };
  return field;
}

// The spacing is a name in all expressions that come after it.
Field<Scene> spacing_key() {
  Field<Scene> field = key("spacing", &Scene::spacing);
  field.read = [](Reader& r, const Node& n, const KeyInfo& k, Scene& scene) {
    read_value(r, n, k, scene.spacing);
    r.names["spacing"] = scene.spacing;
  };
  return field;
}

// --- Checks
// ---------------------------------------------------------------------------------------

void check_time_step(Reader& reader, const Node& node, TimeStepSpec& step) {
  step.adaptive = node.kind == Node::map && !node.find("fixed");
  if (node.kind != Node::map) return;
  for (const std::string_view key : {"cfl", "min", "max"})
    if (node.find("fixed") && node.find(key))
      reader.fault(node, key, "a fixed time step has no bounds; leave out fixed or this key");
  if (!step.max) return;
  if (!node.find("min")) step.min = std::min(step.min, *step.max);
  if (reader.sound && step.min > *step.max)
    reader.fault(
        node, "min",
        fmt::format("must be at most max ({:.6g} s), but is {:.6g} s", *step.max, step.min));
}

void check_expect(Reader& reader, const Node& node, ExpectSpec& expect) {
  if (node.kind != Node::map) return;
  const bool bounds = node.find("above") || node.find("below");
  if (!node.find("equals") && !bounds)
    reader.fault(node, "give what is expected: equals with margin, above or below");
  if (node.find("equals") && !node.find("margin"))
    reader.fault(node, "margin", "this key is required with equals");
  if (node.find("margin") && !node.find("equals"))
    reader.fault(node, "margin", "a margin belongs to equals");
  if (reader.sound && expect.above && expect.below && *expect.above > *expect.below)
    reader.fault(node, "below",
                 fmt::format("must be at least above ({:.6g}), but is {:.6g}", *expect.above,
                             *expect.below));
  if (!node.find("time")) return;
  if (node.find("when")) reader.fault(node, "when", "give either when or time, not both");
  expect.when = ExpectWhen::at;
}

void check_probe(Reader&, const Node& node, ProbeSpec& probe) {
  if (node.find("height")) probe.kind = ProbeKind::height;
}

// A liquid without a shape must be fed; an emitter that names no liquid has had its fault.
void check_fed(Reader& reader, const Scene& scene) {
  std::vector<std::string> known, fed;
  for (const LiquidSpec& liquid : scene.liquids) known.push_back(liquid.name);
  for (const EmitterSpec& emitter : scene.emitters) fed.push_back(emitter.liquid);
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : fed)
    if (!has(known, name)) return;
  for (const LiquidSpec& liquid : scene.liquids)
    if (!liquid.shape && !has(fed, liquid.name))
      reader.fault(liquid.mark, "this liquid is nowhere: give it a shape, or an emitter");
}

/// Only the default solver of the particles has rows for turning.
void check_turning(Reader& reader, const Node& node, const Scene& scene) {
  const SolverSpec& solver = scene.solver;
  if (scene.engine == EngineKind::particles && solver.coupling == Coupling::monolithic &&
      solver.method == SolverMethod::automatic)
    return;
  const auto needs = [](const auto& spec) {
    if (spec.torsional_friction.value_or(0) > 0) return "torsional_friction";
    return spec.rolling_friction.value_or(0) > 0 ? "rolling_friction" : "";
  };
  std::string key;
  for (const auto& [name, material] : scene.materials) key = key.empty() ? needs(material) : key;
  for (const FrictionPairSpec& pair : scene.friction) key = key.empty() ? needs(pair) : key;
  for (const BodySpec& body : scene.bodies) key = key.empty() ? needs(body) : key;
  if (!key.empty())
    reader.fault(
        node, "solver",
        fmt::format("only the engine `particles`, with `coupling: monolithic` and `method: "
                    "automatic`, can do {}",
                    key));
}

/// What one engine has and the other has not.
void check_engine(Reader& reader, const Node& node, const Scene& scene) {
  if (scene.engine == EngineKind::particles) {
    for (const LiquidSpec& liquid : scene.liquids)
      if (!liquid.is_newtonian())
        reader.fault(liquid.mark,
                     "flow_index and yield_stress need `engine: hybrid`; the particles know only "
                     "one viscosity");
    return;
  }
  for (const LiquidSpec& liquid : scene.liquids)
    if (liquid.surface_tension > 0)
      reader.fault(liquid.mark,
                   "the engine `hybrid` has no surface tension; leave it out or use "
                   "`engine: particles`");
  if (scene.solver.coupling != Coupling::monolithic)
    reader.fault(node, "solver",
                 "weak and interlinked coupling belong to `engine: particles`; the hybrid engine "
                 "has `hybrid: {coupling: unified | iterative}`");
  for (const BodySpec& body : scene.bodies)
    if (body.slip)
      reader.fault(
          body.mark,
          "slip belongs to `engine: particles`: viscous liquid of the hybrid engine sticks "
          "to every solid");
  if (scene.solver.anchor)
    reader.fault(node, "solver", "anchored contacts belong to `engine: particles`");
  const auto has_grain = [](const auto& spec) { return spec.grain.has_value(); };
  bool grain = std::any_of(scene.bodies.begin(), scene.bodies.end(), has_grain);
  for (const auto& [name, material] : scene.materials) grain = grain || has_grain(material);
  if (grain) reader.fault(node, "engine", "friction with a grain belongs to `engine: particles`");
}

void check_solver(Reader& reader, const Node& node, SolverSpec& s) {
  if (!reader.sound) return;
  if (s.min_iterations > s.max_iterations)
    reader.fault(node, "min_iterations",
                 fmt::format("must be at most max_iterations ({}), but is {}", s.max_iterations,
                             s.min_iterations));
  if (s.volumes == VolumeMeasure::cells && s.boundary != BoundaryPressure::balanced)
    reader.fault(node, "boundary",
                 "belongs to `volumes: kernel`; cells are cut by the true surfaces of solids");
  else if (s.volumes == VolumeMeasure::cells && !s.uses_cells())
    reader.fault(node, "volumes",
                 "cells belong to `coupling: monolithic` with `method: automatic`; the papers' "
                 "solvers know the kernel's volumes alone");
  if (s.coupling == Coupling::monolithic) {
    if (s.boundary == BoundaryPressure::mirrored || s.boundary == BoundaryPressure::mls)
      reader.fault(
          node, "boundary",
          "walls with a pressure of their own make the system unsymmetric, which "
          "`coupling: monolithic` cannot solve; use balanced or zero, or another coupling");
    return;
  }
  if (s.method != SolverMethod::automatic)
    reader.fault(node, "method",
                 "belongs to `coupling: monolithic`; the others choose theirs with `liquid`");
  if (s.anchor)
    reader.fault(node, "anchor", "needs the implicit friction of `coupling: monolithic`");
}

/// Surface tension is made for the kernel's volumes: cells are squeezed by a tenth.
void choose_volumes(Scene& scene) {
  const bool tension = std::any_of(scene.liquids.begin(), scene.liquids.end(),
                                   [](const LiquidSpec& l) { return l.surface_tension > 0; });
  if (tension && scene.solver.volumes == VolumeMeasure::automatic)
    scene.solver.volumes = VolumeMeasure::kernel;
}

/// Samples that bound liquid or meet each other by their volumes are as far apart as particles.
void check_resolution(Reader& reader, const Scene& scene) {
  if (scene.engine == EngineKind::hybrid && scene.solver.contact != ContactMeasure::volumes) return;
  for (const BodySpec& body : scene.bodies) {
    if (!body.resolution) continue;
    if (*body.resolution > scene.spacing)
      reader.fault(body.mark,
                   fmt::format("resolution must be at most the spacing ({:g} m), but is {:g} m: "
                               "coarser surfaces would not be seen by what looks for voids in the "
                               "liquid around bodies",
                               scene.spacing, *body.resolution));
    else if (scene.solver.contact == ContactMeasure::volumes)
      reader.fault(body.mark,
                   "`contact: volumes` measures all bodies with one kernel, as wide as the "
                   "liquid's. Leave out resolution, or use `contact: distance`");
    else if (!scene.liquids.empty() && !scene.solver.uses_cells())
      reader.fault(body.mark,
                   "with `volumes: kernel` the points of a body's surface are the liquid's "
                   "boundary, as far apart as its particles. Leave out resolution, or use "
                   "`volumes: cells`");
  }
}

void check_scene(Reader& reader, const Node& node, Scene& scene) {
  choose_volumes(scene);
  check_fed(reader, scene);
  if (reader.sound) check_resolution(reader, scene);
  if (reader.sound) check_turning(reader, node, scene);
  if (reader.sound) check_engine(reader, node, scene);
  if (!reader.sound || scene.time_step.adaptive || !node.find("duration")) return;
  if (scene.time_step.fixed > scene.duration && scene.duration > 0)
    reader.fault(node, "time_step", "must be at most the duration");
}

const Object<ProbeSpec>& height_table() {
  static const Object<ProbeSpec> object{
      {"probes.height", "A line along which the height of the liquid is measured.", ""},
      {key("at", &ProbeSpec::at).unit("m").required().says("Foot of the line."),
       key("direction", &ProbeSpec::direction)
           .as(Type::direction)
           .otherwise("up")
           .says("Direction of the line."),
       key("reading", &ProbeSpec::reading)
           .says("Where the liquid ends. `filled`: from the foot upwards, the last particle within "
                 "one spacing of the line before a gap of one and a half spacings; put the foot on "
                 "the floor or into the liquid. `highest`: the highest particle, be it a drop.")}};
  return object;
}

}  // namespace

template <>
const Object<TimeStepSpec>& table<TimeStepSpec>() {
  static const Object<TimeStepSpec> object{
      {"time_step", "A fixed time step, or one that follows the fastest particle between bounds.",
       "time_step: {cfl: 0.4, max: 2 ms}"},
      {key("fixed", &TimeStepSpec::fixed)
           .unit("s")
           .positive()
           .shorthand()
           .otherwise("adaptive")
           .says("Fixed time step; `time_step: 1 ms` says the same."),
       key("cfl", &TimeStepSpec::cfl)
           .positive()
           .says("Distance the fastest particle may go in a step, in spacings."),
       key("min", &TimeStepSpec::min).unit("s").positive().says("Shortest step."),
       key("max", &TimeStepSpec::max)
           .unit("s")
           .positive()
           .otherwise("5 ms, or less for small particles")
           .says("Longest step. By itself it is 5 ms, with the engine `particles` at most "
                 "0.09 sqrt(spacing / gravity), 4 ms at a spacing of 20 mm: longer ones compress "
                 "the liquid. Liquid deeper than 60 layers of particles wants at most "
                 "0.7 spacing / sqrt(gravity * depth).")},
      check_time_step};
  return object;
}

template <>
const Object<SolverSpec>& table<SolverSpec>() {
  static const Object<SolverSpec> object{
      {"solver", "How pressure, contact and friction of a step are solved (docs/solver.md).",
       "solver: {tolerance: 1e-4, max_iterations: 200}"},
      {key("coupling", &SolverSpec::coupling)
           .says("How liquid and bodies are solved: in one system; as two solvers that inform each "
                 "other in every iteration (Gissler 2019); or bodies after the liquid (Akinci "
                 "2012)."),
       key("liquid", &SolverSpec::liquid)
           .says("The liquid's solver in weak and interlinked coupling."),
       key("volume_tolerance", &SolverSpec::volume_tolerance)
           .positive()
           .below(1)
           .says(
               "Mean compression of the liquid, and approach of bodies in spacings, at which weak "
               "and interlinked coupling stop."),
       key("method", &SolverSpec::method)
           .says("The solver of the one system; all lead to the same solution, `automatic` "
                 "fastest."),
       key("tolerance", &SolverSpec::tolerance)
           .positive()
           .below(1)
           .says("Mean residual to reach, for the liquid and for contacts."),
       key("velocity_tolerance", &SolverSpec::velocity_tolerance)
           .positive()
           .says("Error of the liquid's velocities to reach, in units of gravity times the step "
                 "(`automatic` only)."),
       key("min_iterations", &SolverSpec::min_iterations).at_least(0).says("At least so many."),
       key("max_iterations", &SolverSpec::max_iterations)
           .at_least(1)
           .says("At most so many; reaching it is reported."),
       key("relaxation", &SolverSpec::relaxation)
           .positive()
           .below(1)
           .says("Relaxation of `jacobi`, `nncg`, `iisph` and `dfsph`."),
       key("volumes", &SolverSpec::volumes)
           .says("What the volume of a particle is: its Voronoi cell, cut by the true surfaces of "
                 "solids (bodies move as they should), or the kernel's number density (faster, "
                 "and what the papers do). `automatic`: cells, unless `coupling`, `method` or "
                 "`boundary` asks for a method of the papers, or a liquid has surface "
                 "tension."),
       key("volume_rate", &SolverSpec::volume_rate)
           .at_least(0)
           .says(
               "Cells: rate at which errors of volume are undone, in units of sqrt(g / spacing)."),
       key("smoothing", &SolverSpec::smoothing)
           .at_least(0)
           .says(
               "Cells: rate at which what is rough in the velocities of a flow, linear fields left "
               "alone, is smoothed, in units of sqrt(g / spacing); at rest four times as fast, in "
               "3D twice as fast again."),
       key("spring", &SolverSpec::spring)
           .at_least(0)
           .says("Cells: stiffness that draws particles to the centroids of their cells where the "
                 "liquid is calm, in units of g / spacing."),
       key("shift", &SolverSpec::shift)
           .at_least(0)
           .says("Cells: rate at which positions alone go there, in units of sqrt(g / spacing)."),
       key("calm_strain", &SolverSpec::calm_strain)
           .positive()
           .says("Cells: rate of strain beyond which liquid is not calm but flows, in units of "
                 "sqrt(g / spacing)."),
       key("flow_shift", &SolverSpec::flow_shift)
           .at_least(0)
           .says("Cells: where the flow strains more than that, positions go so much of the way to "
                 "the centroids per unit of strain."),
       key("boundary", &SolverSpec::boundary)
           .says("How walls and bodies push on liquid: balanced (pressure beside them is right), "
                 "with zero pressure of their own (Probst 2023), that of the particle they meet "
                 "(Akinci 2012) or one extrapolated by moving least squares (Band 2018)."),
       key("contact", &SolverSpec::contact)
           .says("How the gap between bodies is measured: by distance (bodies meet at their true "
                 "sizes) or by particle volumes."),
       key("gamma", &SolverSpec::gamma)
           .positive()
           .below(1)
           .says("Contact by volumes: share of its own samples in a particle's rest volume."),
       key("uniform_gap", &SolverSpec::uniform_gap)
           .says("Contact by volumes: the same gap at corners, edges and faces."),
       key("correction", &SolverSpec::correction)
           .at_least(0)
           .says("Part of an overlap of bodies undone in one step."),
       key("correction_speed", &SolverSpec::correction_speed)
           .unit("m/s")
           .positive()
           .says("Overlaps and compression are undone no faster than this."),
       key("anchor", &SolverSpec::anchor)
           .says("Contacts that stick return to where they began to, so that nothing creeps."),
       key("max_travel", &SolverSpec::max_travel)
           .positive()
           .says("Spacings anything may move in a step; a step with more is taken back and tried "
                 "in halves."),
       key("max_overlap", &SolverSpec::max_overlap)
           .positive()
           .says("Overlap of bodies, in spacings, beyond which a step is taken back.")},
      check_solver};
  return object;
}

template <>
const Object<HybridSpec>& table<HybridSpec>() {
  static const Object<HybridSpec> object{
      {"hybrid", "Settings of the engine `hybrid` (docs/hybrid.md); without effect on others.",
       "engine: hybrid\nhybrid: {tolerance: 1e-8, friction: pyramid}"},
      {key("tolerance", &HybridSpec::tolerance)
           .positive()
           .below(1)
           .says("Residual to reach, relative to the right-hand side."),
       key("max_iterations", &HybridSpec::max_iterations)
           .at_least(1)
           .says("At most so many in a solve; reaching it is reported."),
       key("coupling", &HybridSpec::coupling)
           .says("Liquid and contacts as one system, or in turn until they agree."),
       key("max_sweeps", &HybridSpec::max_sweeps)
           .at_least(1)
           .says("Turns of `iterative`, at most."),
       key("friction", &HybridSpec::friction)
           .says("Bounds on friction: the exact cone, or a pyramid along two fixed tangents."),
       key("friction_solve", &HybridSpec::friction_solve)
           .says("Normal forces and friction in one solve with the bounds of the solve before, or "
                 "one after the other (staggered projections)."),
       key("friction_solves", &HybridSpec::friction_solves)
           .at_least(1)
           .says("Solves a step for the bounds on friction, at most."),
       key("friction_tolerance", &HybridSpec::friction_tolerance)
           .positive()
           .says("Error of the bounds on friction, relative to their sum, that is small enough."),
       key("viscosity", &HybridSpec::viscosity)
           .says("Whether viscous stresses are solved for: where the grid can see them (viscosity "
                 "times step above a thousandth of density times spacing squared), always, or "
                 "never."),
       key("viscosity_solves", &HybridSpec::viscosity_solves)
           .at_least(1)
           .says("Solves a step for viscosities that depend on shear, at most."),
       key("viscosity_tolerance", &HybridSpec::viscosity_tolerance)
           .positive()
           .says("Relative change of such a viscosity that is small enough."),
       key("volume_correction", &HybridSpec::volume_correction)
           .between(0, 1)
           .says("Part of an error of the liquid's density that is undone in a step by moving "
                 "particles; 0 is off."),
       key("reseed", &HybridSpec::reseed)
           .says("Splits and merges particles where a cell has few or many.")}};
  return object;
}

template <>
const Object<Box3>& table<Box3>() {
  static const Object<Box3> object{
      {"domain",
       "The part of space that is simulated. Liquid that leaves it is removed; unbounded "
       "shapes end there.",
       "domain: {min: [-2, -1, -2], max: [2, 3, 2]}"},
      {key("min", &Box3::lo).unit("m").required().says("Lowest corner."),
       key("max", &Box3::hi).unit("m").required().says("Highest corner.")},
      [](Reader& reader, const Node& node, Box3& box) {
        if (!reader.sound) return;
        if (reader.two_d() && box.lo.z() == box.hi.z()) box.lo.z() = -0.5, box.hi.z() = 0.5;
        for (int i = 0; i < 3; ++i)
          if (box.lo[i] >= box.hi[i])
            return reader.fault(node, "max",
                                fmt::format("must be greater than min along {} ({:.6g} m), but is "
                                            "{:.6g} m",
                                            "xyz"[i], box.lo[i], box.hi[i]));
      }};
  return object;
}

template <>
const Object<OutputSpec>& table<OutputSpec>() {
  using Words = std::vector<std::string>;
  static const Object<OutputSpec> object{
      {"output", "What a run writes.",
       "output: {frame_rate: 50, formats: [hdf5, vtk], fields: [velocity, pressure, density]}"},
      {key("frame_rate", &OutputSpec::frame_rate)
           .unit("1/s")
           .positive()
           .says("Frames per second of simulated time."),
       key<OutputSpec, Words>(
           "formats",
           +[](OutputSpec& o, const Words& words) {
             const auto has = [&](std::string_view w) {
               return std::find(words.begin(), words.end(), w) != words.end();
             };
             o.hdf5 = has("hdf5"), o.vtk = has("vtk"), o.ply = has("ply");
           },
           +[](const OutputSpec& o) {
             Words words;
             if (o.hdf5) words.push_back("hdf5");
             if (o.vtk) words.push_back("vtk");
             if (o.ply) words.push_back("ply");
             return words;
           })
           .among({"hdf5", "vtk", "ply"})
           .says("Formats of the frames; `hydrolith render` needs hdf5."),
       key("fields", &OutputSpec::fields)
           .among({"velocity", "pressure", "density", "volume"})
           .says("Quantities written for every liquid particle."),
       key("compression", &OutputSpec::compression).between(0, 9).says("0 is none, 9 smallest."),
       key("metrics_every", &OutputSpec::metrics_every)
           .unit("s")
           .at_least(0)
           .says("Time between lines of metrics.csv; 0 is every step."),
       key("checkpoint_every", &OutputSpec::checkpoint_every)
           .unit("s")
           .at_least(0)
           .says("Wall time between checkpoints, for `hydrolith resume`; 0 is only at the end of a "
                 "run and at Ctrl-C."),
       key("checkpoint_steps", &OutputSpec::checkpoint_steps)
           .at_least(0)
           .says("A checkpoint after every so many steps besides; 0 is none.")},
      [](Reader& reader, const Node& node, OutputSpec& output) {
        const Node* formats = node.find("formats");
        const bool none = formats && formats->items.empty() && formats->kind != Node::scalar;
        if (reader.sound && none && !output.hdf5 && !output.vtk && !output.ply)
          reader.fault(node, "formats", "at least one of hdf5, vtk, ply is needed");
      }};
  return object;
}

template <>
const Object<Camera>& table<Camera>() {
  static const Object<Camera> object{
      {"picture.camera", "Where pictures are taken from.",
       "picture: {camera: {from: [3, 2, 4], to: [0, 0.5, 0]}}"},
      {key("from", &Camera::from).unit("m").required().says("Position of the camera."),
       key("to", &Camera::to).unit("m").required().says("The point it looks at."),
       key("field_of_view", &Camera::field_of_view)
           .unit("deg")
           .between(1, 170)
           .says("Vertical angle of view.")},
      [](Reader& reader, const Node& node, Camera& camera) {
        if (reader.sound && camera.from == camera.to)
          reader.fault(node, "to", "must be another point than from");
      }};
  return object;
}

template <>
const Object<PictureSpec>& table<PictureSpec>() {
  static const Object<PictureSpec> object{
      {"picture", "How `hydrolith render` shows the scene.", "picture: {colour_by: pressure}"},
      {key("camera", &PictureSpec::camera).otherwise("found by itself").says("The camera."),
       key("colour_by", &PictureSpec::colour_by)
           .among({"speed", "pressure", "body"})
           .says("What the colour of liquid particles shows.")}};
  return object;
}

template <>
const Object<ProbeSpec>& table<ProbeSpec>() {
  static const Object<ProbeSpec> object{
      {"probes",
       "Quantities measured during the run, as columns of metrics.csv.",
       "bodies: [{name: ship, shape: {box: [1, 1, 1]}}]\nprobes:\n  - {name: drag, force: ship}\n"
       "  - {name: wall, pressure: [1, 0.1, 0]}\n  - {name: gauge, height: {at: [0.5, 0, 0]}}\n"
       "  - {name: path, pose: ship}",
       {},
       -1,
       {"force", "pressure", "height", "pose"}},
      {key("name", &ProbeSpec::name).as(Type::name).required().says("Name of its columns."),
       key<ProbeSpec, std::string>(
           "force",
           +[](ProbeSpec& p, const std::string& body) { p.kind = ProbeKind::force, p.body = body; })
           .refers_to(Refers::body)
           .says("Force and torque on this body, by cause."),
       key<ProbeSpec, Vec3>(
           "pressure",
           +[](ProbeSpec& p, const Vec3& at) { p.kind = ProbeKind::pressure, p.at = at; })
           .unit("m")
           .says("Pressure of the liquid at this point."),
       part<height_table>("height").says("Height of the liquid along this line."),
       key<ProbeSpec, std::string>(
           "pose",
           +[](ProbeSpec& p, const std::string& body) { p.kind = ProbeKind::pose, p.body = body; })
           .refers_to(Refers::body)
           .says("Position and rotation of this body.")},
      check_probe};
  return object;
}

template <>
const Object<ExpectSpec>& table<ExpectSpec>() {
  const std::string any(any_unit);
  static const Object<ExpectSpec> object{
      {"expect", "What must come out; `hydrolith run --verify` checks it at the end.",
       "expect:\n  - {metric: volume_error, when: max, below: 0.01}\n"
       "  - {metric: kinetic_energy, equals: 0, margin: 1e-3}"},
      {key("metric", &ExpectSpec::metric).required().says("A column of metrics.csv."),
       key("when", &ExpectSpec::when)
           .says("The last value, one over the whole run, or (always) every value."),
       key("time", &ExpectSpec::time)
           .unit("s")
           .at_least(0)
           .otherwise("none")
           .says("The value at this time, in place of `when`."),
       key("equals", &ExpectSpec::equals).unit(any).says("The value, within margin."),
       key("margin", &ExpectSpec::margin)
           .unit(any)
           .at_least(0)
           .otherwise("none")
           .says("Allowed difference to equals."),
       key("above", &ExpectSpec::above).unit(any).says("Lower bound, itself allowed."),
       key("below", &ExpectSpec::below).unit(any).says("Upper bound, itself allowed.")},
      check_expect};
  return object;
}

template <>
const Object<Scene>& table<Scene>() {
  static const Object<Scene> object{
      {"scene", "The file itself.",
       "name: Dam break\nspacing: 4 cm\nduration: 2\nliquids:\n"
       "  - {shape: {box: [0.5, 1, 0.5], at: [-0.7, 0.5, 0]}}\nbodies:\n"
       "  - {shape: {box: [2, 2, 0.5], at: [0, 1, 0], inside_out: true}, kind: static}"},
      {key("name", &Scene::name).otherwise("the file's name").says("Title of the scene."),
       key("description", &Scene::description).says("What it shows, in a sentence or two."),
       key("dimensions", &Scene::dimensions)
           .between(2, 3)
           .says("3, or 2 for a slice of unit depth in the xy plane."),
       key("engine", &Scene::engine).says("The method of simulation."),
       read_by<std::map<std::string, double>, Scene>(
           "parameters", [](Reader& r, const Node& n, Scene&) { read_parameters(r, n); })
           .unit(std::string(any_unit))
           .says("Names for numbers, for use in every expression below and with `--set`."),
       spacing_key().unit("m").positive().says(
           "Distance between particles; of the engine `hybrid` the width of a cell, which holds "
           "two particles along each axis."),
       key("gravity", &Scene::gravity)
           .as(Type::gravity)
           .unit("m/s^2")
           .says("Acceleration of everything; a number points down (-y)."),
       key("duration", &Scene::duration).unit("s").positive().says("Simulated time."),
       key("settle", &Scene::settle)
           .unit("s")
           .at_least(0)
           .says("Before the start the liquid comes to rest for so long, with all bodies held and "
                 "its "
                 "motion damped."),
       key("time_step", &Scene::time_step).otherwise("adaptive").says("Fixed or adaptive."),
       key("solver", &Scene::solver).otherwise("its defaults").says("When the solver may stop."),
       key("hybrid", &Scene::hybrid)
           .otherwise("its defaults")
           .says("Settings of the engine `hybrid`."),
       key("domain", &Scene::domain)
           .otherwise("found by itself")
           .says("The part of space simulated."),
       key("materials", &Scene::materials).says("Named materials of bodies."),
       key("friction", &Scene::friction).says("Friction between pairs of materials."),
       named_list("liquids", &Scene::liquids, "liquid").says("Liquids."),
       named_list("emitters", &Scene::emitters, "emitter").says("Where liquid enters."),
       named_list("outlets", &Scene::outlets, "outlet").says("Where liquid leaves."),
       read_by<std::vector<BodySpec>, Scene>(
           "bodies", [](Reader& r, const Node& n, Scene&) { read_bodies(r, n); })
           .or_a<GroupPart>()
           .says("Rigid bodies and groups of them."),
       named_list("probes", &Scene::probes, "probe").says("What is measured."),
       key("output", &Scene::output).otherwise("its defaults").says("What is written."),
       key("picture", &Scene::picture).otherwise("its defaults").says("How it is shown."),
       key("expect", &Scene::expect).says("What must come out.")},
      check_scene};
  return object;
}

}  // namespace hydrolith::schema
