#pragma once
// Flat parts of a mesh: triangles that hang together in one plane, as the walls of a tank.

#include "geometry/mesh.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

class FlatPatches {
 public:
  void build(const TriangleMesh& mesh);

  struct Patch {
    Vec3 normal = Vec3::Zero();  // unit, out of the solid
    bool convex = false;         // its outline
    std::uint32_t first_side = 0, last_side = 0;
  };
  struct Side {  // of the outline: inside is out.x <= offset
    Vec3 out = Vec3::Zero();
    double offset = 0;  // [m]
  };
  /// The patch of a triangle.
  std::uint32_t of(std::uint32_t triangle) const { return patch_of_[triangle]; }
  const Patch& patch(std::uint32_t k) const { return patches_[k]; }
  /// Of a convex patch.
  std::span<const Side> sides(std::uint32_t k) const {
    return {sides_.data() + patches_[k].first_side, sides_.data() + patches_[k].last_side};
  }

 private:
  std::vector<std::uint32_t> patch_of_;
  std::vector<Patch> patches_;
  std::vector<Side> sides_;
};

}  // namespace hydrolith
