#pragma once
// A closed Voronoi cell in space, found by a walk along its edges.
//
// The bisector to the nearest neighbour always bears a face, and the point half-way lies on it.
// From there a ray in that plane ends on an edge, a ray along the edge in a vertex; and from every
// vertex the rays along its edges end in the next ones, each where the first plane is met. Nothing
// is cut off again, and a ray is one look at all planes side by side. A vertex belongs to four
// cells: those that others have found already are given. Vertices that two walks would number
// differently, because round-off decides, are found out and the walk is given up: then the cell is
// cut plane by plane (Polyhedron).

#include "hydrolith/vec.h"

#include <cstdint>

namespace hydrolith {

struct WalkedCell {
  static constexpr int most_planes = 64, most_vertices = 64;
  static constexpr int padding = 8;

  /// Plane p keeps what is nearer to the origin than to `to`.
  void set(int p, const Vec3& to, std::uint32_t of) {
    nx[p] = to.x(), ny[p] = to.y(), nz[p] = to.z();
    distance[p] = 0.5 * (to.x() * to.x() + to.y() * to.y() + to.z() * to.z());
    label[p] = of;
  }
  /// A vertex that is known, in three planes counter-clockwise.
  void give(int p, int q, int r, const Vec3& at) {
    x[vertices] = at.x(), y[vertices] = at.y(), z[vertices] = at.z();
    ends[vertices++] = {{std::uint8_t(p), std::uint8_t(q), std::uint8_t(r)}, {}};
  }

  // Planes n.x <= distance, n = x_j - x_i. All but the first `near` are of neighbours farther off
  // than sqrt(near_sq).
  int planes = 0, near = 0;
  double near_sq = 0;  // [m^2]
  double nx[most_planes + padding], ny[most_planes + padding], nz[most_planes + padding];
  double distance[most_planes + padding];
  std::uint32_t label[most_planes] = {};

  /// As in Polyhedron: planes counter-clockwise seen from outside; edge e lies in plane[e] and the
  /// next one, and leads to vertex to[e].
  struct Ends {
    std::uint8_t plane[3];
    std::uint8_t to[3];
  };
  int vertices = 0, given = 0;  // all of them; the first ones that were known before
  double x[most_vertices], y[most_vertices], z[most_vertices];
  Ends ends[most_vertices];
  struct Edge {
    std::uint8_t from, to, left, right;  // vertices, planes
  };
  int edges = 0;
  Edge edge[3 * most_vertices / 2 + 1];
  double farthest_sq = 0;   // [m^2] of the vertices from the origin
  std::uint64_t faces = 0;  // bits of the planes that bear one

  // Sums over the faces, by plane.
  alignas(32) double moment[most_planes][4];  // [m^3] integral of position; then [m^2] the area
  double spread[most_planes];                 // [m^4] integral of its square
  double volume = 0;                          // [m^3]
  Vec3 centre = Vec3::Zero();                 // [m^4] integral of position over the cell
  double gap = 0;                             // [m^2] |sum of the area vectors|
};

/// Finds vertices and edges, from those that are given on. False if the planes do not close the
/// cell around the origin, or if round-off would decide.
bool walk(WalkedCell& cell);

/// Areas, moments and volume of what walk() has found.
void sum_faces(WalkedCell& cell);

}  // namespace hydrolith
