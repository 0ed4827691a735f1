#pragma once
// The sharp parts of a surface: corners, curves between them, and flat rectangles.

#include "geometry/mesh.h"
#include "sampling/topology.h"

#include <array>
#include <cstdint>
#include <vector>

namespace hydrolith {

/// A chain of sharp edges from corner to corner, or closed (first vertex repeated at the end).
struct FeatureCurve {
  std::vector<std::uint32_t> vertices;
  std::uint32_t triangle = 0;  // one that touches the curve
  bool closed = false;
};

/// A connected part of the surface without sharp edges inside.
struct FlatRectangle {
  std::array<std::uint32_t, 4> corners{};  // vertices in order around it
  std::uint32_t triangle = 0;              // one of its triangles
};

struct Features {
  std::vector<std::uint32_t> corners;  // vertices
  std::vector<FeatureCurve> curves;
  std::vector<FlatRectangle> rectangles;
  std::vector<char> in_rectangle;  // per triangle
};

/// Sharp edges are those of `outer` that turn by more than `feature_angle` [deg]; rectangles must
/// be flat and rectangular in `inner`, the same triangles in another place, within `tolerance` [m].
Features find_features(const TriangleMesh& outer, const TriangleMesh& inner,
                       const Topology& topology, double feature_angle, double tolerance);

}  // namespace hydrolith
