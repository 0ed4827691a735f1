// Voronoi cells in 3D: bisectors nearest first, then solids, then balls where a cell is open.
#include "cells/ball_cut_3d.h"
#include "cells/cell_parts.h"
#include "cells/cell_walk.h"
#include "cells/plates_3d.h"
#include "cells/polyhedron.h"
#include "cells/solid_cut_3d.h"
#include "geometry/triangle_distance.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hydrolith {

namespace {

// Labels of planes: a neighbour's number, or
constexpr std::int64_t start_label = -1;      // the cube to start from
constexpr std::int64_t surface_label = -100;  // less the number of the surface

constexpr std::size_t most_known = 32;  // vertices of a cell that others have found
constexpr std::size_t most_walls = 12, most_wall_triangles = 32;  // near a grid cell
constexpr std::uint32_t wall_bit = std::uint32_t(1) << 31;        // in labels of a walk
constexpr double in_plane = 1e-9;                                 // [h]
constexpr double mostly_enough = 1.75;  // [h] most vertices lie nearer to four particles than half

/// One cell after another, in memory of its own.
class CellCutter {
 public:
  void cut(const CellInput& input, CellBlock& block, Cells& out);

 private:
  struct Wall {  // the plane of a convex patch near the grid cell
    std::uint32_t surface = 0, patch = 0;
    Vec3 inward = Vec3::Zero();  // into the solid
    double offset = 0;           // [m] liquid is where inward.y <= offset
    int plane = -1;              // of the walk
    std::size_t first_side = 0, last_side = 0;

    std::uint32_t label() const { return wall_bit | surface << 21 | patch; }
  };
  struct WallTriangle {
    std::uint32_t element = 0, wall = 0;
    Vec3 corner[3];  // [m]
  };
  void cut_one(std::size_t place, CellBlock& block, Cells& out);
  bool cut_inside(std::size_t own, CellBlock& block, Cells& out);
  void give_vertices(std::size_t place);
  void pass_on_vertices(std::size_t place);
  void write_walked(CellBlock& block, Cells& out);
  bool cut_by_neighbours(bool exact);
  void cut_by_nearest(CellSearch::Surroundings& around, double outer);
  void find_solids_near();
  void add_wall_triangle(std::uint32_t s, std::uint32_t element);
  int set_walls(double reach);
  int plane_of(std::uint32_t label) const;
  bool bears_face(int plane) const { return plane >= 0 && (walked_.faces >> plane & 1) != 0; }
  bool bounded_by_walls() const;
  bool is_apart(const WallTriangle& t) const;
  void write_walls(CellBlock& block);
  Vec3 apart(std::uint32_t s) const;
  void gather_triangles();
  void gather_triangles(double radius);
  void append_triangles(std::uint32_t s);
  bool cut_by_tangents(bool exact);
  bool cut_half_way(std::uint32_t s, const Vec3& point, const Vec3& inward);
  bool cut_by_solids();
  void end_at_free_surface();
  bool near_a_solid();
  bool build(bool exact);
  void write(CellBlock& block, Cells& out);

  struct Tangent {  // at a surface near the particle
    std::uint32_t surface = 0, element = 0;
    double distance_sq = 0;  // [m^2] of the element, the nearest one
  };

  struct Known {             // a vertex that a cell of the block has found for another one
    std::uint32_t place[3];  // of the neighbours, or labels of walls, counter-clockwise
    Vec3 x;                  // [m] from the block's first particle
  };

