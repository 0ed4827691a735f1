#pragma once
// The particle engine's constant model and its mutable state.

#include "linalg/block_ldu.h"
#include "setup/world.h"

#include <cstdint>
#include <vector>

namespace hydrolith::particles {

/// Fixed when built.
struct Model : World {};

/// Everything a run changes; a copy of it is a checkpoint.
struct State : WorldState {
  // Liquid particles, one column per quantity.
  std::vector<Vec3> x, v;             // [m], [m/s]
  std::vector<double> volume;         // [m^3] at rest density
  std::vector<float> pressure;        // [Pa]
  std::vector<std::uint32_t> id;      // stable over the run
  std::vector<std::uint32_t> liquid;  // index into Scene::liquids
  std::uint32_t next_id = 0;
  std::vector<Vec6> excess;  // [kg m/s], [kg m^2/s] per body: see cell_operator.h; cells only

  std::size_t particles() const { return x.size(); }
};

}  // namespace hydrolith::particles
