#include "cells/plates_3d.h"

#include "geometry/triangle_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hydrolith {

namespace {

// Plates that part the liquid on their two sides: see parting_reach of solids_2d.cpp.
constexpr double plate_reach = 1.5, thick_plate = 1, plate_margin = 4, wet_end = 2;  // [h]
constexpr std::uint32_t nobody = ~std::uint32_t(0);
constexpr std::size_t most_triangles = 32;  // near a grid cell

}  // namespace

void PlateFinder::start(const CellInput& input) {
  input_ = &input;
  h_ = input.options.h;
}

void PlateFinder::look_around(const Box3& box) { near_grid_cell_ = may_be_near(box); }

// Liquid behind a plate may be nearer to the plate's surface here than the particle is. It is no
// neighbour, or each side's pressure would reach the other side of the plate, and liquid flow
// through it. Nearer to an end of the plate than its margin the two sides are one liquid.
void PlateFinder::find(const Vec3& x) {
  x_ = x;
  plates_.clear();
  if (!near_grid_cell_) return;
  const double reach = plate_reach * h_;
  input_->surface_boxes.near(x_, reach, surfaces_);
  for (const std::uint32_t s : surfaces_) {
    const CellSurface& surface = input_->surfaces[s];
    const Pose& pose = surface.pose;
    SurfaceIndex::Nearest nearest;
    if (!surface.index->nearest(pose.inverse() * x_, reach, nearest)) continue;
    const std::size_t before = plates_.size();
    add(s, pose * nearest.point - x_, pose.orientation * -nearest.normal);
    if (plates_.size() == before) continue;
    // Thin here: it may be so elsewhere, as in the corner of a tank.
    surface.index->near(pose.inverse() * x_, reach, near_);
    for (const std::uint32_t element : near_) {
      Vec3 corner[3];
      surface.index->corners(element, corner);
      for (Vec3& c : corner) c = pose * c - x_;
      const auto closest = closest_on_triangle(Vec3::Zero(), corner[0], corner[1], corner[2]);
      const Vec3 n = (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalized();
      if (-n.dot(closest.point) > 0.9999 * closest.point.norm() && n.dot(plates_[before].n) > -0.99)
        add(s, closest.point, -n);
    }
  }
}

void PlateFinder::add(std::uint32_t s, const Vec3& point, const Vec3& inward) {
  const CellSurface& surface = input_->surfaces[s];
  const double distance = inward.dot(point);
  if (distance <= 0 || distance >= plate_reach * h_) return;
  const Pose to_body = surface.pose.inverse();
  const double thickness = surface.index->thickness(to_body * (point + x_),
                                                    to_body.orientation * inward, thick_plate * h_);
  if (!(thickness < thick_plate * h_)) return;
  Plate plate{inward, distance + 0.5 * thickness, s};
  plate.nearest_end = nearest_end(plate, point + 0.5 * thickness * inward);
  if (plate.nearest_end > plate_margin * h_) plates_.push_back(plate);
}

// How far a plate goes on from a point in its middle, four ways, before it ends in the liquid
// [m]; other solids and air are no ends, liquid at all of them ends it here.
double PlateFinder::nearest_end(const Plate& plate, const Vec3& middle) {
  constexpr double beyond = 0.01, endless = std::numeric_limits<double>::infinity();  // [h]
  const CellSurface& surface = input_->surfaces[plate.surface];
  const Pose to_body = surface.pose.inverse();
  const Vec3 u = (plate.n.sum() < 0 ? Vec3(-plate.n) : plate.n).unitOrthogonal();
  const Vec3 v = plate.n.cross(u);
  double nearest = endless;
  int wet = 0;
  for (const Vec3& way : {u, v, Vec3(-u), Vec3(-v)}) {
    const double end =
        surface.index->thickness(to_body * (middle + x_), to_body.orientation * way, endless);
    if (!std::isfinite(end)) continue;
    // On the way back from there what comes out of another solid was in it.
    const Vec3 out = middle + x_ + (end + beyond * h_) * way;
    input_->surface_boxes.near(middle + x_, end, ends_);
    const bool in_other = std::any_of(ends_.begin(), ends_.end(), [&](std::uint32_t s) {
      const CellSurface& other = input_->surfaces[s];
      const Pose to_other = other.pose.inverse();
      return s != plate.surface &&
             other.index->thickness(to_other * out, to_other.orientation * Vec3(-way), end) < end;
    });
    if (in_other) continue;
    input_->search.shell(out, nobody, 0, wet_end * h_, at_end_);
    if (at_end_.empty()) continue;
    nearest = std::min(nearest, end);
    ++wet;
  }
  return wet == 4 ? 0 : nearest;
}

bool PlateFinder::part(const Vec3& to) {
  return std::any_of(plates_.begin(), plates_.end(), [&](const Plate& plate) {
    const double across = plate.n.dot(to);
    if (!(across > plate.c)) return false;
    // From where the way to the neighbour crosses the plate; far from ends that is the same.
    return plate.nearest_end > (plate_margin + 2 * plate_reach) * h_ ||
           nearest_end(plate, plate.c / across * to) > plate_margin * h_;
  });
}

// Whether there may be plates near the grid cell: two triangles of a solid, back to back. Where
// there are many triangles nobody looks.
bool PlateFinder::may_be_near(const Box3& box) {
  const double radius = 0.5 * box.size().norm() + (plate_reach + thick_plate) * h_;
  input_->surface_boxes.near(box.centre(), radius, surfaces_);
  for (const std::uint32_t s : surfaces_) {
    const CellSurface& surface = input_->surfaces[s];
    surface.index->near(surface.pose.inverse() * box.centre(), radius, near_);
    if (near_.size() > most_triangles) return true;
    sides_.clear();
    for (const std::uint32_t element : near_) {
      Vec3 corner[3];
      surface.index->corners(element, corner);
      const Vec3 n = (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalized();
      for (const Side& other : sides_) {
        const double thickness = n.dot(corner[0]) + other.offset;
        if (n.dot(other.out) < -0.9 && thickness > 0 && thickness < thick_plate * h_) return true;
      }
      sides_.push_back({n, n.dot(corner[0])});
    }
  }
  return false;
}

}  // namespace hydrolith
