// Solids near a cell in the plane: their segments, and lines that keep the cell on its side of a
// plate.

#include "cells/cutter_2d.h"

#include <array>
#include <cmath>

namespace hydrolith::cells_2d {

/// Segments up to here matter to a cell.
double Cutter::solid_reach() const { return std::max(2 * h_, frame_.front().p.norm()); }

void Cutter::find_surfaces(std::size_t begin, std::size_t end) {
  Box3 box;
  for (std::size_t k = begin; k < end; ++k) box.include(in_.search.position(k));
  const double reach = solid_reach() + 0.5 * box.size().norm();
  in_.surface_boxes.near(box.centre(), reach, surfaces_);
  std::erase_if(surfaces_, [&](std::uint32_t s) {
    const auto& [index, pose] = in_.surfaces[s];
    index->near(pose.orientation.conjugate() * (box.centre() - pose.position), reach, elements_);
    return elements_.empty();
  });
}

void Cutter::find_solids() {
  solids_.clear();
  segments_.clear();
  for (const std::uint32_t s : surfaces_) find_solid(s, solid_reach());
}

void Cutter::find_solid(std::uint32_t s, double reach) {
  const auto& [index, pose] = in_.surfaces[s];
  const Vec3 x = in_.x[i_], x_body = pose.orientation.conjugate() * (x - pose.position);
  index->near(x_body, reach, elements_);
  SurfaceIndex::Nearest nearest;
  if (elements_.empty() || !index->nearest(x_body, reach, nearest)) return;
  const Vec3 normal = pose.orientation * nearest.normal;
  solids_.push_back({s, nearest.distance < 0 ? 1 : 0, normal.head<2>(), nearest.distance});
  const Vec3 offset = pose.position - x;
  for (const std::uint32_t e : elements_) {
    std::array<Vec3, 2> c;
    index->corners(e, c.data());
    const Vec3 a = pose.orientation * c[0] + offset, b = pose.orientation * c[1] + offset;
    segments_.push_back({a.head<2>(), b.head<2>(), s, e});
  }
}

namespace {

// Liquid behind a plate that is nearer to the plate's surface on this side than a particle is.
constexpr double parting_reach = 1.5;  // [h] of the particle from the plate
constexpr double parting_most = 1.0;   // [h] thickness of the plate

/// [h] Nearer to an end in the liquid the two sides of a plate are one liquid. Where that begins
/// cells of both sides may claim the same corner, or leave one out, which stirs the liquid; so
/// plates with liquid round both ends, where both sides have about the same pressure anyway, part
/// nothing.
constexpr double parting_margin = 4;
constexpr double wet_end = 2;  // [h] from liquid

}  // namespace

/// A cell must not come out on the far side of a plate. Where the solid behind the nearest point
/// of a segment is thinner than the reach of the cell, a line half way through may bound the cell.
void Cutter::find_thin_lines() {
  const double reach = std::sqrt(polygon_.reach_sq()), far = std::max(reach, parting_reach * h_);
  for (const Segment& s : segments_) {
    const Vec2 inward = left_of(s.b - s.a).normalized();
    const double d = inward.dot(s.a);
    if (!(d >= 0 && d < far)) continue;  // seen from outside
    const Vec2 foot = nearest_on(s, Vec2(0, 0));
    if (foot.squaredNorm() >= far * far) continue;
    const double most = foot.squaredNorm() < reach * reach ? reach - d : 0;
    const double thickness = plate_thickness(s, foot, inward, std::max(most, parting_most * h_));
    if (!std::isfinite(thickness)) continue;
    ThinLine line{inward, d + 0.5 * thickness};
    if (thickness < parting_most * h_) {
      const Vec2 middle = foot + 0.5 * thickness * inward, along = left_of(inward);
      const double below = free_end(s.surface, middle, -along);
      const double above = free_end(s.surface, middle, along), margin = parting_margin * h_;
      line.from = along.dot(foot) - below + margin;
      line.to = along.dot(foot) + above - margin;
      line.parts = line.from < line.to && !std::isfinite(below + above);
    }
    if (thickness < most || line.parts) lines_.push_back(line);
  }
}

/// How far a plate goes on along its middle [m] before it ends in the liquid; infinite if it ends
/// in another solid or in the air.
double Cutter::free_end(std::uint32_t surface, const Vec2& middle, const Vec2& way) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  constexpr double beyond = 0.01;  // [h]
  const auto& [index, pose] = in_.surfaces[surface];
  const Quat to_body = pose.orientation.conjugate();
  const Vec3 x = in_.x[i_] + in_plane(middle);
  const double end =
      index->thickness(to_body * (x - pose.position), to_body * in_plane(way), endless);
  if (!std::isfinite(end)) return endless;
  // On the way back from there what comes out of another solid was in it.
  const Vec3 out = x + (end + beyond * h_) * in_plane(way);
  in_.surface_boxes.near(x, end, ends_);
  for (const std::uint32_t s : ends_) {
    const auto& [other, at] = in_.surfaces[s];
    const Quat to_other = at.orientation.conjugate();
    if (s != surface &&
        other->thickness(to_other * (out - at.position), to_other * in_plane(-way), end) < end)
      return endless;
  }
  in_.search.shell(out, none, 0, wet_end * h_, candidates_);
  return candidates_.empty() ? endless : end;
}