  const CellInput* input_ = nullptr;
  std::size_t i_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // places of the block
  std::vector<Known> known_;         // most_known for every place of the block
  std::vector<std::uint8_t> known_count_;
  std::vector<std::uint8_t> plane_of_;  // of the walk, of every place; others may be anything
  Vec3 x_ = Vec3::Zero();
  double h_ = 0;
  double searched_ = 0;      // [m] distance up to which neighbours have cut the cell
  bool solids_near_ = true;  // may cut cells that end within the first shell
  bool only_walls_ = false;  // and all of them are in the lists of walls
  std::vector<Wall> walls_;
  std::vector<FlatPatches::Side> wall_sides_;
  std::vector<WallTriangle> wall_triangles_;
  bool wet_all_over_ = false;  // known to touch no solid within R_2
  const FreeSurface* surface_ = nullptr;
  FreeSurface::Volume volume_;
  WalkedCell walked_;
  Polyhedron cell_;
  SolidCut wet_;
  BallCuts balls_;
  CellSearch::Surroundings surroundings_, wide_;  // wide_: empty until it is needed
  std::size_t first_ = 0;                         // place in the grid cell they are of
  std::vector<CellSearch::Near> nearest_;
  std::vector<std::uint32_t> surfaces_, near_;  // surfaces near the particle, elements of one
  std::vector<CutTriangle> triangles_, shifted_;
  std::vector<Tangent> tangents_;
  PlateFinder plates_;
};

// Bisector of x_i and x_j: n = (x_j - x_i) / r, d = r / 2. A neighbour farther than twice the
// farthest vertex cuts nothing.
void CellCutter::cut_by_nearest(CellSearch::Surroundings& around, double outer) {
  const CellSearch& search = input_->search;
  search.near(x_, outer, around, nearest_);
  // Bands are of squared distance; single precision is good for a thousandth of a band.
  const double outer_sq = outer * outer, band = 1.01 * outer_sq / CellSearch::bands;
  const double inner_sq = searched_ * searched_;
  for (const CellSearch::Near& near : nearest_) {
    if (near.distance_sq > 4 * cell_.farthest_sq() + band) break;
    const Vec3 to = search.position(near.place) - x_;
    const double r_sq = to.squaredNorm();
    if (r_sq > 0 && r_sq >= inner_sq && r_sq < outer_sq && r_sq <= 4 * cell_.farthest_sq() &&
        !plates_.part(to))
      cell_.cut_half_way(to, r_sq, search.particle(near.place));
  }
  searched_ = outer;
}

// Neighbours up to the width of the search's grid, then all that can cut the wet cell within R_2.
// Beside a solid the first ones are mostly enough, although the cell reaches far into the solid:
// then the cut by solids is done, and true is returned.
bool CellCutter::cut_by_neighbours(bool exact) {
  const double reach = surface_->radius(2);
  const auto needed = [&](double farthest_sq) {
    return std::min(2 * reach, 2 * std::sqrt(farthest_sq) * (1 + 1e-9));
  };
  cell_.start_cube(reach, start_label);
  for (const PlateFinder::Plate& plate : plates_.found())
    cell_.cut(plate.n, plate.c, surface_label - std::int64_t(plate.surface));
  searched_ = 0;
  wet_all_over_ = false;
  cut_by_nearest(surroundings_, std::min(input_->search.width(), 2 * reach));
  if (searched_ >= needed(cell_.farthest_sq())) return false;
  wet_all_over_ = !near_a_solid();
  if (!wet_all_over_ && exact) {
    gather_triangles();
    if (!triangles_.empty() && cut_by_solids() && searched_ >= needed(wet_.farthest_sq))
      return true;
  }
  if (searched_ < needed(cell_.farthest_sq())) {
    if (wide_.places.empty()) input_->search.gather(first_, 2 * reach, wide_);
    cut_by_nearest(wide_, 2 * reach);
  }
  return false;
}

void CellCutter::gather_triangles() {
  triangles_.clear();
  if (wet_all_over_) return;
  const double radius = std::sqrt(cell_.farthest_sq());
  gather_triangles(radius);
}

void CellCutter::gather_triangles(double radius) {
  triangles_.clear();
  input_->surface_boxes.near(x_, radius, surfaces_);
  for (const std::uint32_t s : surfaces_) {
    const CellSurface& surface = input_->surfaces[s];
    surface.index->near(surface.pose.inverse() * x_, radius, near_);
    if (!near_.empty()) append_triangles(s);
  }
}

// Solids that touch would have faces in one plane: all but the first are moved a little.
Vec3 CellCutter::apart(std::uint32_t s) const {
  return 1e-7 * h_ * Vec3(std::sin(1.0 * s), std::sin(2.3 * s), std::sin(3.7 * s));
}

void CellCutter::append_triangles(std::uint32_t s) {
  const CellSurface& surface = input_->surfaces[s];
  const Vec3 off = apart(s) - x_;
  for (const std::uint32_t element : near_) {
    CutTriangle t;
    t.surface = s;
    t.element = element;
    surface.index->corners(element, t.corner);
    for (Vec3& c : t.corner) c = surface.pose * c + off;
    triangles_.push_back(t);
  }
}

// If the cell reaches through a thin solid behind a point of the surface, it ends half-way in it.
bool CellCutter::cut_half_way(std::uint32_t s, const Vec3& point, const Vec3& inward) {
  const CellSurface& surface = input_->surfaces[s];
  // How far in the cell reaches within R_2.
  const double distance = inward.dot(point);
  const double depth = std::min(cell_.support(inward), surface_->radius(2)) - distance;
  if (distance <= 0 || depth <= 0) return false;
  const Pose to_body = surface.pose.inverse();
  const double thickness =
      surface.index->thickness(to_body * (point + x_), to_body.orientation * inward, depth);
  return thickness < depth &&
         cell_.cut(inward, distance + 0.5 * thickness, surface_label - std::int64_t(s));
}

// Thin solids: at the nearest point of each surface, and wherever a triangle lies straight ahead,
// as in the corner of a tank with thin walls. When the exact cut has failed, the cell ends at the
// tangent plane of every surface.
bool CellCutter::cut_by_tangents(bool exact) {
  bool changed = false;
  tangents_.clear();
  for (const CutTriangle& t : triangles_) {
    const auto closest = closest_on_triangle(Vec3::Zero(), t.corner[0], t.corner[1], t.corner[2]);
    if (tangents_.empty() || tangents_.back().surface != t.surface)
      tangents_.push_back({t.surface, t.element, closest.distance_sq});
    else if (closest.distance_sq < tangents_.back().distance_sq)
      tangents_.back() = {t.surface, t.element, closest.distance_sq};
    if (!exact) continue;
    const Vec3 n = (t.corner[1] - t.corner[0]).cross(t.corner[2] - t.corner[0]).normalized();
    if (-n.dot(closest.point) > 0.9999 * closest.point.norm())
      changed |= cut_half_way(t.surface, closest.point, -n);
  }
  for (const auto& [s, element, distance_sq] : tangents_) {
    const Pose& pose = input_->surfaces[s].pose;
    SurfaceIndex::Nearest nearest;
    const double radius = std::sqrt(distance_sq) + 0.01 * h_;
    if (!input_->surfaces[s].index->nearest(pose.inverse() * x_, radius, nearest)) continue;
    const Vec3 point = pose * nearest.point - x_, inward = pose.orientation * -nearest.normal;
    if (exact)
      changed |= cut_half_way(s, point, inward);
    else
      changed |= cell_.cut(inward, std::max(inward.dot(point), 0.01 * h_),
                           surface_label - std::int64_t(s));
  }
  return changed;
}

// If inside and outside do not agree, a triangle touches an edge or a vertex of the cell within
// round-off: move the triangles a little.
bool CellCutter::cut_by_solids() {
  const double most = 1e-9 * h_ * h_;
  if (triangles_.empty()) {
    wet_.sum_whole(cell_);
    return wet_.gap <= most && wet_.volume > 0;
  }
  if (!cell_.trace_faces()) return false;
  if (wet_.cut(cell_, triangles_) && wet_.gap <= most && wet_.volume > 0) return true;
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const double k = attempt + 4.0 * double(i_ % 1024);
    const Vec3 shift = 1e-6 * h_ * Vec3(std::sin(k), std::sin(2.3 * k), std::sin(3.7 * k));
    shifted_ = triangles_;
    for (CutTriangle& t : shifted_)
      for (Vec3& c : t.corner) c += shift;
    if (wet_.cut(cell_, shifted_) && wet_.gap <= most && wet_.volume > 0) return true;
  }
  return false;
}

