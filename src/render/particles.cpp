#include "render/particles.h"

#include "core/check.h"

#include <cmath>

namespace hydrolith {

namespace {

const Field* find_field(const LiquidFrame& liquid, std::string_view name) {
  for (const Field& field : liquid.fields)
    if (field.name == name) return &field;
  return nullptr;
}

std::string field_names(const LiquidFrame& liquid) {
  std::string names;
  for (const Field& field : liquid.fields) names += (names.empty() ? "" : ", ") + field.name;
  return names.empty() ? "none" : names;
}

float length_of(const float* values, int components) {
  double sum = 0;
  for (int k = 0; k < components; ++k) sum += static_cast<double>(values[k]) * values[k];
  return static_cast<float>(std::sqrt(sum));
}

void append_spheres(const LiquidFrame& liquid, const std::vector<Colour>& colours, float radius,
                    const Vec3& origin, double farthest, Spheres& spheres) {
  for (std::size_t i = 0; i < liquid.position.size(); ++i) {
    const Vec3 x = liquid.position[i].cast<double>() - origin;
    if (!(x.cwiseAbs().maxCoeff() < farthest)) continue;  // NaN compares false
    const Vec3f p = x.cast<float>();
    spheres.shape.push_back({p.x(), p.y(), p.z(), radius});
    spheres.colour.push_back(colours.size() == 1 ? colours[0] : colours[i]);
  }
}

}  // namespace

std::vector<float> colour_values(const LiquidFrame& liquid, const std::string& name,
                                 ColourBy what) {
  const char* wanted = what == ColourBy::pressure ? "pressure" : "velocity";
  const Field* field = find_field(liquid, wanted);
  require(field != nullptr,
          "liquid \"{}\" has no field \"{}\" to colour by; written fields: {}. Add it to "
          "output.fields and run again, or colour by body.",
          name, wanted, field_names(liquid));
  const std::size_t n = liquid.position.size();
  const auto components = static_cast<std::size_t>(field->components);
  require(field->components > 0 && field->values.size() == n * components,
          "liquid \"{}\": field \"{}\" has {} values for {} particles with {} components", name,
          wanted, field->values.size(), n, field->components);
  if (components == 1) return field->values;
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = length_of(&field->values[i * components], field->components);
  return values;
}

Spheres make_spheres(const Objects& objects, const Frame& frame, const Stage& stage,
                     const RenderOptions& options, const Vec3& origin) {
  Spheres spheres;
  const auto radius = static_cast<float>(options.particle_radius * objects.spacing);
  const auto lo = static_cast<float>(stage.range_min);
  const float span = static_cast<float>(stage.range_max) - lo;
  for (std::size_t l = 0; l < frame.liquids.size(); ++l) {
    const LiquidFrame& liquid = frame.liquids[l];
    if (liquid.position.empty() || options.liquid == LiquidLook::surface) continue;
    require(objects.spacing > 0, "renderer: the particle spacing must be positive, got {}",
            objects.spacing);
    std::vector<Colour> colours{objects.liquids[l].colour};
    if (options.colour_by != ColourBy::body) {
      colours.clear();
      for (const float value : colour_values(liquid, objects.liquids[l].name, options.colour_by))
        colours.push_back(map_colour(options.colour_by, span > 0 ? (value - lo) / span : 0));
    }
    append_spheres(liquid, colours, radius, origin, 1e6 * stage.radius, spheres);
  }
  return spheres;
}

}  // namespace hydrolith
