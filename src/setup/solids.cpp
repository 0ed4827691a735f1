#include "setup/solids.h"

#include "core/check.h"
#include "geometry/build_mesh.h"
#include "geometry/full_volume.h"
#include "geometry/mass_properties.h"
#include "geometry/simplify.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace hydrolith {

namespace {

/// Corners of a box under a pose.
Box3 moved(const Box3& box, const Pose& pose) {
  Box3 result;
  for (int c = 0; c < 8; ++c)
    result.include(pose * Vec3(c & 1 ? box.hi.x() : box.lo.x(), c & 2 ? box.hi.y() : box.lo.y(),
                               c & 4 ? box.hi.z() : box.lo.z()));
  return result;
}

/// The shape as the body has it. An unbounded one is cut in the world, so its pose goes into it.
Shape shape_to_mesh(const BodySpec& body) {
  Shape shape = body.shape;
  if (is_bounded(shape)) return shape;
  shape.at = body.pose * shape.at;
  shape.rotate = body.pose.orientation * shape.rotate;
  return shape;
}

/// Collects the faults of all bodies, each at its place in the file.
struct Faults {
  const Scene& scene;
  std::vector<Diagnostic> all;
  void add(const SourceMark& mark, std::string message) {
    Diagnostic d{scene.file, mark.line, mark.column, mark.path, std::move(message)};
    const auto same = [&](const Diagnostic& o) { return o.text() == d.text(); };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(d));
  }
};

/// Mass properties of the shape at density 1 and the centre of mass.
Vec3 measure(SolidShape& s, int dimensions) {
  if (dimensions == 3) {
    const MassProperties m = mass_properties(s.mesh_to_cut_by());
    s.volume = m.volume;
    s.unit_inertia = m.inertia;
    return m.centre;
  }
  const SectionProperties p = section_properties(s.outline_to_cut_by());
  s.volume = p.area;
  s.unit_inertia = Vec3::Constant(p.polar_moment).asDiagonal();  // 2D turns about z only
  return {p.centre.x(), p.centre.y(), 0};
}

void shift(SolidShape& s, const Vec3& by) {
  for (TriangleMesh* mesh : {&s.mesh, &s.cut})
    for (Vec3& x : mesh->vertices) x += by;
  for (Polygons* outline : {&s.outline, &s.cut_outline})
    for (auto& loop : outline->loops)
      for (Vec2& x : loop) x += by.head<2>();
  s.shape_origin += by;
}

std::string no_mass_reason(const SolidShape& s) {
  if (s.container)
    return "a shape turned inside out has no mass. Set kind: static or kinematic, or leave out "
           "inside_out";
  if (!is_closed(s.mesh))
    return fmt::format(
        "the mesh is open ({}), so it has no volume and neither density nor mass can be used. "
        "Close "
        "it, let `mesh: {{repair: true}}` close it, or set kind: static",
        describe_defects(s.mesh));
  return {};
}

double resolution_of(const BodySpec& body, const Scene& scene) {
  return body.resolution.value_or(scene.spacing);
}

/// [spacings] by which cells may be cut beside the true surface: half of how near particles come.
/// Of finer bodies the same part of their resolution.
constexpr double cut_tolerance = 0.01;

/// Meshes one shape and moves it to its body frame.
SolidShape build_shape(const BodySpec& body, const Shape& source, const Box3& clip,
                       const Scene& scene, std::vector<std::string>& notes) {
  MeshReport report;
  const double resolution = resolution_of(body, scene);
  TriangleMesh mesh = build_mesh(source, {.resolution = resolution, .clip = clip}, &report);
  if (std::holds_alternative<MeshShape>(source.kind))
    notes.push_back(fmt::format("{}: {}", body.mark.path, report.summary()));
  SolidShape s{.source = source,
               .kind = body.kind,
               .resolution = resolution,
               .mesh = std::move(mesh),
               .outline = {},
               .cut = {},
               .cut_outline = {},
               .container = source.inside_out,
               .distance = {}};
  if (scene.dimensions == 2) {
    s.outline = cut_at_z0(s.mesh);
    if (s.outline.loops.empty())
      throw MeshError("the shape does not cross the plane z = 0, in which a 2D scene lives");
  }
  if (std::optional<TriangleMesh> full =
          build_full_mesh(source, {.resolution = resolution, .clip = clip}, scene.dimensions)) {
    if (scene.dimensions == 2)
      s.cut_outline = cut_at_z0(*full);
    else
      s.cut = std::move(*full);
  }
  if (body.kind == BodyKind::dynamic) {
    if (const std::string reason = no_mass_reason(s); !reason.empty()) throw MeshError(reason);
    const Vec3 centre = measure(s, scene.dimensions);
    if (!(s.volume > 0)) throw MeshError("the shape has no volume");
    shift(s, -centre);
  }
  s.distance.emplace(s.mesh);
  const bool cells = scene.engine == EngineKind::particles && scene.solver.uses_cells();
  if (scene.dimensions == 3 && cells && !scene.liquids.empty())
    s.cut = simplified(s.mesh_to_cut_by(), cut_tolerance * std::min(resolution, scene.spacing));
  return s;
}

/// Index of the shape of a body, built if it is new.
std::uint32_t find_or_build(Solids& solids, const BodySpec& body, const Scene& scene) {
  const Shape source = shape_to_mesh(body);
  for (std::size_t k = solids.shapes.size(); k-- > 0;)
    if (solids.shapes[k].kind == body.kind && solids.shapes[k].source == source &&
        solids.shapes[k].resolution == resolution_of(body, scene))
      return static_cast<std::uint32_t>(k);
  if (body.kind != BodyKind::fixed && !is_bounded(body.shape))
    throw MeshError("an unbounded shape cannot move. Set kind: static, or use a box");
  solids.shapes.push_back(build_shape(body, source, solids.box, scene, solids.notes));
  return static_cast<std::uint32_t>(solids.shapes.size() - 1);
}

