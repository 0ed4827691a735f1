#pragma once
// Exact distance to a triangle mesh through a bounding-volume hierarchy. The sign comes from
// angle-weighted pseudo-normals (Baerentzen & Aanaes 2005) and is right for closed meshes.

#include <cstdint>
#include <memory>
#include <optional>

#include "geometry/mesh.h"

namespace hydrolith {

class MeshDistance {
 public:
  explicit MeshDistance(const TriangleMesh& mesh);  // copies what it needs
  ~MeshDistance();
  MeshDistance(MeshDistance&&) noexcept;
  MeshDistance& operator=(MeshDistance&&) noexcept;

  struct Closest {
    Vec3 point = Vec3::Zero();       // on the surface
    Vec3 normal = Vec3::Zero();      // unit pseudo-normal there, outward
    std::uint32_t triangle = 0;
    double distance = 0;             // [m] unsigned
  };

  /// Nearest point of the surface; none if farther than `within` [m].
  std::optional<Closest> closest(const Vec3& x,
                                 double within = std::numeric_limits<double>::infinity()) const;
  /// Whether closest(x, within) finds a point; stops at the first.
  bool is_within(const Vec3& x, double within) const;
  /// Negative inside [m].
  double signed_distance(const Vec3& x) const;

  /// First hit of the ray x + s d with s in (s_min, s_max); s in units of |d|.
  struct Hit { double s = 0; std::uint32_t triangle = 0; };
  std::optional<Hit> raycast(const Vec3& x, const Vec3& d, double s_min = 0,
                             double s_max = std::numeric_limits<double>::infinity()) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace hydrolith
