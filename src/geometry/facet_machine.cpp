// Chain links, gears, bolts and nuts, laid out ring by ring.

#include "geometry/facet.h"
#include "geometry/machine_parts.h"
#include "geometry/rings.h"
#include "geometry/shape_checks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

using std::numbers::pi;

// A wire around a stadium: the rings of a torus with both halves moved apart along x.
TriangleMesh facet(const ChainLinkShape& shape, double resolution) {
  check(shape);
  const double straight = 0.5 * (shape.length - shape.width);
  const double radius = 0.5 * shape.width - shape.wire;
  const int bend = circle_segments(0.5 * shape.width, resolution);
  const int across = circle_segments(shape.wire, resolution);
  const int extra = straight > 1e-9 * radius ? 1 : 0;  // each half has its own end rings
  return loop_of_rings(across, bend + 2 * extra, [&](int i, int j) {
    const bool left = j > bend / 2 || (j == bend / 2 && extra == 0);
    const Vec3 out = on_circle(left ? j - extra : j, bend);
    const Vec3 wire = shape.wire * on_circle(i, across);  // z: outwards, x: upwards
    return Vec3(Vec3(left ? -straight : straight, wire.x(), 0) + (radius + wire.z()) * out);
  });
}

TriangleMesh facet(const GearShape& shape, double) {
  const std::vector<Vec2> outline = gear_outline(shape);
  const int n = static_cast<int>(outline.size());
  const double h = 0.5 * shape.thickness;
  const auto point = [&](int j, double radius, double y) {
    return Vec3(radius * std::sin(outline[j].x()), y, radius * std::cos(outline[j].x()));
  };
  RingMesh mesh;
  const auto low = mesh.add_ring(n, [&](int j) { return point(j, outline[j].y(), -h); });
  const auto high = mesh.add_ring(n, [&](int j) { return point(j, outline[j].y(), h); });
  mesh.band(low, high);
  if (shape.bore == 0) {
    mesh.bottom(low, {0, -h, 0});
    mesh.top(high, {0, h, 0});
    return mesh.take();
  }
  const auto bore_low = mesh.add_ring(n, [&](int j) { return point(j, shape.bore, -h); });
  const auto bore_high = mesh.add_ring(n, [&](int j) { return point(j, shape.bore, h); });
  mesh.band(high, bore_high);
  mesh.band(bore_high, bore_low);
  mesh.band(bore_low, low);
  return mesh.take();
}

// ---- threads ---------------------------------------------------------------------------------

namespace {

// A threaded surface between two heights, cut by a chamfer: one column of vertices for every angle,
// with a vertex at each corner of the profile and wherever thread and chamfer cross. Corners of
// neighbouring columns with the same height above the helix belong together.
class ThreadedSurface {
 public:
  ThreadedSurface(RingMesh& mesh, const Thread& thread, int segments, double low, double high)
      : mesh_(mesh), thread_(thread), n_(segments), low_(low), high_(high) {}

  /// `cut(y)`: radius of the chamfer. The surface is the smaller radius of the two, or the larger.
  template <class Cut>
  void build(const Cut& cut, bool smaller, bool seen_from_outside) {
    for (int j = 0; j < n_; ++j) add_column(j, cut, smaller);
    for (int j = 0; j < n_; ++j) {
      RingMesh::Column right = columns_[(j + 1) % n_];
      if (j + 1 == n_)
        for (double& key : right.keys) key -= thread_.pitch;
      mesh_.strip(columns_[j], right, seen_from_outside);
    }
  }
  RingMesh::Ring foot() const {
    return ends([](const auto& v) { return v.front(); });
  }
  RingMesh::Ring head() const {
    return ends([](const auto& v) { return v.back(); });
  }

