#include "surface/surface_input.h"

#include "core/check.h"

#include <cmath>

namespace hydrolith {

void check_surface_input(const LiquidFrame& liquid, double spacing, const SurfaceOptions& o) {
  require(spacing > 0 && std::isfinite(spacing), "surface: the spacing must be positive, got {}",
          spacing);
  require(o.cell >= 0.25 && o.cell <= 1, "surface: cell must lie in 0.25 to 1 spacings, got {}",
          o.cell);
  require(o.radius >= 1.5 && o.radius <= 4, "surface: radius must lie in 1.5 to 4 spacings, got {}",
          o.radius);
  require(o.smoothing >= 0 && o.smoothing <= 5,
          "surface: smoothing must lie in 0 to 5 spacings, got {}", o.smoothing);
  require(liquid.position.size() < (std::size_t{1} << 28),
          "surface: {} particles in one liquid; at most 2^28 are possible", liquid.position.size());
}

const std::vector<float>* velocities_of(const LiquidFrame& liquid) {
  for (const Field& field : liquid.fields)
    if (field.name == "velocity" && field.components == 3 &&
        field.values.size() == 3 * liquid.position.size())
      return &field.values;
  return nullptr;
}

}  // namespace hydrolith