/// Finds or builds the shapes of all bounded, or of all unbounded bodies.
void build_shapes(Solids& solids, const Scene& scene, bool bounded, Faults& faults) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodySpec& body = scene.bodies[i];
    if (is_bounded(body.shape) != bounded) continue;
    try {
      solids.shape_of[i] = find_or_build(solids, body, scene);
    } catch (const Error& e) {
      faults.add(body.mark, e.what());
    }
  }
}

/// The bounded parts of an unbounded composition: a pit in a floor counts, the floor does not.
void include_parts(const Shape& shape, const Pose& pose, Box3& box) {
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (requires { kind.shapes; })
          for (const Shape& part : kind.shapes) {
            const Pose placed = pose * Pose{shape.at, shape.rotate};
            if (!is_bounded(part)) {
              include_parts(part, placed, box);
              continue;
            }
            Box3 b = bounds(part);
            b = {b.lo.cwiseProduct(shape.scale), b.hi.cwiseProduct(shape.scale)};
            box.include(moved(b, placed));
          }
      },
      shape.kind);
}

/// What the bounded things fill, with a margin; or the scene's domain.
Box3 scene_box(const Scene& scene, const Solids& solids) {
  if (scene.domain) return *scene.domain;
  Box3 box;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (is_bounded(scene.bodies[i].shape)) {
      const SolidShape& s = solids.shapes[solids.shape_of[i]];
      box.include(
          moved(bounds(s.mesh), scene.bodies[i].pose * Pose{-s.shape_origin, Quat::Identity()}));
    }
  for (const BodySpec& body : scene.bodies)
    if (!is_bounded(body.shape)) include_parts(body.shape, body.pose, box);
  for (const LiquidSpec& liquid : scene.liquids)
    if (liquid.shape && is_bounded(*liquid.shape)) box.include(bounds(*liquid.shape));
  for (const EmitterSpec& emitter : scene.emitters) box.include(emitter.at);
  if (box.empty()) box.include(Vec3(Vec3::Zero()));
  return box.grown(std::max(0.25 * box.size().maxCoeff(), 10 * scene.spacing));
}

double density_of(const BodySpec& body, const Scene& scene) {
  if (body.density) return *body.density;
  const auto material = scene.materials.find(body.material);
  if (material != scene.materials.end() && material->second.density)
    return *material->second.density;
  return 1000;
}

void place(Solids& solids, const BodySpec& body, std::uint32_t shape, const Scene& scene) {
  const SolidShape& s = solids.shapes[shape];
  const double density = body.mass ? *body.mass / s.volume : density_of(body, scene);
  Inertia inertia;
  if (body.kind == BodyKind::dynamic)
    inertia = principal_inertia(density * s.volume, density * s.unit_inertia);
  const Pose pose = is_bounded(body.shape) ? body.pose : Pose{};
  const Pose at_centre = pose * Pose{-s.shape_origin, Quat::Identity()};
  const std::size_t i = add_body(solids.bodies, body.kind, inertia, at_centre);
  solids.bodies.v[i] = body.velocity;
  set_angular_velocity(solids.bodies, i, body.angular_velocity);
}

}  // namespace

Solids build_solids(const Scene& scene) {
  Solids solids;
  solids.shape_of.resize(scene.bodies.size());
  Faults faults{scene, {}};
  build_shapes(solids, scene, true, faults);
  if (faults.all.empty()) solids.box = scene_box(scene, solids);
  build_shapes(solids, scene, false, faults);
  if (!faults.all.empty()) throw SceneError(std::move(faults.all));
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    place(solids, scene.bodies[i], solids.shape_of[i], scene);
  return solids;
}

Obstacles obstacles(const Solids& solids, double reach, int dimensions) {
  struct Solid {
    const Polygons* outline;                       // 2D
    std::shared_ptr<const MeshDistance> distance;  // 3D
    Pose to_body;
    Box3 near;  // world box beyond which the solid is farther than reach; unbounded: containers
  };
  std::vector<std::shared_ptr<const MeshDistance>> distance(solids.shapes.size());
  for (std::size_t k = 0; k < distance.size() && dimensions == 3; ++k) {
    const SolidShape& s = solids.shapes[k];
    if (s.cut.empty())
      distance[k] = {std::shared_ptr<void>(), &*s.distance};  // the solid's own
    else
      distance[k] = std::make_shared<MeshDistance>(s.cut);
  }
  std::vector<Solid> all;
  for (std::size_t i = 0; i < solids.bodies.size(); ++i) {
    const SolidShape& s = solids.shapes[solids.shape_of[i]];
    const Pose pose = solids.bodies.pose(i);
    Box3 near = moved(bounds(s.mesh), pose).grown(reach);
    if (s.container) near = {Vec3::Constant(-unlimited), Vec3::Constant(unlimited)};
    all.push_back({&s.outline_to_cut_by(), distance[solids.shape_of[i]], pose.inverse(), near});
  }
  return [all = std::move(all), reach, dimensions](const Vec3& x) {
    double nearest = reach;
    for (const Solid& solid : all) {
      if (!solid.near.contains(x)) continue;
      const Vec3 local = solid.to_body * x;
      const double d = dimensions == 2 ? signed_distance(*solid.outline, Vec2(local.head<2>()))
                                       : solid.distance->signed_distance(local);
      nearest = std::min(nearest, d);
    }
    return nearest;
  };
}

}  // namespace hydrolith