 private:
  template <class Cut>
  void add_column(int j, const Cut& cut, bool smaller) {
    const double angle = 2 * pi * j / n_;
    const auto excess = [&](double y) {  // > 0 where the chamfer takes the thread away
      return smaller ? thread_.radius(y, angle) - cut(y) : cut(y) - thread_.radius(y, angle);
    };
    RingMesh::Column column;
    const auto add = [&](double y) {
      const double r = excess(y) > 0 ? cut(y) : thread_.radius(y, angle);
      column.vertices.push_back(mesh_.add(r * on_circle(j, n_) + y * Vec3::UnitY()));
      column.keys.push_back(y - thread_.pitch * j / n_);
    };
    std::vector<double> heights = thread_.corners(angle, low_, high_);
    heights.push_back(high_);
    add(low_);
    for (double below = low_; const double y : heights) {
      // Between two corners both radii are straight lines, so their difference is as well.
      const double from = excess(below), to = excess(y);
      if (from * to < 0) add(below + (y - below) * from / (from - to));
      if (to <= 0 || y == high_) add(y);
      below = y;
    }
    columns_.push_back(std::move(column));
  }

  template <class Pick>
  RingMesh::Ring ends(Pick&& pick) const {
    RingMesh::Ring ring;
    for (const auto& column : columns_) ring.push_back(pick(column.vertices));
    return ring;
  }

  RingMesh& mesh_;
  Thread thread_;
  int n_;
  double low_, high_;
  std::vector<RingMesh::Column> columns_;
};

// Multiple of 12, so that the corners of a hexagon and both axes fall on segments.
int hexagon_segments(double radius, double resolution) {
  return (circle_segments(radius, resolution) + 11) / 12 * 12;
}

class HexagonRings {
 public:
  HexagonRings(RingMesh& mesh, const Hexagon& hexagon, int segments)
      : mesh_(mesh), hexagon_(hexagon), n_(segments) {}

  RingMesh::Ring flats(double y, double drop_sign) const {
    return mesh_.add_ring(n_, [&](int j) {
      const double r = hexagon_.radius(2 * pi * j / n_);
      return Vec3(r * on_circle(j, n_) + (y + drop_sign * hexagon_.cut(r)) * Vec3::UnitY());
    });
  }
  RingMesh::Ring circle(double y) const {
    return mesh_.add_ring(n_, [&](int j) {
      return Vec3(hexagon_.cut_radius() * on_circle(j, n_) + y * Vec3::UnitY());
    });
  }

 private:
  RingMesh& mesh_;
  Hexagon hexagon_;
  int n_;
};

}  // namespace

TriangleMesh facet(const BoltShape& shape, double resolution) {
  check(shape);
  const BoltFrame frame = frame_of(shape);
  const int n = hexagon_segments(0.5 * shape.diameter, resolution);
  RingMesh mesh;
  ThreadedSurface thread(mesh, thread_of(shape), n, frame.foot, frame.neck);
  thread.build([&](double y) { return chamfer_radius(shape) + y - frame.foot; }, true, true);
  const HexagonRings head(mesh, head_of(shape), n);
  const auto low = head.flats(frame.neck, 0), high = head.flats(frame.top, -1);
  const auto rim = head.circle(frame.top);
  mesh.bottom(thread.foot(), {0, frame.foot, 0});
  mesh.band(thread.head(), low);
  mesh.band(low, high);
  mesh.band(high, rim);
  mesh.top(rim, {0, frame.top, 0});
  return mesh.take();
}

TriangleMesh facet(const NutShape& shape, double resolution) {
  check(shape);
  const Hexagon body = body_of(shape);
  const int n = hexagon_segments(0.5 * shape.diameter, resolution);
  RingMesh mesh;
  ThreadedSurface hole(mesh, thread_of(shape), n, body.low, body.high);
  const double r = chamfer_radius(shape);
  hole.build([&](double y) { return r - std::min(y - body.low, body.high - y); }, false, false);
  const HexagonRings side(mesh, body, n);
  const auto low_rim = side.circle(body.low), low = side.flats(body.low, 1);
  const auto high = side.flats(body.high, -1), high_rim = side.circle(body.high);
  mesh.band(hole.foot(), low_rim);
  mesh.band(low_rim, low);
  mesh.band(low, high);
  mesh.band(high, high_rim);
  mesh.band(high_rim, hole.head());
  return mesh.take();
}

}  // namespace hydrolith
