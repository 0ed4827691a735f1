// The constant part of what a run shows: names, kinds, colours, meshes.

#include "setup/solids.h"

#include <cmath>

namespace hydrolith {

namespace {

/// Colours for bodies that name none: one per entry of the scene, muted, well apart (linear RGB).
Vec3f palette_colour(std::size_t object) {
  static const Vec3f colours[] = {
      {0.80f, 0.33f, 0.10f}, {0.85f, 0.60f, 0.15f}, {0.22f, 0.45f, 0.22f}, {0.45f, 0.18f, 0.16f},
      {0.30f, 0.28f, 0.55f}, {0.60f, 0.52f, 0.40f}, {0.15f, 0.42f, 0.45f}, {0.65f, 0.25f, 0.40f}};
  return colours[object % std::size(colours)];
}

Vec3f colour_of(const BodySpec& body, const Scene& scene) {
  if (body.colour) return body.colour->cast<float>();
  const auto material = scene.materials.find(body.material);
  if (material != scene.materials.end() && material->second.colour)
    return material->second.colour->cast<float>();
  if (body.kind == BodyKind::fixed) return Vec3f::Constant(0.55f);
  return palette_colour(static_cast<std::size_t>(body.object));
}

SurfaceMesh surface_of(const TriangleMesh& mesh) {
  SurfaceMesh surface;
  surface.vertices.reserve(mesh.vertices.size());
  for (const Vec3& x : mesh.vertices) surface.vertices.push_back(x.cast<float>());
  surface.triangles = mesh.triangles;
  return surface;
}

}  // namespace

Objects describe(const Scene& scene, const Solids& solids) {
  Objects o;
  o.title = scene.name;
  o.dimensions = scene.dimensions;
  o.spacing = scene.spacing;
  o.up = scene.gravity.norm() > 0 ? Vec3(-scene.gravity.normalized()) : Vec3(Vec3::UnitY());
  for (const LiquidSpec& l : scene.liquids)
    o.liquids.push_back({l.name, l.density, l.colour.cast<float>()});
  o.body_objects = scene.body_objects;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodySpec& body = scene.bodies[i];
    o.bodies.push_back({.name = body.name,
                        .object = static_cast<std::uint32_t>(body.object),
                        .mesh = solids.shape_of[i],
                        .kind = body.kind,
                        .container = solids.shapes[solids.shape_of[i]].container,
                        .mass = solids.bodies.mass[i],
                        .colour = colour_of(body, scene)});
  }
  for (const SolidShape& s : solids.shapes) o.meshes.push_back(surface_of(s.mesh));
  o.has_camera = scene.picture.camera.has_value();
  if (o.has_camera) o.camera = *scene.picture.camera;
  return o;
}

}  // namespace hydrolith
