#include "hybrid/rheology.h"

#include "core/parallel.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::hybrid {

double viscosity_at(const LiquidSpec& l, double rate) {
  const double most = l.max_viscosity.value_or(1000 * l.viscosity);
  if (l.is_newtonian()) return l.viscosity;
  if (rate <= 0) return most;
  return std::clamp(l.yield_stress / rate + l.viscosity * std::pow(rate, l.flow_index - 1), 1e-9,
                    most);
}

void guess_viscosity(const Model& m, const State& s, Workspace& w) {
  const auto first = w.sorter.first();
  parallel_for(
      w.grid.cells(),
      [&](std::size_t cell) {
        if (first[cell] == first[cell + 1]) return;
        double sum = 0;
        for (std::uint32_t i = first[cell]; i < first[cell + 1]; ++i) {
          const Mat3f D = 0.5f * (s.liquid.c[i] + s.liquid.c[i].transpose());
          const double rate = std::sqrt(2.0 * static_cast<double>(D.squaredNorm()));
          sum += viscosity_at(m.scene.liquids[s.liquid.liquid[i]], rate);
        }
        w.material.viscosity[cell] = sum / (first[cell + 1] - first[cell]);
      },
      1024);
}

namespace {

struct Largest {
  double value = 0;
  Largest operator+(const Largest& o) const { return {std::max(value, o.value)}; }
};

}  // namespace

double update_viscosity(const Model& m, const State& s, Workspace& w) {
  const auto first = w.sorter.first();
  w.fluid.shear_stress(w.grid, w.coupled.z, w.shear);
  const Largest change = ordered_sum(w.grid.cells(), Largest{}, [&](std::size_t cell) {
    if (w.shear[cell] == 0 || first[cell] == first[cell + 1]) return Largest{};
    const LiquidSpec& liquid = m.scene.liquids[s.liquid.liquid[first[cell]]];
    double& eta = w.material.viscosity[cell];
    const double before = eta;
    // The geometric mean of old and new settles where a full step would swing (flow index < 1/2).
    eta = std::sqrt(before * viscosity_at(liquid, w.shear[cell] / before));
    return Largest{std::abs(eta / before - 1)};
  });
  return change.value;
}

}  // namespace hydrolith::hybrid