bool CellCutter::near_a_solid() {
  SurfaceIndex::Nearest nearest;
  const double reach = surface_->radius(2);
  input_->surface_boxes.near(x_, reach, surfaces_);
  return std::any_of(surfaces_.begin(), surfaces_.end(), [&](std::uint32_t s) {
    const CellSurface& surface = input_->surfaces[s];
    return surface.index->nearest(surface.pose.inverse() * x_, reach, nearest);
  });
}

// Volume of free_surface.h; the balls' parts of faces and facets where the cell is open.
void CellCutter::end_at_free_surface() {
  volume_ = {.volume = std::max(wet_.volume, 0.0)};
  if (wet_.farthest_sq <= surface_->radius(1) * surface_->radius(1)) return;
  double radii[FreeSurface::balls];
  for (int k = 0; k < FreeSurface::balls; ++k) radii[k] = surface_->radius(k);
  balls_.cut(cell_, wet_, radii);
  const FreeSurface::Volume v = surface_->of(balls_.volume);
  if (v.open > 0) volume_ = v;
}

bool CellCutter::build(bool exact) {
  bool done = cut_by_neighbours(exact);
  if (!done) gather_triangles();
  if (!triangles_.empty() && cut_by_tangents(exact)) done = false;
  if (!exact) triangles_.clear();
  return done || cut_by_solids();
}

