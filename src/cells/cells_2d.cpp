// Cells in the plane. A cell is a convex polygon, clipped by bisectors and caps, minus the solids.
// The solids are never made into polygons: the boundary of what is left is put together from the
// wet parts of the polygon's edges and the parts of the outlines' segments inside the polygon.
//
//   V   = sum over the boundary, counter-clockwise, of (a x b) / 2
//   V c = sum of (a x b) / 2 (a + b) / 3                    corners a, b relative to x_i

#include "cells/cutter_2d.h"

#include <cmath>
#include <numbers>

namespace hydrolith {

namespace cells_2d {

namespace {

constexpr double closed = 1e-10;  // [h] largest gap of a boundary that counts as closed
constexpr double shift = 1e-6;    // [h] of solids whose cut did not close
constexpr int shifts = 4;         // tried

/// A direction that differs for every surface and try.
Vec2 hashed_direction(std::uint32_t surface, int attempt) {
  const double turns = std::fmod(0.6180339887498949 * (surface + 1) + 0.3819 * attempt, 1.0);
  return {std::cos(2 * std::numbers::pi * turns), std::sin(2 * std::numbers::pi * turns)};
}

}  // namespace

/// Clips by bisectors, nearest neighbour first. One at twice the farthest corner or beyond cuts
/// nothing.
void Cutter::clip_by_neighbours() {
  const double cap = cap_distance(), side = std::tan(std::numbers::pi / cap_planes);
  polygon_.corners.clear();
  for (std::uint32_t k = 0; k < cap_planes; ++k) {
    const Vec2& n = cap_normals_[k];
    polygon_.corners.push_back({cap * (n - side * left_of(n)), Behind::cap, k});
  }

  const Vec3& x = in_.x[i_];
  double reach_sq = polygon_.reach_sq();
  double inner = 0, outer = 1.75 * h_;
  while (true) {
    in_.search.shell(x, i_, inner, outer, candidates_);
    for (const CellSearch::Candidate& c : candidates_) {
      if (c.distance_sq >= 4 * reach_sq) return;
      const Vec2 d = (in_.x[c.particle] - x).head<2>();
      if (c.distance_sq == 0) continue;
      if (polygon_.clip(d, 0.5 * c.distance_sq, Behind::neighbour, c.particle))
        reach_sq = polygon_.reach_sq();
    }
    if (outer * outer >= 4 * reach_sq) return;
    inner = outer;
    outer = std::min(1.5 * outer, 2.0001 * std::sqrt(reach_sq));
  }
}

/// Directions in which some of the wide cap is left wet, length l, are open. There the free surface
/// is at  cap + (surface - cap) s(l / fully_open),  s(t) = t^2 (3 - 2 t), all in units of h.
void Cutter::clip_open_directions() {
  std::array<double, cap_planes> open{};
  bool any = false;
  for (std::size_t k = 0; k < polygon_.size(); ++k)
    if (polygon_.corners[k].behind == Behind::cap) {
      open[polygon_.corners[k].number] += wet_length(k);
      any = true;
    }
  if (!any) return;
  const double wide = cap_distance();
  for (std::uint32_t k = 0; k < cap_planes; ++k) {
    if (open[k] <= least_face * h_) continue;
    const double t = std::min(1.0, open[k] / (options_.fully_open * h_));
    const double at = wide + (options_.surface * h_ - wide) * t * t * (3 - 2 * t);
    polygon_.clip(cap_normals_[k], at, Behind::cap, k);
  }
}

/// In how many solids y lies: crossings of the way from x_i, in minus out. `without` leaves one
/// surface out. A point on a surface counts as inside.
int Cutter::depth_at(const Vec2& y, std::uint32_t without) const {
  int depth = 0;
  for (const Solid& s : solids_) depth += s.surface != without ? s.depth : 0;
  for (const Segment& s : segments_) {
    if (s.surface == without || (cross(y, s.a) < 0) == (cross(y, s.b) < 0)) continue;
    const bool from_inside = cross(s.a, s.b) > 0, to_inside = cross(s.b - s.a, y - s.a) >= 0;
    if (from_inside != to_inside) depth += to_inside ? 1 : -1;
  }
  return depth;
}

/// Calls f(a, b) for the parts of the piece p q outside all solids.
template <class F>
void Cutter::wet_parts(const Vec2& p, const Vec2& q, std::uint32_t without, F&& f) {
  if (segments_.empty()) return f(p, q);
  const Vec2 along = q - p;
  const double length_sq = along.squaredNorm();
  if (length_sq == 0) return;
  crossings_.clear();
  for (const Segment& s : segments_) {
    if (s.surface == without) continue;
    const double da = cross(along, s.a - p), db = cross(along, s.b - p);
    if ((da < 0) == (db < 0)) continue;
    const double u = (s.a + da / (da - db) * (s.b - s.a) - p).dot(along) / length_sq;
    if (u >= 0 && u < 1) crossings_.push_back({u, da < 0 ? -1 : 1});
  }
  std::sort(crossings_.begin(), crossings_.end(),
            [](const Crossing& a, const Crossing& b) { return a.along < b.along; });
  int depth = depth_at(p, without);
  Vec2 start = p;
  for (const Crossing& c : crossings_) {
    const Vec2 here = p + c.along * along;
    if (depth <= 0 && depth + c.step > 0) f(start, here);
    if (depth > 0 && depth + c.step <= 0) start = here;
    depth += c.step;
  }
  if (depth <= 0) f(start, q);
}

double Cutter::wet_length(std::size_t edge) {
  double length = 0;
  wet_parts(polygon_.from(edge), polygon_.to(edge), none,
            [&](const Vec2& a, const Vec2& b) { length += (b - a).norm(); });
  return length;
}

void Cutter::start() {
  volume_ = open_ = 0;
  moment_ = gap_ = Vec2::Zero();
  faces_.clear();
  facets_.clear();
}

/// A piece of the boundary from a to b, the cell on its left.
void Cutter::add(const Vec2& a, const Vec2& b) {
  const double v = 0.5 * cross(a, b);
  volume_ += v;
  moment_ += v / 3 * (a + b);
  gap_ += b - a;
}

/// Integral of |y|^2 along a piece.
double spread(const Vec2& a, const Vec2& b) {
  return (b - a).norm() / 3 * (a.squaredNorm() + b.dot(a + b));
}

void Cutter::add_edges() {
  for (std::size_t k = 0; k < polygon_.size(); ++k) {
    const Corner& c = polygon_.corners[k];
    double length = 0, squares = 0;
    Vec2 moment = Vec2::Zero();
    wet_parts(polygon_.from(k), polygon_.to(k), none, [&](const Vec2& a, const Vec2& b) {
      add(a, b);
      const double part = (b - a).norm();
      length += part;
      moment += 0.5 * part * (a + b);
      squares += spread(a, b);
    });
    if (c.behind == Behind::cap) open_ += length;
    if (c.behind == Behind::neighbour && length > least_face * h_)
      faces_.push_back({c.number, length, in_plane(moment / length), squares});
    if (c.behind == Behind::solid && length > least_face * h_) {
      const Segment& s = unshifted_[c.number];
      const Vec2 n = -left_of(polygon_.to(k) - polygon_.from(k)).normalized();
      facets_.push_back(
          {i_, s.surface, s.element, in_plane(length * n), in_plane(moment / length), squares});
    }
  }
}

/// The parts of segments inside the polygon and outside other solids. The cell is on the right of
/// a segment.
void Cutter::add_facets() {
  for (const Segment& s : segments_) {
    double t0 = 0, t1 = 1;
    for (std::size_t k = 0; k < polygon_.size() && t0 < t1; ++k) {
      const Vec2 &p = polygon_.from(k), along = polygon_.to(k) - p;
      const double da = cross(along, s.a - p), db = cross(along, s.b - p);
      if (da < 0 && db < 0)
        t1 = -1;
      else if (da < 0)
        t0 = std::max(t0, da / (da - db));
      else if (db < 0)
        t1 = std::min(t1, da / (da - db));
    }
    if (!(t0 < t1)) continue;
    const Vec2 p = s.a + t0 * (s.b - s.a), q = t1 < 1 ? Vec2(s.a + t1 * (s.b - s.a)) : s.b;
    const auto add_facet = [&](const Vec2& a, const Vec2& b) {
      add(b, a);
      if ((b - a).norm() <= least_face * h_) return;
      facets_.push_back({i_, s.surface, s.element, in_plane(left_of(b - a)),
                         in_plane(0.5 * (a + b)), spread(a, b)});
    };
    if (solids_.size() == 1)
      add_facet(p, q);
    else
      wet_parts(p, q, s.surface, add_facet);
  }
}

/// Puts the boundary together; false if it does not close.
bool Cutter::assemble() {
  start();
  add_edges();
  if (!segments_.empty()) add_facets();
  return gap_.norm() <= closed * h_ && volume_ > 0;
}

/// A corner that lies just on another surface can be judged in two ways. Then solids are moved a
/// little.
bool Cutter::assemble_shifted() {
  if (assemble()) return true;
  unshifted_ = segments_;
  for (int attempt = 0; attempt < shifts; ++attempt) {
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      const Vec2 by = shift * h_ * hashed_direction(segments_[k].surface, attempt);
      segments_[k].a = unshifted_[k].a + by;
      segments_[k].b = unshifted_[k].b + by;
    }
    if (assemble()) return true;
  }
  return false;
}

/// Every solid becomes the half plane behind its nearest point. The facet goes to the segment
/// nearest to that point.
void Cutter::mend() {
  for (const Solid& s : solids_) {
    const Vec2 point = -s.distance * s.normal;
    std::uint32_t nearest = none;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < unshifted_.size(); ++k) {
      if (unshifted_[k].surface != s.surface) continue;
      const double d = (nearest_on(unshifted_[k], point) - point).squaredNorm();
      if (d < least) least = d, nearest = k;
    }
    if (nearest != none) polygon_.clip(-s.normal, s.distance, Behind::solid, nearest);
  }
  segments_.clear();
  assemble();
  ++block_.mended;
}

