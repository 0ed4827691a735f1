#pragma once
// How much liquid is missing around dynamic bodies: the part of the shell within two spacings of
// their surfaces that is empty although liquid lies just beyond it.
//
// From every surface sample three points are looked at along its normal, 1, 3 and 5 spacings
// outside the surface. A point is wet if a liquid particle lies within one spacing (the largest
// hole in a cubic lattice has a radius of 0.87, so that packed liquid is wet everywhere), and
// blocked if a sample of a solid lies within 1.25 (walls cannot slip between the points).
//   filled  the first point is wet
//   hollow  the first point is not, a later one is, and liquid or a wall follows behind it
//   dry     none is wet
//   blocked a solid is in the way: says nothing
// A hollow is a void unless it opens to the air: where no liquid lies beyond it one spacing higher
// than its first point (that is: it is above the water level), and it is connected along the
// surface, through hollows like it, to dry samples. So the wedge between a hull and the surface, or
// the air below a body about to fall in, are no voids.

#include "particles/neighbours.h"

#include <cstdint>
#include <vector>

namespace hydrolith {
struct RigidBodies;
}

namespace hydrolith::particles {

struct Model;

struct VoidReport {
  double volume = 0;    // [m^3] 2 h times what void samples stand for, resolution^(d-1)
  double fraction = 0;  // [-] of the surface of void and filled samples; 0 if there are none
};

/// Keeps memory, and which samples of a shape adjoin.
class VoidMeasure {
 public:
  explicit VoidMeasure(const Model& m);

  /// Of the state that `search` and `samples` were last placed in; `bodies` likewise. Costs nothing
  /// but for dynamic bodies.
  VoidReport measure(const Model& m, const RigidBodies& bodies, const Samples& samples,
                     const NeighbourSearch& search);

 private:
  enum class Outlook : std::uint8_t { unknown, filled, hollow, submerged_hollow, dry, blocked };
  struct Adjoining {  // samples of a shape, those of sample k: [first[k], first[k + 1])
    std::vector<std::uint32_t> first, sample;
  };
  struct View;
  static Outlook look(const View& view, const Vec3& surface, const Vec3& normal,
                      std::uint32_t body);
  void open_to_air(const Adjoining& shape, std::size_t begin, std::size_t end);

  std::vector<Adjoining> adjoining_;  // per distinct shape; empty unless dynamic
  std::vector<Outlook> outlook_;      // per sample
  std::vector<std::uint32_t> queue_;  // per sample: a part for every body
};

}  // namespace hydrolith::particles