void CellCutter::write(CellBlock& block, Cells& out) {
  const double least = 1e-12 * h_ * h_;
  const bool open = volume_.open > 0;
  const int planes = int(wet_.faces.size());
  // What counts for all but pressure, and for pressure, of a face or facet.
  const auto area_of = [&](int owner, const PlaneSum& whole) {
    if (!open) return whole;
    PlaneSum sum;
    for (int k = 0; k < FreeSurface::balls; ++k) sum.add(volume_.area[k], balls_.faces[k][owner]);
    return sum.area > 0 ? sum : PlaneSum{};
  };
  const auto push_of = [&](int owner, const PlaneSum& whole) {
    if (!open) return whole;
    PlaneSum sum;
    for (int k = 0; k < FreeSurface::balls; ++k) sum.add(volume_.weight[k], balls_.faces[k][owner]);
    return sum;
  };
  const auto add_facet = [&](std::uint32_t surface, std::uint32_t element, const Vec3& n, int owner,
                             const PlaneSum& whole) {
    const PlaneSum area = area_of(owner, whole), push = push_of(owner, whole);
    if (std::abs(area.area) <= least && std::abs(push.area) <= least) return;
    block.facets.push_back({.particle = std::uint32_t(i_),
                            .surface = surface,
                            .element = element,
                            .normal = n,
                            .area = area.area,
                            .centre = area.area > least ? Vec3(area.moment / area.area)
                                                        : Vec3(whole.moment / whole.area),
                            .spread = area.spread,
                            .push = push.area,
                            .moment = push.moment});
  };
  std::uint64_t order[Polyhedron::most_planes];  // neighbour, then plane
  int neighbours = 0;
  for (int p = 0; p < planes; ++p) {
    const PlaneSum& face = wet_.faces[p];
    const std::int64_t label = cell_.label(p);
    if (face.area <= least) continue;
    if (label >= 0) {
      if (open && balls_.faces[2][p].area <= least) continue;
      const std::uint64_t key = std::uint64_t(label) << 8 | std::uint64_t(p);
      int k = neighbours++;
      for (; k > 0 && order[k - 1] > key; --k) order[k] = order[k - 1];
      order[k] = key;
    } else if (label <= surface_label) {
      const auto surface = std::uint32_t(surface_label - label);
      const auto tangent = std::find_if(tangents_.begin(), tangents_.end(),
                                        [&](const Tangent& t) { return t.surface == surface; });
      add_facet(surface, tangent->element, cell_.normal(p), p, face);
    }
  }
  for (int k = 0; k < neighbours; ++k) {
    const int p = int(order[k] & 255);
    const PlaneSum area = area_of(p, wet_.faces[p]), push = push_of(p, wet_.faces[p]);
    block.faces.push_back(
        {std::uint32_t(order[k] >> 8), area.area, area.spread, push.area, push.moment});
  }
  for (int k = 0; k < int(wet_.facets.size()); ++k) {
    const SolidCut::Facet& f = wet_.facets[k];
    add_facet(f.surface, f.element, f.normal, planes + k, f.sum);
  }
  block.face_end.push_back(std::uint32_t(block.faces.size()));
  block.facet_end.push_back(std::uint32_t(block.facets.size()));
  block.worst_gap = std::max(block.worst_gap, wet_.gap / (h_ * h_));
  out.volume[i_] = volume_.volume;
  out.centroid[i_] = wet_.volume > 0 ? Vec3(wet_.moment / wet_.volume) : Vec3::Zero();
  out.open[i_] = volume_.open;
}

// Solids that cells of a grid cell may reach, all of them together.
void CellCutter::find_solids_near() {
  const Box3& box = surroundings_.box;
  const double radius = 0.5 * box.size().norm() + 0.5 * input_->search.width();
  const Vec3 centre = box.centre();
  walls_.clear();
  wall_sides_.clear();
  wall_triangles_.clear();
  solids_near_ = false;
  only_walls_ = true;
  input_->surface_boxes.near(centre, radius, surfaces_);
  for (const std::uint32_t s : surfaces_) {
    const CellSurface& surface = input_->surfaces[s];
    surface.index->near(surface.pose.inverse() * centre, radius, near_);
    solids_near_ |= !near_.empty();
    only_walls_ = only_walls_ && wall_triangles_.size() + near_.size() <= most_wall_triangles;
    if (!only_walls_) {
      if (solids_near_) return;
      continue;
    }
    for (const std::uint32_t element : near_) add_wall_triangle(s, element);
    only_walls_ = walls_.size() <= most_walls;
  }
}

