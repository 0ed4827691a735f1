#pragma once
// What both engines are measured with: overlap, energy, and whether things are where they belong.

#include "setup/solids.h"

#include <span>
#include <vector>

namespace hydrolith::bench {

/// Deepest overlap of any two bodies, at least one of them dynamic: points of the surface of each
/// (samples at half a spacing, on the surface, and the mesh's vertices) against the exact distance
/// to the mesh of the other. The same for every engine; knows nothing of either's contacts.
class OverlapGauge {
 public:
  OverlapGauge(const Solids& solids, double spacing);
  double deepest(std::span<const BodyFrame> bodies) const;  // [m]

 private:
  double one_way(std::size_t a, std::size_t b, std::span<const BodyFrame> bodies) const;

  const Solids& solids_;
  std::vector<std::vector<Vec3>> points_;  // per distinct shape, body frame
  std::vector<Box3> box_;                  // per distinct shape, body frame
};

struct Energy {
  double kinetic = 0, potential = 0;  // [J] potential: zero at the origin
  double total() const { return kinetic + potential; }
};
Energy energy(const RigidBodies& masses, std::span<const BodyFrame> bodies, const Vec3& gravity);

/// How far dynamic bodies are from where they started.
struct Drift {
  double distance = 0;  // [m]   largest, of a centre of mass
  double angle = 0;     // [rad] largest, of the body's y axis
};
Drift drift_from(const RigidBodies& start, std::span<const BodyFrame> bodies);

double mean_height(const RigidBodies& masses, std::span<const BodyFrame> bodies);    // [m] along y
double lowest_height(const RigidBodies& masses, std::span<const BodyFrame> bodies);  // [m] along y

}  // namespace hydrolith::bench