void Cutter::write() {
  std::sort(faces_.begin(), faces_.end(),
            [](const CellFace& a, const CellFace& b) { return a.neighbour < b.neighbour; });
  block_.faces.insert(block_.faces.end(), faces_.begin(), faces_.end());
  block_.facets.insert(block_.facets.end(), facets_.begin(), facets_.end());
  block_.face_end.push_back(static_cast<std::uint32_t>(block_.faces.size()));
  block_.facet_end.push_back(static_cast<std::uint32_t>(block_.facets.size()));
  block_.worst_gap = std::max(block_.worst_gap, gap_.norm() / h_);
  out_.volume[i_] = volume_;
  out_.centroid[i_] = volume_ > 1e-12 * h_ * h_ ? in_plane(moment_ / volume_) : Vec3(0, 0, 0);
  out_.open[i_] = open_;
}

}  // namespace cells_2d

void cut_cells_2d(const CellInput& input, CellBlock& block, Cells& out) {
  constexpr std::size_t run = 32;  // particles that share a search for surfaces
  cells_2d::Cutter cutter(input, block, out);
  for (std::size_t begin = block.begin; begin < block.end; begin += run) {
    const std::size_t end = std::min(block.end, begin + run);
    cutter.find_surfaces(begin, end);
    for (std::size_t k = begin; k < end; ++k) cutter.cut(input.search.particle(k));
  }
}

}  // namespace hydrolith
