#pragma once
// Particles sorted into cubic bins, each as wide as a particle reaches: what touches a place lies
// in the 27 bins around it. Lengths here are in cells of the level set's grid.

#include "hydrolith/frame.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

using GridIndex = std::array<std::int32_t, 3>;

/// The level set's grid: node (i, j, k) lies at cell * (i, j, k).
struct SurfaceGrid {
  double cell = 0;   // [m]
  float radius = 0;  // [cells] reach of a particle
  float peak = 0;    // [-] what a particle of bulk liquid adds at its own place
  int bin = 0;       // [cells] edge of a bin, >= radius
};

/// spacing [m]; cell and radius [spacings].
SurfaceGrid surface_grid(double spacing, double cell, double radius);

/// Position = node + fraction. A whole number and a small one, so that a particle adds the same
/// bits to a node whatever tile asks.
struct BinnedParticle {
  GridIndex node;
  Vec3f fraction;        // [cells] 0 to 1
  float weight = 1;      // [-] 1 in the bulk, more where liquid is thin (weigh_particles)
  float density = 1;     // [-] kernel sum, 1 in the bulk (weigh_particles)
  std::uint32_t source;  // index in the frame
};

struct ParticleBins {
  SurfaceGrid grid;
  std::vector<BinnedParticle> particles;  // bins one after the other, x fastest
  std::vector<std::uint64_t> key;         // of the bins that hold particles, ascending
  std::vector<std::uint32_t> start;       // first particle of each bin, and the end
  std::size_t left_out = 0;               // not finite or too far away

  GridIndex bin_of(const GridIndex& node) const;
  /// Particles of bins (x0 .. x1, y, z): neighbours in memory too.
  std::span<const BinnedParticle> row(int x0, int x1, int y, int z) const;
};

/// The bin of a key.
GridIndex bin_of_key(std::uint64_t key);

/// Two dimensions: every particle stands for a short column of copies along z.
ParticleBins bin_particles(const std::vector<Vec3f>& position, const SurfaceGrid& grid,
                           double spacing, int dimensions);

/// The shape of a particle: 1 at its centre, 0 from its reach on. `distance_sq` in radius^2.
inline float particle_shape(float distance_sq) {
  const float t = distance_sq < 1 ? 1 - distance_sq : 0;
  return t * t * t;
}

/// Density of every particle, and the weight that keeps single particles and films visible.
void weigh_particles(ParticleBins& bins);

/// The particles that can reach a bin.
class NearRows {
 public:
  NearRows(const ParticleBins& bins, const GridIndex& bin)
      : scale_(1 / (bins.grid.radius * bins.grid.radius)) {
    for (int k = 0; k < 9; ++k)
      rows_[k] = bins.row(bin[0] - 1, bin[0] + 1, bin[1] + k % 3 - 1, bin[2] + k / 3 - 1);
  }

  /// Calls f(particle, shape) for those that reach the point node + fraction, in their order.
  template <class F>
  void for_each(const GridIndex& node, const Vec3f& fraction, F&& f) const {
    for (const std::span<const BinnedParticle> row : rows_)
      for (const BinnedParticle& p : row) {
        const Vec3f d(static_cast<float>(p.node[0] - node[0]) + (p.fraction[0] - fraction[0]),
                      static_cast<float>(p.node[1] - node[1]) + (p.fraction[1] - fraction[1]),
                      static_cast<float>(p.node[2] - node[2]) + (p.fraction[2] - fraction[2]));
        const float distance_sq = scale_ * d.squaredNorm();
        if (distance_sq < 1) f(p, particle_shape(distance_sq));
      }
  }

 private:
  float scale_;  // [1/cells^2]
  std::array<std::span<const BinnedParticle>, 9> rows_;
};

}  // namespace hydrolith