void CellCutter::add_wall_triangle(std::uint32_t s, std::uint32_t element) {
  const CellSurface& surface = input_->surfaces[s];
  const FlatPatches& flats = surface.index->flats();
  const std::uint32_t patch = flats.of(element);
  const Vec3 off = apart(s);
  WallTriangle t;
  t.element = element;
  surface.index->corners(element, t.corner);
  for (Vec3& c : t.corner) c = surface.pose * c + off;
  const auto same = [&](const Wall& w) { return w.surface == s && w.patch == patch; };
  t.wall = std::uint32_t(std::find_if(walls_.begin(), walls_.end(), same) - walls_.begin());
  if (t.wall == walls_.size()) {
    Wall wall{.surface = s, .patch = patch, .first_side = wall_sides_.size()};
    wall.inward = surface.pose.orientation * -flats.patch(patch).normal;
    wall.offset = wall.inward.dot(t.corner[0]);
    for (const FlatPatches::Side& side : flats.sides(patch)) {
      const Vec3 out = surface.pose.orientation * side.out;
      wall_sides_.push_back({out, side.offset + out.dot(surface.pose.position + off)});
    }
    wall.last_side = wall_sides_.size();
    walls_.push_back(wall);
  }
  wall_triangles_.push_back(t);
}

// Walls ahead within reach bound the cell like neighbours behind them, mirrored. How many do.
int CellCutter::set_walls(double reach) {
  int planes = 0;
  for (Wall& w : walls_) {
    w.plane = -1;
    const double distance = w.offset - w.inward.dot(x_);
    const bool known = w.surface < 1024 && w.patch < (std::uint32_t(1) << 21);
    if (w.first_side == w.last_side || !known || distance < 1e-4 * h_ || distance >= reach)
      continue;
    if (planes == WalkedCell::most_planes) return planes;
    w.plane = planes++;
    walked_.set(w.plane, 2 * distance * w.inward, w.label());
  }
  return planes;
}

// Whether the cell that walls have bounded is the wet one: each face in a wall lies on it, and
// nothing else of a solid comes into the cell, or through it behind a wall, where liquid on the
// other side may be nearest to this particle too.
bool CellCutter::bounded_by_walls() const {
  const double most = in_plane * h_;
  for (const Wall& w : walls_) {
    if (!bears_face(w.plane)) continue;
    for (int v = 0; v < walked_.vertices; ++v) {
      const auto& of = walked_.ends[v].plane;
      if (of[0] != w.plane && of[1] != w.plane && of[2] != w.plane) continue;
      const Vec3 x = Vec3(walked_.x[v], walked_.y[v], walked_.z[v]) + x_;
      for (std::size_t k = w.first_side; k < w.last_side; ++k)
        if (wall_sides_[k].out.dot(x) > wall_sides_[k].offset + most) return false;
    }
  }
  return std::all_of(wall_triangles_.begin(), wall_triangles_.end(),
                     [&](const WallTriangle& t) { return is_apart(t); });
}

bool CellCutter::is_apart(const WallTriangle& t) const {
  const Wall& own = walls_[t.wall];
  if (own.plane >= 0 || std::abs(own.offset - own.inward.dot(x_)) > h_) return true;
  const Vec3 corner[] = {t.corner[0] - x_, t.corner[1] - x_, t.corner[2] - x_};
  const auto all = [&](auto&& f) { return std::all_of(corner, corner + 3, f); };
  for (std::uint64_t bits = walked_.faces; bits != 0; bits &= bits - 1) {
    const int p = std::countr_zero(bits);
    const Vec3 n(walked_.nx[p], walked_.ny[p], walked_.nz[p]);
    if ((walked_.label[p] & wall_bit) == 0 &&
        all([&](const Vec3& c) { return n.dot(c) > walked_.distance[p]; }))
      return true;
  }
  const double distance_sq =
      closest_on_triangle(Vec3::Zero(), corner[0], corner[1], corner[2]).distance_sq;
  if (distance_sq > h_ * h_) return true;
  return distance_sq > walked_.farthest_sq &&
         std::all_of(walls_.begin(), walls_.end(), [&](const Wall& w) {
           const double distance = w.offset - w.inward.dot(x_) + in_plane * h_;
           return !bears_face(w.plane) ||
                  all([&](const Vec3& c) { return w.inward.dot(c) <= distance; });
         });
}

