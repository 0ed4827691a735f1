#pragma once
// A block in water, at the floor of its tank: for tests of liquid in narrow gaps.

#include <string>

namespace hydrolith::test {

constexpr double block_edge = 0.12;  // [m]

/// Water .4 m deep, in 2D, and a block [kg/m^3] above its floor by `gap` [m].
inline std::string submerged(const std::string& engine, double density, double gap,
                             const std::string& more = "") {
  return engine +
         "\ndimensions: 2\nspacing: 20 mm\ntime_step: 2 ms\nduration: 1 s\n"
         "liquids: [{name: water, shape: {box: [0.6, 0.4], at: [0, 0.2]}}]\n"
         "bodies:\n"
         "  - {name: tank, kind: static, at: [0, 0.4], shape: {box: [0.6, 0.8], inside_out: "
         "true}}\n"
         "  - {name: body, density: " +
         std::to_string(density) + ", shape: {box: [0.12, 0.12]}, at: [0, " +
         std::to_string(block_edge / 2 + gap) + "]" + more + "}\n";
}

}  // namespace hydrolith::test
