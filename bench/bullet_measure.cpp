#include "bullet_measure.h"

#include "sampling/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith::bench {

namespace {

/// World box of a body's box.
Box3 moved(const Box3& box, const Pose& pose) {
  const Vec3 half = 0.5 * box.size();
  const Vec3 reach = pose.orientation.toRotationMatrix().cwiseAbs() * half;
  const Vec3 centre = pose * box.centre();
  return {centre - reach, centre + reach};
}

bool meet(const Box3& a, const Box3& b) {
  return (a.lo.array() <= b.hi.array()).all() && (b.lo.array() <= a.hi.array()).all();
}

}  // namespace

OverlapGauge::OverlapGauge(const Solids& solids, double spacing) : solids_(solids) {
  for (const SolidShape& shape : solids.shapes) {
    // Corners and edges of fixed bodies may be far apart: their vertices and a coarser net do.
    const double apart = shape.kind == BodyKind::dynamic ? 0.5 * spacing : spacing;
    points_.push_back(sample_surface(shape.mesh, {.spacing = apart}).position);
    auto& points = points_.back();
    points.insert(points.end(), shape.mesh.vertices.begin(), shape.mesh.vertices.end());
    box_.push_back(bounds(shape.mesh));
  }
}

double OverlapGauge::one_way(std::size_t a, std::size_t b,
                             std::span<const BodyFrame> bodies) const {
  const std::uint32_t from = solids_.shape_of[a], to = solids_.shape_of[b];
  const Pose relative = bodies[b].pose.inverse() * bodies[a].pose;
  const MeshDistance& distance = *solids_.shapes[to].distance;
  double deepest = 0;
  for (const Vec3& x : points_[from]) {
    const Vec3 y = relative * x;
    if (!box_[to].contains(y)) continue;
    deepest = std::max(deepest, -distance.signed_distance(y));
  }
  return deepest;
}

double OverlapGauge::deepest(std::span<const BodyFrame> bodies) const {
  std::vector<Box3> world;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    world.push_back(moved(box_[solids_.shape_of[i]], bodies[i].pose));
  double deepest = 0;
  for (std::size_t a = 0; a < bodies.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const bool fixed = solids_.bodies.kind[a] != BodyKind::dynamic &&
                         solids_.bodies.kind[b] != BodyKind::dynamic;
      if (fixed || !meet(world[a], world[b])) continue;
      deepest = std::max({deepest, one_way(a, b, bodies), one_way(b, a, bodies)});
    }
  return deepest;
}

// T = 1/2 m v^2 + 1/2 w . I w,  V = -m g . x
Energy energy(const RigidBodies& masses, std::span<const BodyFrame> bodies, const Vec3& gravity) {
  Energy e;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (masses.kind[i] != BodyKind::dynamic) continue;
    const BodyFrame& b = bodies[i];
    const Vec3 w = (b.pose.orientation * masses.axes[i]).conjugate() * b.angular_velocity;
    e.kinetic += 0.5 * masses.mass[i] * b.velocity.squaredNorm() +
                 0.5 * w.dot(masses.inertia[i].cwiseProduct(w));
    e.potential -= masses.mass[i] * gravity.dot(b.pose.position);
  }
  return e;
}

Drift drift_from(const RigidBodies& start, std::span<const BodyFrame> bodies) {
  Drift d;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (start.kind[i] != BodyKind::dynamic) continue;
    const Vec3 was = start.q[i] * Vec3::UnitY();
    const Vec3 is = bodies[i].pose.orientation * Vec3::UnitY();
    d.distance = std::max(d.distance, (bodies[i].pose.position - start.x[i]).norm());
    d.angle = std::max(d.angle, std::atan2(was.cross(is).norm(), was.dot(is)));
  }
  return d;
}

double mean_height(const RigidBodies& masses, std::span<const BodyFrame> bodies) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (masses.kind[i] == BodyKind::dynamic) sum += bodies[i].pose.position.y(), ++count;
  return count > 0 ? sum / count : 0;
}

double lowest_height(const RigidBodies& masses, std::span<const BodyFrame> bodies) {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (masses.kind[i] == BodyKind::dynamic) lowest = std::min(lowest, bodies[i].pose.position.y());
  return lowest;
}

}  // namespace hydrolith::bench