// Most cells: closed, all neighbours within the first shell, and no solids near but flat walls.
bool CellCutter::cut_inside(std::size_t own, CellBlock& block, Cells& out) {
  const CellSearch& search = input_->search;
  const double reach = std::min(search.width(), 2 * surface_->radius(1));
  const std::size_t found = search.find(x_, reach, surroundings_);
  const int walls = only_walls_ ? set_walls(0.5 * reach) : 0;
  if (found + std::size_t(walls) > WalkedCell::most_planes) return false;
  // Nearer neighbours first: most vertices need no others.
  const double near = mostly_enough * h_;
  const auto near_sq = float(near * near);
  int first = walls, last = int(found) + walls;
  for (std::size_t k = 0; k < found; ++k) {
    const std::uint32_t place = surroundings_.places[surroundings_.found[k]];
    if (place == own) continue;
    const bool is_near = surroundings_.distance_sq[k] < near_sq;
    last -= !is_near;
    const int p = is_near ? first : last;
    walked_.set(p, search.position(place) - x_, place);
    plane_of_[place] = std::uint8_t(p);
    first += is_near;
  }
  for (int p = first; p < last; ++p) {  // in place of the particle itself
    walked_.set(p, Vec3::Zero(), std::uint32_t(own));
    walked_.distance[p] = 1;
  }
  walked_.near = first;
  walked_.planes = int(found) + walls;
  walked_.near_sq = near * near * (1 - 1e-5);
  give_vertices(own);
  bool whole = walk(walked_);
  if (!whole && walked_.given > 0) {
    walked_.vertices = 0;
    whole = walk(walked_);
  }
  if (!whole || 4 * walked_.farthest_sq * (1 + 1e-9) > reach * reach) return false;
  if (only_walls_) {
    if (!bounded_by_walls()) return false;
  } else if (solids_near_) {
    gather_triangles(std::sqrt(walked_.farthest_sq));
    if (!triangles_.empty()) return false;
  }
  sum_faces(walked_);
  if (!(walked_.gap <= 1e-9 * h_ * h_ && walked_.volume > 0)) return false;
  pass_on_vertices(own);
  write_walked(block, out);
  return true;
}

int CellCutter::plane_of(std::uint32_t label) const {
  if ((label & wall_bit) == 0) return plane_of_[label];
  for (const Wall& w : walls_)
    if (w.label() == label) return w.plane;
  return -1;
}

void CellCutter::give_vertices(std::size_t place) {
  const Vec3 origin = x_ - input_->search.position(begin_);
  const Known* known = &known_[most_known * (place - begin_)];
  walked_.vertices = 0;
  for (int k = 0; k < known_count_[place - begin_]; ++k) {
    int plane[3];
    bool all = true;
    for (int l = 0; l < 3; ++l) {
      plane[l] = plane_of(known[k].place[l]);
      all &= plane[l] >= 0 && plane[l] < walked_.planes &&
             walked_.label[plane[l]] == known[k].place[l];
    }
    if (all) walked_.give(plane[0], plane[1], plane[2], known[k].x - origin);
  }
}

// A vertex in planes (a, b, c) of this cell is one of cell a in planes (this, c, b), and so on.
void CellCutter::pass_on_vertices(std::size_t place) {
  const Vec3 origin = x_ - input_->search.position(begin_);
  const auto own = std::uint32_t(place);
  const auto pass_on = [&](std::uint32_t to, std::uint32_t p, std::uint32_t q, std::uint32_t r,
                           const Vec3& x) {
    if (to <= own || to >= end_) return;
    std::uint8_t& count = known_count_[to - begin_];
    if (count < most_known) known_[most_known * (to - begin_) + count++] = {{p, q, r}, x};
  };
  for (int v = walked_.given; v < walked_.vertices; ++v) {
    const auto& plane = walked_.ends[v].plane;
    const std::uint32_t a = walked_.label[plane[0]], b = walked_.label[plane[1]];
    const std::uint32_t c = walked_.label[plane[2]];
    const Vec3 x = Vec3(walked_.x[v], walked_.y[v], walked_.z[v]) + origin;
    pass_on(a, own, c, b, x);
    pass_on(b, c, own, a, x);
    pass_on(c, b, a, own, x);
  }
}

