#include "hybrid/observe.h"

#include "core/check.h"
#include "setup/probes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::hybrid {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One value or vector per particle of liquid k, in the order of the state.
template <class F>
Field gather(const LiquidParticles& l, std::uint32_t k, std::string name, std::string unit,
             int components, F&& value) {
  Field field{std::move(name), std::move(unit), components, {}};
  for (std::size_t i = 0; i < l.size(); ++i)
    if (l.liquid[i] == k)
      for (int c = 0; c < components; ++c) field.values.push_back(static_cast<float>(value(i, c)));
  return field;
}

Field make_field(const Model& m, const LiquidParticles& l, std::uint32_t k,
                 const std::string& name) {
  if (name == "velocity")
    return gather(l, k, name, "m/s", 3, [&](std::size_t i, int c) { return l.v[i][c]; });
  if (name == "pressure")
    return gather(l, k, name, "Pa", 1, [&](std::size_t i, int) { return l.pressure[i]; });
  if (name == "volume")
    return gather(l, k, name, "m^3", 1, [&](std::size_t i, int) { return l.volume[i]; });
  if (name == "density")
    return gather(l, k, name, "kg/m^3", 1, [&](std::size_t, int) { return m.density[k]; });
  throw Error(fmt::format("the hybrid engine has no field \"{}\"", name));
}

/// Pressure at a point: a plane p = a + g . (x - at) fitted to the cells within one and a half cell
/// widths that had a pressure in the last step, weighted by a hat. No such cell: NaN.
double read_pressure(const Workspace& w, const Vec3& at) {
  const int d = w.grid.dimensions();
  const Cell3 centre = w.grid.cell_of(at);
  Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
  Eigen::Vector4d load = Eigen::Vector4d::Zero();
  double weight = 0, sum = 0;
  const int rz = d == 3 ? 2 : 0;
  for (int k = -rz; k <= rz; ++k)
    for (int j = -2; j <= 2; ++j)
      for (int i = -2; i <= 2; ++i) {
        const Cell3 c = centre + Cell3(i, j, k);
        const std::int32_t cell = w.grid.find_cell(c);
        if (cell == TileGrid::none) continue;
        const std::int32_t p = w.fluid.column[pressure][static_cast<std::size_t>(cell)];
        if (p < 0) continue;
        const Vec3 r = (w.grid.centre(c) - at) / w.grid.dx();
        const double near = 1 - r.norm() / 2;
        if (near <= 0) continue;
        const Eigen::Vector4d basis(1, r.x(), r.y(), r.z());
        const double value = w.cell_pressure[static_cast<std::size_t>(cell)];
        normal += near * basis * basis.transpose();
        load += near * value * basis;
        weight += near, sum += near * value;
      }
  if (weight == 0) return nan;
  // Directions in which the cells do not spread carry no gradient.
  normal.diagonal().tail<3>().array() += 1e-9 * weight;
  return normal.ldlt().solve(load)[0];
}

}  // namespace

Frame make_frame(const Model& m, const State& s, const std::vector<std::string>& fields) {
  const LiquidParticles& l = s.liquid;
  Frame frame;
  frame.step = s.step;
  frame.time = s.time;
  for (std::uint32_t k = 0; k < m.scene.liquids.size(); ++k) {
    LiquidFrame& liquid = frame.liquids.emplace_back();
    for (std::size_t i = 0; i < l.size(); ++i) {
      if (l.liquid[i] != k) continue;
      liquid.id.push_back(l.id[i]);
      liquid.position.push_back(l.x[i].cast<float>());
    }
    for (const std::string& name : fields) liquid.fields.push_back(make_field(m, l, k, name));
  }
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    frame.bodies.push_back({s.bodies.pose(i), s.bodies.v[i], s.bodies.omega[i], s.forces[i]});
  return frame;
}

void read_probes(const Model& m, const State& s, const Workspace& w, std::vector<double>& values) {
  for (const ProbeSpec& p : m.scene.probes) switch (p.kind) {
      case ProbeKind::force:
      case ProbeKind::pose:
        read_body_probe(m, s, p, values);
        break;
      case ProbeKind::pressure:
        values.push_back(w.cell_pressure.empty() ? nan : read_pressure(w, p.at));
        break;
      case ProbeKind::height:
        values.push_back(read_height(m, p, s.liquid.x));
        break;
    }
}

}  // namespace hydrolith::hybrid