/// Thickness [m] of the solid behind a point of a segment; infinite if it is no plate. A plate has
/// parallel faces and goes on along its middle, at least to one side: a grain or a wedge is none.
double Cutter::plate_thickness(const Segment& s, const Vec2& foot, const Vec2& inward,
                               double most) const {
  constexpr double no_plate = std::numeric_limits<double>::infinity();
  const auto& [index, pose] = in_.surfaces[s.surface];
  const Quat to_body = pose.orientation.conjugate();
  const Vec3 n = to_body * in_plane(inward), along = to_body * in_plane(left_of(inward));
  const Vec3 point = to_body * (in_.x[i_] + in_plane(foot) - pose.position);
  const double thickness = index->thickness(point, n, most);
  SurfaceIndex::Nearest y;
  if (!std::isfinite(thickness) || !index->nearest(point + thickness * n, h_, y)) return no_plate;
  if (y.normal.dot(n) < 0.95) return no_plate;
  const Vec3 middle = point + 0.5 * thickness * n;
  for (const double way : {-0.75 * h_, 0.75 * h_})
    if (index->nearest(middle + way * along, h_, y) && y.distance < 0) return thickness;
  return no_plate;
}

/// Segments that the polygon cannot touch do not matter.
void Cutter::keep_segments_in_reach() {
  const double reach_sq = polygon_.reach_sq();
  std::erase_if(segments_, [&](const Segment& s) {
    return nearest_on(s, Vec2(0, 0)).squaredNorm() > reach_sq * (1 + 1e-9);
  });
}

/// Whether the way to y goes in and out of a solid.
bool Cutter::blocked(const Vec2& y) const {
  bool in = false, out = false;
  for (const Segment& s : segments_) {
    if ((cross(y, s.a) < 0) == (cross(y, s.b) < 0)) continue;
    const bool from_inside = cross(s.a, s.b) > 0, to_inside = cross(s.b - s.a, y - s.a) >= 0;
    in |= !from_inside && to_inside;
    out |= from_inside && !to_inside;
  }
  return in && out;
}

/// Whether a plate parts the cell from a neighbour at y: the two press on its two sides, not on
/// each other.
bool Cutter::is_parted(const Vec2& y) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const ThinLine& line) {
    const double across = line.n.dot(y);
    if (!(line.parts && across > line.c)) return false;
    const double at = line.c / across * left_of(line.n).dot(y);
    return at > line.from && at < line.to;
  });
}

/// Where the cell has a wet face towards a neighbour beyond the plate, not parted by it, there is
/// liquid on both sides. Then bisectors alone bound the cells: a line would leave gaps, and faces
/// that differ from side to side, at the ends of the plate.
void Cutter::drop_lines_with_liquid_behind() {
  for (std::size_t k = 0; k < polygon_.size() && !lines_.empty(); ++k) {
    const Corner& c = polygon_.corners[k];
    if (c.behind != Behind::neighbour) continue;
    const Vec2 y = (in_.x[c.number] - in_.x[i_]).head<2>();
    const auto beyond = [&](const ThinLine& line) { return !line.parts && line.n.dot(y) > line.c; };
    if (std::any_of(lines_.begin(), lines_.end(), beyond) && blocked(y) &&
        wet_length(k) > least_face * h_)
      std::erase_if(lines_, beyond);
  }
}

/// A line serves only where it stays inside the solid: at the end of a plate the cell may go round
/// it. Drops the one with most of its length in the liquid; false if there is none.
bool Cutter::drop_wet_line() {
  double most = least_face * h_;
  std::uint32_t worst = none;
  for (std::size_t k = 0; k < polygon_.size(); ++k) {
    if (polygon_.corners[k].behind != Behind::thin) continue;
    const double wet = wet_length(k);
    if (wet > most) most = wet, worst = polygon_.corners[k].number;
  }
  if (worst == none) return false;
  lines_.erase(lines_.begin() + worst);
  return true;
}

/// Liquid behind a plate may be nearer to its surface here than the particle is, so that a bisector
/// would let the pressure of each side reach the other side of the plate, and liquid flow through
/// it: where plates part the two the cell is clipped anew, without those behind.
void Cutter::clip_by_plates() {
  find_thin_lines();
  if (lines_.empty()) return;
  const bool anew =
      std::any_of(lines_.begin(), lines_.end(), [](auto& line) { return line.parts; });
  do {
    if (anew) clip_by_neighbours();
    drop_lines_with_liquid_behind();
    whole_ = polygon_.corners;
    for (std::uint32_t k = 0; k < lines_.size(); ++k)
      polygon_.clip(lines_[k].n, lines_[k].c, Behind::thin, k);
    if (!drop_wet_line()) return;
    polygon_.corners = whole_;
  } while (true);
}

}  // namespace hydrolith::cells_2d
