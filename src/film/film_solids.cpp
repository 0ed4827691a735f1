#include "film/film_solids.h"

namespace hydrolith {

namespace {

/// The body's own word, else its material's, else no.
bool seals(const Scene& scene, const BodySpec& body) {
  if (body.seal) return *body.seal;
  const auto material = scene.materials.find(body.material);
  return material != scene.materials.end() && material->second.seal.value_or(false);
}

}  // namespace

FilmSolids::FilmSolids(const World& world, bool wanted) {
  const Scene& scene = world.scene;
  if (!wanted || scene.liquids.empty()) return;
  for (const SolidShape& shape : world.solids.shapes) {
    const bool free = shape.kind == BodyKind::dynamic;
    any_ |= free;
    if (scene.dimensions == 2)
      shapes_.emplace_back(free ? shape.outline : Polygons{}, scene.spacing);
    else
      shapes_.emplace_back(free ? shape.mesh : TriangleMesh{}, scene.spacing);
  }
  for (const BodySpec& body : scene.bodies) seals_.push_back(seals(scene, body));
}

std::span<const FilmSolid> FilmSolids::place(const World& world, const RigidBodies& bodies,
                                             std::span<const SurfaceIndex> shapes) {
  solids_.resize(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    // What a body is by nature: before t = 0 all of them are held.
    const bool free = world.solids.bodies.kind[k] == BodyKind::dynamic;
    const std::size_t shape = world.solids.shape_of[k];
    solids_[k] = {&shapes[shape], free ? &shapes_[shape] : nullptr, bodies.pose(k), bodies.x[k],
                  seals_[k] != 0};
  }
  return solids_;
}

double film_force(const Film& film, const RigidBodies& bodies,
                  const std::function<double(std::uint32_t)>& pressure) {
  std::vector<Vec3> force(bodies.size(), Vec3::Zero());
  for (std::size_t k = 0; k < film.loads().size(); ++k) force[k] = film.loads()[k].head<3>();
  for (const FilmLink& link : film.links())
    force[link.body] += pressure(link.liquid) * link.value.head<3>();
  double sum = 0;
  for (std::size_t k = 0; k < force.size(); ++k)
    if (bodies.kind[k] == BodyKind::dynamic) sum += force[k].norm();
  return sum;
}

}  // namespace hydrolith
