#include "core/check.h"
#include "particles/observe.h"

#include <cmath>

namespace hydrolith::particles {

namespace {

/// One value or vector per particle of liquid k, in the order of the state.
template <class F>
Field gather(const State& s, std::uint32_t k, std::string name, std::string unit, int components,
             F&& value) {
  Field field{std::move(name), std::move(unit), components, {}};
  for (std::size_t i = 0; i < s.particles(); ++i)
    if (s.liquid[i] == k)
      for (int c = 0; c < components; ++c) field.values.push_back(static_cast<float>(value(i, c)));
  return field;
}

Field make_field(const Model& m, const State& s, std::uint32_t k, const std::string& name) {
  if (name == "velocity")
    return gather(s, k, name, "m/s", 3, [&](std::size_t i, int c) { return s.v[i][c]; });
  if (name == "pressure")
    return gather(s, k, name, "Pa", 1, [&](std::size_t i, int) { return s.pressure[i]; });
  if (name == "volume")
    return gather(s, k, name, "m^3", 1, [&](std::size_t i, int) { return s.volume[i]; });
  if (name == "density")
    return gather(s, k, name, "kg/m^3", 1,
                  [&](std::size_t, int) { return m.scene.liquids[k].density; });
  throw Error(fmt::format("the particle engine has no field \"{}\"", name));
}

}  // namespace

Frame make_frame(const Model& m, const State& s, const std::vector<std::string>& fields) {
  Frame frame;
  frame.step = s.step;
  frame.time = s.time;
  for (std::uint32_t k = 0; k < m.scene.liquids.size(); ++k) {
    LiquidFrame& liquid = frame.liquids.emplace_back();
    for (std::size_t i = 0; i < s.particles(); ++i) {
      if (s.liquid[i] != k) continue;
      liquid.id.push_back(s.id[i]);
      liquid.position.push_back(s.x[i].cast<float>());
    }
    for (const std::string& name : fields) liquid.fields.push_back(make_field(m, s, k, name));
  }
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    frame.bodies.push_back({s.bodies.pose(i), s.bodies.v[i], s.bodies.omega[i], s.forces[i]});
  return frame;
}

}  // namespace hydrolith::particles
