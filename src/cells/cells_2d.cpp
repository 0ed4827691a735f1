// Cells in the plane. A cell is a convex polygon, clipped by bisectors, minus the solids.
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
/// nothing, nor does one behind a plate that parts the two.
void Cutter::clip_by_neighbours() {
  polygon_.corners = frame_;
  const Vec3& x = in_.x[i_];
  double reach_sq = polygon_.reach_sq();
  double inner = 0, outer = 1.75 * h_;
  while (true) {
    in_.search.shell(x, i_, inner, outer, candidates_);
    for (const CellSearch::Candidate& c : candidates_) {
      if (c.distance_sq >= 4 * reach_sq) return;
      const Vec2 d = (in_.x[c.particle] - x).head<2>();
      if (c.distance_sq == 0 || is_parted(d)) continue;
      if (polygon_.clip(d, 0.5 * c.distance_sq, Behind::neighbour, c.particle))
        reach_sq = polygon_.reach_sq();
    }
    if (outer * outer >= 4 * reach_sq) return;
    inner = outer;
    outer = std::min(1.5 * outer, 2.0001 * std::sqrt(reach_sq));
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

void LineSum::add(const Vec2& a, const Vec2& b) {
  const double part = (b - a).norm();
  length += part;
  moment += 0.5 * part * (a + b);
  squares += part / 3 * (a.squaredNorm() + b.dot(a + b));
}

void Cutter::start() {
  volume_ = open_ = 0;
  moment_ = gap_ = Vec2::Zero();
  pieces_.clear();
  faces_.clear();
  facets_.clear();
}

/// A piece of the boundary from a to b, the cell on its left.
void Cutter::add(const Vec2& a, const Vec2& b, Piece::Of kind, std::size_t number) {
  const double v = 0.5 * cross(a, b);
  volume_ += v;
  moment_ += v / 3 * (a + b);
  gap_ += b - a;
  pieces_.push_back({a, b, kind, static_cast<std::uint32_t>(number)});
}

void Cutter::add_edges() {
  for (std::size_t k = 0; k < polygon_.size(); ++k) {
    const Corner& c = polygon_.corners[k];
    const bool face = c.behind == Behind::neighbour, facet = c.behind == Behind::solid;
    const Piece::Of kind = face ? Piece::Of::face : facet ? Piece::Of::facet : Piece::Of::nothing;
    const std::size_t before = pieces_.size();
    LineSum sum;
    wet_parts(polygon_.from(k), polygon_.to(k), none, [&](const Vec2& a, const Vec2& b) {
      add(a, b, kind, face ? faces_.size() : facets_.size());
      sum.add(a, b);
    });
    if (sum.length <= least_face * h_) {  // too small to count
      for (std::size_t p = before; p < pieces_.size(); ++p) pieces_[p].kind = Piece::Of::nothing;
      continue;
    }
    if (face)
      faces_.push_back({c.number, sum.length, sum.squares, sum.length, in_plane(sum.moment)});
    if (facet) {
      const Segment& s = unshifted_[c.number];
      const Vec2 n = -left_of(polygon_.to(k) - polygon_.from(k)).normalized();
      add_facet(s, n, sum);
    }
  }
}

void Cutter::add_facet(const Segment& s, const Vec2& n, const LineSum& sum) {
  facets_.push_back({.particle = i_,
                     .surface = s.surface,
                     .element = s.element,
                     .normal = in_plane(n),
                     .area = sum.length,
                     .centre = in_plane(sum.moment / sum.length),
                     .spread = sum.squares,
                     .push = sum.length,
                     .moment = in_plane(sum.moment)});
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
    const auto add_part = [&](const Vec2& a, const Vec2& b) {
      const double length = (b - a).norm();
      const bool counts = length > least_face * h_;
      add(b, a, counts ? Piece::Of::facet : Piece::Of::nothing, facets_.size());
      if (!counts) return;
      LineSum sum;
      sum.add(a, b);
      add_facet(s, left_of(b - a) / length, sum);
    };
    if (solids_.size() == 1)
      add_part(p, q);
    else
      wet_parts(p, q, s.surface, add_part);
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

namespace {

/// Angle from a to b.
double angle_between(const Vec2& a, const Vec2& b) { return std::atan2(cross(a, b), a.dot(b)); }

/// The part of the way from a to b within R: between t_0 and t_1, of which none is left if they
/// are the wrong way round.
std::pair<double, double> within(const Vec2& a, const Vec2& b, double R) {
  const Vec2 along = b - a;
  const double length_sq = along.squaredNorm(), middle = -a.dot(along) / length_sq;
  const double half_sq = (R * R - (a + middle * along).squaredNorm()) / length_sq;
  if (!(half_sq > 0)) return {1, 0};
  const double half = std::sqrt(half_sq);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace

/// V(R): triangles to the pieces within R, sectors of the circle elsewhere.
double Cutter::volume_within(double R) const {
  double volume = 0;
  for (const Piece& piece : pieces_) {
    const auto [t0, t1] = within(piece.a, piece.b, R);
    if (t0 >= t1) {
      volume += 0.5 * R * R * angle_between(piece.a, piece.b);
      continue;
    }
    const Vec2 along = piece.b - piece.a, p = piece.a + t0 * along, q = piece.a + t1 * along;
    volume += 0.5 * cross(p, q);
    if (t0 > 0) volume += 0.5 * R * R * angle_between(piece.a, p);
    if (t1 < 1) volume += 0.5 * R * R * angle_between(q, piece.b);
  }
  return volume;
}

void Cutter::sum_within(double R, std::vector<LineSum>& faces, std::vector<LineSum>& facets) const {
  faces.assign(faces_.size(), {});
  facets.assign(facets_.size(), {});
  for (const Piece& piece : pieces_) {
    if (piece.kind == Piece::Of::nothing) continue;
    const auto [t0, t1] = within(piece.a, piece.b, R);
    if (t0 >= t1) continue;
    const Vec2 along = piece.b - piece.a;
    (piece.kind == Piece::Of::face ? faces : facets)[piece.number].add(piece.a + t0 * along,
                                                                       piece.a + t1 * along);
  }
}

/// Volume and weights of free_surface.h.
void Cutter::end_at_free_surface() {
  whole_volume_ = volume_;
  double reach_sq = 0;
  for (const Piece& p : pieces_) reach_sq = std::max(reach_sq, p.a.squaredNorm());
  if (reach_sq <= surface_.radius(1) * surface_.radius(1)) return;
  double within[FreeSurface::balls];
  for (int k = 0; k < FreeSurface::balls; ++k) within[k] = volume_within(surface_.radius(k));
  const FreeSurface::Volume v = surface_.of(within);
  if (!(v.open > 0)) return;
  volume_ = v.volume;
  open_ = v.open;
  for (int k = 0; k < FreeSurface::balls; ++k)
    sum_within(surface_.radius(k), ball_faces_[k], ball_facets_[k]);
  const auto weigh = [&](auto& part, const auto& balls, std::size_t number) {
    LineSum area, push;
    for (int k = 0; k < FreeSurface::balls; ++k) {
      area.add(v.area[k], balls[k][number]);
      push.add(v.weight[k], balls[k][number]);
    }
    if (!(area.length > 0)) area = {};
    part.area = area.length;
    part.spread = area.squares;
    part.push = push.length;
    part.moment = in_plane(push.moment);
    return area;
  };
  for (std::size_t k = 0; k < faces_.size(); ++k) weigh(faces_[k], ball_faces_, k);
  for (std::size_t k = 0; k < facets_.size(); ++k) {
    const LineSum area = weigh(facets_[k], ball_facets_, k);
    if (area.length > 0) facets_[k].centre = in_plane(area.moment / area.length);
  }
  const auto gone = [&](const auto& part) { return part.area == 0 && part.push == 0; };
  std::erase_if(faces_, gone);
  std::erase_if(facets_, gone);
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
  out_.centroid[i_] =
      whole_volume_ > 1e-12 * h_ * h_ ? in_plane(moment_ / whole_volume_) : Vec3(0, 0, 0);
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
