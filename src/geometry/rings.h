#pragma once
// Closed surfaces laid out by hand: stacks of rings around the y axis, loops of rings, and the
// surface of a lattice cube. Everything that is faceted directly is built from these, with shared
// vertices, so that there is nothing to weld.

#include "geometry/mesh.h"

#include <functional>
#include <span>

namespace hydrolith {

/// Unit vector in the xz plane at angle 2 pi j / n about +y, starting at +z; exact on the axes.
Vec3 on_circle(int j, int n);

/// Adds rings of vertices and the bands between them. A ring runs counter-clockwise about +y, that
/// is from +z to +x.
class RingMesh {
 public:
  using Ring = std::vector<std::uint32_t>;

  std::uint32_t add(const Vec3& point);
  Ring add_ring(int n, const std::function<Vec3(int)>& point);
  /// The band between a lower and an upper ring of the same length, seen from outside. Quads are
  /// split along their shorter diagonal.
  void band(const Ring& lower, const Ring& upper);
  /// Closes the bottom or the top with a fan around a centre that sees the whole ring.
  void bottom(const Ring& ring, const Vec3& centre);
  void top(const Ring& ring, const Vec3& centre);
  /// The strip between two polylines that run upwards, `right` one step counter-clockwise of
  /// `left`. Vertices are joined in the order of their keys, which must ascend.
  struct Column {
    std::vector<std::uint32_t> vertices;
    std::vector<double> keys;
  };
  void strip(const Column& left, const Column& right, bool seen_from_outside);

  TriangleMesh take() { return std::move(mesh_); }

 private:
  void quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d);
  TriangleMesh mesh_;
};

/// The profile (radius, y), from its foot on the axis to its top on the axis, turned around y.
TriangleMesh revolve(std::span<const Vec2> profile, int segments);

/// A loop of rings, each joined to the next and the last to the first (a torus).
TriangleMesh loop_of_rings(int rings, int segments, const std::function<Vec3(int, int)>& point);

/// The surface of a lattice of cells.x by cells.y by cells.z, each lattice point placed by `point`.
TriangleMesh lattice_cube(const Eigen::Vector3i& cells,
                          const std::function<Vec3(const Eigen::Vector3i&)>& point);

}  // namespace hydrolith
