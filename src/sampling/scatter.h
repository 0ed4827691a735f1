#pragma once
// Samples scattered over the parts of a surface that have no regular places, and evened out.

#include "geometry/mesh.h"
#include "sampling/topology.h"

#include <cstdint>
#include <vector>

namespace hydrolith {

/// Samples on a mesh. The first `fixed` of them (corners, sharp edges, lattices) never move.
struct SampleSet {
  std::vector<Vec3> position;           // [m]
  std::vector<std::uint32_t> triangle;  // where each lies
  std::size_t fixed = 0;

  std::size_t size() const { return position.size(); }
  void add(const Vec3& x, std::uint32_t t) {
    position.push_back(x);
    triangle.push_back(t);
  }
};

struct ScatterSurface {
  const TriangleMesh& mesh;
  const Topology& topology;
  std::vector<double> weight;  // [m^2] per triangle: area to scatter on, 0 = leave out
};

/// Fills the surface around the fixed samples until no gap is left and every nearest distance lies
/// between the bounds, as far as the shape allows.
void scatter(const ScatterSurface& surface, double spacing, SampleSet& samples);

/// Drops every sample that is unwanted or nearer than `distance` [m] to an earlier one; returns
/// their places.
std::vector<Vec3> drop_close(SampleSet& samples, double distance,
                             const std::vector<char>& unwanted = {});

}  // namespace hydrolith
