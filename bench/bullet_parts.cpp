#include "bullet_parts.h"

#include "hydrolith/error.h"

#include "geometry/build_mesh.h"
#include "geometry/machine_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith::bench {

namespace {

using std::numbers::pi;

Vec3 on_circle(double radius, double angle, double y) {
  return {radius * std::sin(angle), y, radius * std::cos(angle)};
}

struct ProfilePoint {
  double radius, y;  // [m] y above the helix
};

/// The hull of a profile at two neighbouring angles; `rise` [m] a turn.
ConvexPart sector(const std::vector<ProfilePoint>& profile, int segment, double rise,
                  int segments) {
  ConvexPart part;
  for (const int j : {segment, segment + 1})
    for (const auto& [radius, y] : profile)
      part.points.push_back(on_circle(radius, 2 * pi * j / segments, y + rise * j / segments));
  return part;
}

/// One tooth for every segment whose middle lies between two heights. The tooth of a bolt stands on
/// its root and ends at its crest; in a nut solid and empty are swapped: it stands on the thread's
/// crest radius and is what the bolt's groove leaves, half a pitch higher.
void add_teeth(const Thread& t, double low, double high, bool nut, int segments,
               std::vector<ConvexPart>& parts) {
  const double crest_end = t.pitch / 16 + t.offset / std::numbers::sqrt3;
  const double root_end = 3 * t.pitch / 8 + t.offset / std::numbers::sqrt3;
  const double half = 0.5 * t.pitch;
  const std::vector<ProfilePoint> bolt_tooth = {
      {t.root(), -root_end}, {t.root(), root_end}, {t.crest(), -crest_end}, {t.crest(), crest_end}};
  const std::vector<ProfilePoint> nut_tooth = {{t.crest(), crest_end},
                                               {t.crest(), t.pitch - crest_end},
                                               {t.root(), root_end},
                                               {t.root(), t.pitch - root_end}};
  const auto from = static_cast<int>(std::floor(low / t.pitch - 1) * segments);
  const auto to = static_cast<int>(std::ceil(high / t.pitch + 1) * segments);
  for (int j = from; j < to; ++j) {
    const double middle = t.pitch * (j + 0.5) / segments + (nut ? half : 0);
    const double reach = nut ? half - crest_end : root_end;
    if (middle - reach < low || middle + reach > high) continue;
    parts.push_back(sector(nut ? nut_tooth : bolt_tooth, j, t.pitch, segments));
  }
}

std::vector<ConvexPart> parts_of(const BoltShape& s, int segments) {
  const BoltFrame frame = frame_of(s);
  const Thread thread = thread_of(s);
  const Hexagon head = head_of(s);
  std::vector<ConvexPart> parts(2);
  for (int j = 0; j < segments; ++j)
    for (const double y : {frame.foot, frame.neck})
      parts[0].points.push_back(on_circle(thread.root(), 2 * pi * j / segments, y));
  for (int j = 0; j < 6; ++j)
    for (const double y : {frame.neck, frame.top})
      parts[1].points.push_back(on_circle(head.radius(pi / 6), pi / 6 + j * pi / 3, y));
  add_teeth(thread, frame.foot, frame.neck, false, segments, parts);
  return parts;
}

std::vector<ConvexPart> parts_of(const NutShape& s, int segments) {
  const Thread thread = thread_of(s);
  const Hexagon body = body_of(s);
  std::vector<ConvexPart> parts;
  for (int j = 0; j < segments; ++j)
    parts.push_back(sector({{thread.crest(), body.low},
                            {thread.crest(), body.high},
                            {0.5 * s.width, body.low},
                            {0.5 * s.width, body.high}},
                           j, 0, segments));
  add_teeth(thread, body.low, body.high, true, segments, parts);
  return parts;
}

/// The facets of a convex primitive, before its placement.
template <class Kind>
std::vector<ConvexPart> parts_of(const Kind& kind, [[maybe_unused]] int segments) {
  if constexpr (std::is_same_v<Kind, BoxShape> || std::is_same_v<Kind, SphereShape> ||
                std::is_same_v<Kind, CapsuleShape> || std::is_same_v<Kind, CylinderShape> ||
                std::is_same_v<Kind, ConeShape>) {
    const Shape shape{.kind = kind};
    const double size = bounds(shape).size().minCoeff();
    return {{.points = build_mesh(shape, {.resolution = 0.1 * size}).vertices, .primitive = shape}};
  } else if constexpr (std::is_same_v<Kind, UnionShape>) {
    std::vector<ConvexPart> all;
    for (const Shape& shape : kind.shapes)
      for (ConvexPart& part : convex_parts(shape, segments)) all.push_back(std::move(part));
    return all;
  } else {
    throw Error(
        "bench_bullet: a body of the scene has a shape without a convex decomposition. Use "
        "boxes, balls, capsules, cylinders, cones, unions of them, bolts or nuts.");
  }
}

/// x -> rotate (scale .* x) + at, for points and for the primitive.
void place(ConvexPart& part, const Shape& by) {
  for (Vec3& x : part.points) x = by.rotate * by.scale.cwiseProduct(x) + by.at;
  if (!part.primitive) return;
  Shape& p = *part.primitive;
  p.at = by.rotate * by.scale.cwiseProduct(p.at) + by.at;
  p.rotate = by.rotate * p.rotate;
  p.scale = p.scale.cwiseProduct(by.scale);
  if (by.scale != Vec3::Constant(by.scale.x())) part.primitive.reset();
}

}  // namespace

std::vector<ConvexPart> convex_parts(const Shape& shape, int segments) {
  std::vector<ConvexPart> parts =
      std::visit([&](const auto& kind) { return parts_of(kind, segments); }, shape.kind);
  for (ConvexPart& part : parts) place(part, shape);
  return parts;
}

std::vector<Vec3> coarse_hull(const std::vector<Vec3>& points) {
  std::vector<std::size_t> extreme;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) {
        const Vec3 d(i, j, k);
        if (d.isZero()) continue;
        std::size_t best = 0;
        for (std::size_t p = 1; p < points.size(); ++p)
          if (points[p].dot(d) > points[best].dot(d)) best = p;
        extreme.push_back(best);
      }
  std::sort(extreme.begin(), extreme.end());
  extreme.erase(std::unique(extreme.begin(), extreme.end()), extreme.end());
  std::vector<Vec3> hull;
  for (const std::size_t p : extreme) hull.push_back(points[p]);
  return hull;
}

}  // namespace hydrolith::bench