void CellCutter::write_walked(CellBlock& block, Cells& out) {
  const double least = 1e-12 * h_ * h_;
  int plane[WalkedCell::most_planes], faces = 0;
  std::int32_t of[WalkedCell::most_planes];
  for (std::uint64_t bits = walked_.faces; bits != 0; bits &= bits - 1) {
    const int p = std::countr_zero(bits);
    if ((walked_.label[p] & wall_bit) != 0) continue;
    plane[faces] = p;
    of[faces] = std::int32_t(input_->search.particle(walked_.label[p]));
    faces += walked_.moment[p][3] > least;
  }
  const std::size_t begin = block.faces.size();
  block.faces.resize(begin + std::size_t(faces));
  for (int k = 0; k < faces; ++k) {
    int before = 0;
    for (int l = 0; l < faces; ++l) before += of[l] < of[k];
    const double(&m)[4] = walked_.moment[plane[k]];
    block.faces[begin + std::size_t(before)] = {
        std::uint32_t(of[k]), m[3], walked_.spread[plane[k]], m[3], Vec3(m[0], m[1], m[2])};
  }
  if (only_walls_) write_walls(block);
  block.face_end.push_back(std::uint32_t(block.faces.size()));
  block.facet_end.push_back(std::uint32_t(block.facets.size()));
  block.worst_gap = std::max(block.worst_gap, walked_.gap / (h_ * h_));
  out.volume[i_] = walked_.volume;
  out.centroid[i_] = walked_.centre / walked_.volume;
  out.open[i_] = 0;
}

// Of the triangles of a wall, the one that has the facet's centre, or comes nearest to it.
void CellCutter::write_walls(CellBlock& block) {
  for (std::uint32_t k = 0; k < walls_.size(); ++k) {
    const Wall& w = walls_[k];
    if (!bears_face(w.plane)) continue;
    const double(&m)[4] = walked_.moment[w.plane];
    if (m[3] <= 1e-12 * h_ * h_) continue;
    const Vec3 moment(m[0], m[1], m[2]), centre = moment / m[3];
    std::uint32_t element = 0;
    double least = 1e300;
    for (const WallTriangle& t : wall_triangles_) {
      if (t.wall != k) continue;
      const double distance_sq =
          closest_on_triangle(x_ + centre, t.corner[0], t.corner[1], t.corner[2]).distance_sq;
      if (distance_sq < least) least = distance_sq, element = t.element;
    }
    block.facets.push_back({.particle = std::uint32_t(i_),
                            .surface = w.surface,
                            .element = element,
                            .normal = w.inward,
                            .area = m[3],
                            .centre = centre,
                            .spread = walked_.spread[w.plane],
                            .push = m[3],
                            .moment = moment});
  }
}

void CellCutter::cut_one(std::size_t place, CellBlock& block, Cells& out) {
  i_ = input_->search.particle(place);
  x_ = input_->x[i_];
  plates_.find(x_);
  if (plates_.found().empty() && cut_inside(place, block, out)) return;
  if (!build(true)) {
    ++block.mended;
    build(false);
  }
  end_at_free_surface();
  write(block, out);
}

void CellCutter::cut(const CellInput& input, CellBlock& block, Cells& out) {
  input_ = &input;
  h_ = input.options.h;
  surface_ = &input.free_surface;
  begin_ = block.begin;
  end_ = block.end;
  known_.resize(most_known * (end_ - begin_));
  known_count_.assign(end_ - begin_, 0);
  plane_of_.resize(input.search.size());
  plates_.start(input);
  wet_.keep_lines_beyond_sq = surface_->radius(1) * surface_->radius(1);
  for (std::size_t place = block.begin; place < block.end;) {
    first_ = place;
    wide_.places.clear();
    const double width = input.search.width();
    const std::size_t end = std::min(input.search.gather(place, width, surroundings_), block.end);
    find_solids_near();
    plates_.look_around(surroundings_.box);
    for (; place < end; ++place) cut_one(place, block, out);
  }
}

}  // namespace

void cut_cells_3d(const CellInput& input, CellBlock& block, Cells& out) {
  thread_local CellCutter cutter;
  cutter.cut(input, block, out);
}

}  // namespace hydrolith
