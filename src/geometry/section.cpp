#include "geometry/section.h"

#include "hydrolith/error.h"

#include <algorithm>
#include <unordered_map>

namespace hydrolith {

namespace {

// Vertices at z = 0 count as above: the plane is cut an infinitesimal step below zero, so that
// every triangle either stays clear of it or is crossed along exactly one segment.
bool above(const Vec3& x) { return x[2] >= 0; }

using EdgeKey = std::uint64_t;  // two vertices, the lower one first
EdgeKey edge_key(std::uint32_t a, std::uint32_t b) {
  return static_cast<EdgeKey>(std::min(a, b)) << 32 | std::max(a, b);
}

/// Where an edge crosses the plane: the same bits from both of its triangles.
Vec2 crossing(const TriangleMesh& mesh, EdgeKey edge) {
  const Vec3& p = mesh.vertices[edge >> 32];
  const Vec3& q = mesh.vertices[edge & 0xffffffffu];
  const double t = p[2] / (p[2] - q[2]);
  return p.head<2>() + t * (q - p).head<2>();
}

/// From the side of the triangle that goes down through the plane to the one that goes up: with the
/// triangle counter-clockwise seen from outside, the solid lies on the left.
struct Segment {
  EdgeKey from = 0, to = 0;
};

std::vector<Segment> find_segments(const TriangleMesh& mesh) {
  std::vector<Segment> segments;
  for (const Triangle& t : mesh.triangles) {
    Segment segment;
    bool crossed = false;
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      const bool a_above = above(mesh.vertices[a]), b_above = above(mesh.vertices[b]);
      if (a_above == b_above) continue;
      (a_above ? segment.from : segment.to) = edge_key(a, b);
      crossed = true;
    }
    if (crossed) segments.push_back(segment);
  }
  return segments;
}

/// Distance of b from the line through a and c.
double bulge(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 along = c - a;
  const double length = along.norm();
  if (length == 0) return (b - a).norm();
  return std::abs(along[0] * (b - a)[1] - along[1] * (b - a)[0]) / length;
}

/// Without points that repeat or lie on the line between their neighbours.
std::vector<Vec2> simplified(const std::vector<Vec2>& loop, double tolerance) {
  std::vector<Vec2> kept;
  for (const Vec2& x : loop) {
    if (!kept.empty() && (x - kept.back()).norm() <= tolerance) continue;
    while (kept.size() >= 2 && bulge(kept[kept.size() - 2], kept.back(), x) <= tolerance)
      kept.pop_back();
    kept.push_back(x);
  }
  // The same across the start of the loop.
  const auto redundant = [&](std::size_t i) {
    const std::size_t n = kept.size();
    const Vec2 &a = kept[(i + n - 1) % n], &b = kept[i], &c = kept[(i + 1) % n];
    return (b - c).norm() <= tolerance || bulge(a, b, c) <= tolerance;
  };
  while (kept.size() >= 3 && redundant(kept.size() - 1)) kept.pop_back();
  while (kept.size() >= 3 && redundant(0)) kept.erase(kept.begin());
  return kept;
}

double cross(const Vec2& a, const Vec2& b) { return a[0] * b[1] - a[1] * b[0]; }

}  // namespace

Polygons cut_at_z0(const TriangleMesh& mesh) {
  if (!is_closed(mesh)) throw MeshError("only a closed mesh can be cut to a 2D section");
  const std::vector<Segment> segments = find_segments(mesh);
  std::unordered_map<EdgeKey, std::size_t> starting_at;
  for (std::size_t i = 0; i < segments.size(); ++i) starting_at[segments[i].from] = i;

  // Follow the segments from edge to edge until each loop closes.
  constexpr double tolerance = 1e-12;  // of the diagonal: what rounding leaves of a straight line
  const double small = tolerance * bounds(mesh).size().norm();
  std::vector<bool> done(segments.size(), false);
  Polygons polygons;
  for (std::size_t first = 0; first < segments.size(); ++first) {
    std::vector<Vec2> loop;
    for (std::size_t i = first; !done[i]; i = starting_at.at(segments[i].to)) {
      done[i] = true;
      loop.push_back(crossing(mesh, segments[i].from));
    }
    loop = simplified(loop, small);
    if (loop.size() >= 3) polygons.loops.push_back(std::move(loop));
  }
  return polygons;
}

// Green's theorem over the edges p -> q, relative to the first point o:
//   A = sum c / 2,  A x = sum c (p + q) / 6,  J = sum c (p.p + p.q + q.q) / 12,  c = p x q.
SectionProperties section_properties(const Polygons& polygons) {
  if (polygons.loops.empty()) return {};
  const Vec2 o = polygons.loops[0][0];
  double area = 0, polar = 0;
  Vec2 moment = Vec2::Zero();
  for (const std::vector<Vec2>& loop : polygons.loops)
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec2 p = loop[i] - o, q = loop[(i + 1) % loop.size()] - o;
      const double c = cross(p, q);
      area += c / 2;
      moment += c * (p + q) / 6;
      polar += c * (p.dot(p) + p.dot(q) + q.dot(q)) / 12;
    }
  if (area == 0) return {};
  const Vec2 centre = moment / area;
  return {area, centre + o, polar - area * centre.squaredNorm()};
}

// The sign comes from the normal of the nearest edge or, at a corner, from the sum of both normals:
// the pseudo-normal of Baerentzen & Aanaes (2005) in two dimensions.
double signed_distance(const Polygons& polygons, const Vec2& x) {
  double best_sq = std::numeric_limits<double>::infinity(), side = 1;
  const auto outward = [](const Vec2& p, const Vec2& q) {
    return Vec2(q[1] - p[1], p[0] - q[0]).normalized();
  };
  for (const std::vector<Vec2>& loop : polygons.loops)
    for (std::size_t i = 0, n = loop.size(); i < n; ++i) {
      const Vec2 &p = loop[i], &q = loop[(i + 1) % n];
      const Vec2 d = q - p;
      const double t = std::clamp(d.dot(x - p) / d.squaredNorm(), 0.0, 1.0);
      const Vec2 y = t <= 0 ? p : t >= 1 ? q : Vec2(p + t * d);
      const double distance_sq = (x - y).squaredNorm();
      if (!(distance_sq < best_sq)) continue;
      best_sq = distance_sq;
      Vec2 normal = outward(p, q);
      if (t <= 0) normal += outward(loop[(i + n - 1) % n], p);
      if (t >= 1) normal += outward(q, loop[(i + 2) % n]);
      side = (x - y).dot(normal);
    }
  return side < 0 ? -std::sqrt(best_sq) : std::sqrt(best_sq);
}

}  // namespace hydrolith
