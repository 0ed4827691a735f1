#pragma once
// The surface samples of all bodies in the world, body by body. Positions of bodies at rest are
// written once, those of moving bodies every step.

#include "hydrolith/vec.h"

#include <cstdint>
#include <vector>

namespace hydrolith {

struct World;
struct WorldState;

struct Samples {
  // Fixed when built. Samples of body B are [first[B], first[B + 1]).
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> body;  // sample -> body
  std::vector<double> radius;   // [m] depth of the sample below its own surface: half the body's
                                //     resolution, less where it is thinner
  std::vector<double> own_sum;  // [1/m^d] sum of W over the samples of its own body, itself
                                //         included: the first sum of eq. 3.1
  // Written by place_samples.
  std::vector<Vec3> x;  // [m] world

  std::size_t size() const { return x.size(); }
};

Samples build_samples(const World& m, const WorldState& s);  // placed
void place_samples(const World& m, const WorldState& s, Samples& samples);

}  // namespace hydrolith
