// Elements of a surface in a bounding-volume hierarchy. Triangles leave distances and rays to
// MeshDistance; segments of an outline have their own here.

#include "cells/box_tree.h"
#include "cells/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace hydrolith {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double skipped_start = 1e-9;  // of the half diagonal, at the start of a ray

double cross(const Vec2& a, const Vec2& b) { return a[0] * b[1] - a[1] * b[0]; }
Vec3 in_plane(const Vec2& a) { return {a[0], a[1], 0}; }

/// From a to b with the solid on the left.
struct Segment {
  Vec2 a, b;         // [m]
  Vec2 normal;       // out of the solid, unit; zero if a = b
  Vec2 normal_at_a;  // unit pseudo-normals of the corners
  Vec2 normal_at_b;
};

Vec2 right_of(const Vec2& along) {
  const double length = along.norm();
  return length > 0 ? Vec2(along[1] / length, -along[0] / length) : Vec2(0, 0);
}

/// Direction of the sum; that of `a` where the two cancel.
Vec2 between(const Vec2& a, const Vec2& b) {
  const Vec2 sum = a + b;
  const double length = sum.norm();
  return length > 1e-9 ? Vec2(sum / length) : a;
}

/// Appends the segments of a loop. The pseudo-normal of a corner is the sum of the normals of the
/// two segments that meet there.
void append_loop(const std::vector<Vec2>& loop, std::vector<Segment>& out) {
  const std::size_t n = loop.size(), base = out.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2 &a = loop[k], &b = loop[(k + 1) % n];
    out.push_back({a, b, right_of(b - a), Vec2(0, 0), Vec2(0, 0)});
  }
  const auto normal_from = [&](std::size_t k, std::size_t step) {  // of the next with a length
    for (std::size_t tries = 1; tries < n && out[base + k].normal.isZero(0); ++tries)
      k = (k + step) % n;
    return out[base + k].normal;
  };
  for (std::size_t k = 0; k < n; ++k) {
    Segment& s = out[base + k];
    s.normal_at_a = between(s.normal, normal_from((k + n - 1) % n, n - 1));
    s.normal_at_b = between(s.normal, normal_from((k + 1) % n, 1));
  }
}

/// Nearest point of a segment, t in [0, 1] along it.
struct Foot {
  Vec2 point;
  double t = 0, distance_sq = infinity;
};

Foot foot_on(const Segment& s, const Vec2& x) {
  const Vec2 along = s.b - s.a;
  const double t = std::clamp((x - s.a).dot(along) / along.squaredNorm(), 0.0, 1.0);
  const Vec2 point = t < 1 ? Vec2(s.a + t * along) : s.b;
  return {point, t, (x - point).squaredNorm()};
}

/// Where the line x + s d crosses a segment on its way out of the solid; infinite if it does not.
/// A corner belongs to one of its two segments only.
double exit_along(const Segment& segment, const Vec2& x, const Vec2& d) {
  const double ca = cross(d, segment.a - x), cb = cross(d, segment.b - x);
  if (!(ca < 0 && cb >= 0)) return infinity;  // out: from the right of d to its left
  const double t = ca / (ca - cb);
  return (segment.a + t * (segment.b - segment.a) - x).dot(d);
}

}  // namespace

struct SurfaceIndex::Parts {
  const TriangleMesh* mesh = nullptr;     // 3D
  std::optional<MeshDistance> distances;  // 3D
  FlatPatches flats;                      // 3D
  std::vector<Segment> segments;          // 2D
  BoxTree elements;
};

SurfaceIndex::SurfaceIndex(const TriangleMesh& mesh) : parts_(std::make_unique<Parts>()) {
  parts_->mesh = &mesh;
  if (mesh.empty()) return;
  parts_->distances.emplace(mesh);
  parts_->flats.build(mesh);
  std::vector<Box3> boxes(mesh.triangles.size());
  for (std::size_t t = 0; t < boxes.size(); ++t)
    for (int k = 0; k < 3; ++k) boxes[t].include(mesh.corner(t, k));
  parts_->elements.build(boxes);
}

