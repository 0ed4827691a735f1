#include "exports/selection.h"

#include "hydrolith/error.h"

#include "core/suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace hydrolith {

namespace {

void check_names(const Objects& all, const std::vector<std::string>& names) {
  std::vector<std::string> known = all.body_objects;
  for (const LiquidInfo& liquid : all.liquids) known.push_back(liquid.name);
  std::vector<std::string> words = known;
  for (const BodyInfo& body : all.bodies) words.push_back(body.name);
  for (const std::string& name : names)
    if (std::find(words.begin(), words.end(), name) == words.end())
      throw Error(fmt::format("--objects: the run has no \"{}\".{} It has {}.", name,
                              did_you_mean(name, words), fmt::join(known, ", ")));
}

/// A little thicker than the slab of liquid: faces that coincide would flicker.
void thin_bodies(Objects& objects) {
  const auto thickness = static_cast<float>(1.5 * objects.spacing);
  for (SurfaceMesh& mesh : objects.meshes)
    for (Vec3f& x : mesh.vertices) x.z() *= thickness;
}

}  // namespace

Selection::Selection(const Objects& all, const std::vector<std::string>& names, bool liquids) {
  check_names(all, names);
  const auto chosen = [&](const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  objects_ = all;
  objects_.liquids.clear();
  objects_.bodies.clear();
  objects_.body_objects.clear();
  if (all.dimensions == 2) thin_bodies(objects_);
  for (std::size_t i = 0; liquids && i < all.liquids.size(); ++i)
    if (chosen(all.liquids[i].name)) {
      liquids_.push_back(i);
      objects_.liquids.push_back(all.liquids[i]);
    }
  std::vector<std::int64_t> entry(all.body_objects.size(), -1);  // its new number
  for (std::size_t i = 0; i < all.bodies.size(); ++i) {
    const BodyInfo& body = all.bodies[i];
    const std::string& name = all.body_objects[body.object];
    if (!chosen(body.name) && !chosen(name)) continue;
    if (entry[body.object] < 0) {
      entry[body.object] = static_cast<std::int64_t>(objects_.body_objects.size());
      objects_.body_objects.push_back(name);
    }
    bodies_.push_back(i);
    objects_.bodies.push_back(body);
    objects_.bodies.back().object = static_cast<std::uint32_t>(entry[body.object]);
  }
}

Frame Selection::frame(Frame all) const {
  Frame some{.index = all.index, .step = all.step, .time = all.time, .liquids = {}, .bodies = {}};
  for (const std::size_t i : liquids_) some.liquids.push_back(std::move(all.liquids[i]));
  for (const std::size_t i : bodies_) some.bodies.push_back(all.bodies[i]);
  return some;
}

}  // namespace hydrolith
