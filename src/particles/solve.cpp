#include "particles/solve.h"

#include <algorithm>

namespace hydrolith::particles {

void stiffen_diagonal(const LiquidSystem& liquid, const BodyColumns& bodies,
                      std::vector<float>& diagonal) {
  diagonal.assign(liquid.diagonal.begin(), liquid.diagonal.end());
  for (const BodyLink& link : liquid.links) {
    Vec6 L;
    L << link.G.cast<double>(), link.T.cast<double>();
    const double touching = liquid.body_first[link.body + 1] - liquid.body_first[link.body];
    diagonal[link.particle] += static_cast<float>(
        liquid.mass * L.dot(bodies.accelerate(link.body, L)) * std::max(1.0, 0.25 * touching));
  }
}

}  // namespace hydrolith::particles