SurfaceIndex::SurfaceIndex(const Polygons& outline) : parts_(std::make_unique<Parts>()) {
  for (const std::vector<Vec2>& loop : outline.loops) append_loop(loop, parts_->segments);
  std::vector<Box3> boxes(parts_->segments.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Segment& s = parts_->segments[i];
    if (!s.normal.isZero(0)) boxes[i].include(in_plane(s.a)).include(in_plane(s.b));
  }
  parts_->elements.build(boxes);
}

SurfaceIndex::~SurfaceIndex() = default;
SurfaceIndex::SurfaceIndex(SurfaceIndex&&) noexcept = default;
SurfaceIndex& SurfaceIndex::operator=(SurfaceIndex&&) noexcept = default;

int SurfaceIndex::dimensions() const { return parts_->mesh != nullptr ? 3 : 2; }

void SurfaceIndex::near(const Vec3& x, double r, std::vector<std::uint32_t>& out) const {
  parts_->elements.near(x, r, out);
}

const FlatPatches& SurfaceIndex::flats() const { return parts_->flats; }

Box3 SurfaceIndex::bounds() const { return parts_->elements.bounds(); }

void SurfaceIndex::corners(std::uint32_t element, Vec3* out) const {
  if (parts_->mesh != nullptr) {
    for (int k = 0; k < 3; ++k) out[k] = parts_->mesh->corner(element, k);
    return;
  }
  const Segment& s = parts_->segments[element];
  out[0] = in_plane(s.a), out[1] = in_plane(s.b);
}

bool SurfaceIndex::nearest(const Vec3& x, double r, Nearest& out) const {
  if (parts_->mesh != nullptr) {
    if (!parts_->distances) return false;
    const std::optional<MeshDistance::Closest> y = parts_->distances->closest(x, r);
    if (!y) return false;
    const bool inside = (x - y->point).dot(y->normal) < 0;
    out = {y->point, y->normal, inside ? -y->distance : y->distance};
    return true;
  }
  const Vec2 y = x.head<2>();
  Foot best{Vec2(0, 0), 0, r * r};
  const Segment* found = nullptr;
  std::uint32_t found_at = 0;
  parts_->elements.visit(
      in_plane(y), [&] { return best.distance_sq; },
      [&](std::uint32_t e) {
        const Foot foot = foot_on(parts_->segments[e], y);
        const bool tie = foot.distance_sq == best.distance_sq;  // then the first one
        if (foot.distance_sq > best.distance_sq || (tie && found != nullptr && found_at < e))
          return;
        best = foot, found = &parts_->segments[e], found_at = e;
      });
  if (found == nullptr) return false;
  const Vec2& n = best.t <= 0   ? found->normal_at_a
                  : best.t >= 1 ? found->normal_at_b
                                : found->normal;
  const double distance = std::sqrt(best.distance_sq);
  out = {in_plane(best.point), in_plane(n), (y - best.point).dot(n) < 0 ? -distance : distance};
  return true;
}

double SurfaceIndex::thickness(const Vec3& point, const Vec3& direction, double most) const {
  const double radius = parts_->elements.radius();
  const double start = skipped_start * radius;
  const double end = std::min(most, 4 * radius);  // the whole surface is shorter
  if (parts_->mesh != nullptr) {
    double from = start;
    while (parts_->distances) {
      const auto hit = parts_->distances->raycast(point, direction, from, end);
      if (!hit) break;
      const TriangleMesh& m = *parts_->mesh;
      const Vec3 a = m.corner(hit->triangle, 0);
      const Vec3 normal = (m.corner(hit->triangle, 1) - a).cross(m.corner(hit->triangle, 2) - a);
      if (normal.dot(direction) > 0) return hit->s;
      from = hit->s + start;  // touches the way in
    }
    return infinity;
  }
  double first = infinity;
  const Vec2 x = point.head<2>(), d = direction.head<2>();
  const double reach_sq = std::pow(0.5 * end + start, 2);
  const Vec3 middle = point + 0.5 * end * direction;
  parts_->elements.visit(
      middle, [&] { return reach_sq; },
      [&](std::uint32_t e) {
        const double s = exit_along(parts_->segments[e], x, d);
        if (s > start && s <= end) first = std::min(first, s);
      });
  return first;
}

}  // namespace hydrolith
