// Voronoi cells in 3D: bisectors nearest first, then solids, then caps where a cell is open.
#include "cells/cell_parts.h"
#include "cells/polyhedron.h"
#include "cells/solid_cut_3d.h"
#include "geometry/triangle_distance.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace hydrolith {

namespace {

// Labels of planes: a neighbour's number, or
constexpr std::int64_t start_label = -1;      // the cube to start from
constexpr std::int64_t cap_label = -2;        // less the number of the cap's direction
constexpr std::int64_t surface_label = -100;  // less the number of the surface

/// Directions to the corners of an icosahedron and the middles of its edges, and the polyhedron
/// with these normals at distance 1.
struct CapShape {
  std::vector<Vec3> directions;
  double radius = 0;      // of its farthest vertex
  double least_face = 0;  // area

  CapShape() {
    const double golden = (1 + std::sqrt(5.0)) / 2;
    for (const double s : {-1.0, 1.0})
      for (const double t : {-golden, golden})
        for (const Vec3& v : {Vec3(0, s, t), Vec3(s, t, 0), Vec3(t, 0, s)}) directions.push_back(v);
    const std::size_t corners = directions.size();
    for (std::size_t i = 0; i < corners; ++i)
      for (std::size_t j = i + 1; j < corners; ++j)
        if ((directions[i] - directions[j]).norm() < 2.01)  // the edges have length 2
          directions.push_back(directions[i] + directions[j]);
    Polyhedron shape;
    shape.start_cube(2, start_label);
    for (Vec3& d : directions) {
      d.normalize();
      shape.cut(d, 1, cap_label);
    }
    radius = std::sqrt(shape.farthest_sq());
    SolidCut sums;
    sums.sum_whole(shape);
    least_face = 1e300;
    for (const PlaneSum& face : sums.faces)
      if (face.area > 0) least_face = std::min(least_face, face.area);
  }
};

const CapShape& cap_shape() {
  static const CapShape shape;
  return shape;
}

double smoothstep(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// One cell after another, in memory of its own.
class CellCutter {
 public:
  void cut(const CellInput& input, CellBlock& block, Cells& out);

 private:
  void cut_one(std::size_t i, CellBlock& block, Cells& out);
  bool out_of_reach_of_solids();
  bool cut_by_neighbours(bool exact);
  void cut_by_nearest(double outer);
  void cut_by_shell(double outer);
  void gather_triangles();
  void append_triangles(std::uint32_t s);
  bool cut_by_tangents(bool exact);
  bool cut_half_way(std::uint32_t s, const Vec3& point, const Vec3& inward);
  bool cut_by_solids();
  bool cut_by_caps();
  bool near_a_solid();
  bool near_a_body();
  bool build(bool exact);
  void write(CellBlock& block, Cells& out);

  struct Tangent {  // at a surface near the particle
    std::uint32_t surface = 0, element = 0;
    double distance_sq = 0;  // [m^2] of the element, the nearest one
  };

  const CellInput* input_ = nullptr;
  std::size_t i_ = 0;
  Vec3 x_ = Vec3::Zero();
  double h_ = 0;
  double searched_ = 0;           // [m] distance up to which neighbours have cut the cell
  std::optional<bool> at_solid_;  // within 2 h of one, if known
  bool wet_all_over_ = false;     // known to touch no solid once it is capped
  Polyhedron cell_;
  SolidCut wet_;
  CellSearch::Surroundings surroundings_;
  std::vector<CellSearch::Near> nearest_;
  std::vector<CellSearch::Candidate> candidates_;
  std::vector<std::uint32_t> surfaces_, near_;  // surfaces near the particle, elements of one
  std::vector<CutTriangle> triangles_, shifted_;
  std::vector<Tangent> tangents_;
};

// Bisector of x_i and x_j: n = (x_j - x_i) / r, d = r / 2. A neighbour farther than twice the
// farthest vertex cuts nothing.
void CellCutter::cut_by_nearest(double outer) {
  const CellSearch& search = input_->search;
  search.near(x_, outer, surroundings_, nearest_);
  // Bands are of squared distance; single precision is good for a thousandth of a band.
  const double outer_sq = outer * outer, band = 1.01 * outer_sq / CellSearch::bands;
  for (const CellSearch::Near& near : nearest_) {
    if (near.distance_sq > 4 * cell_.farthest_sq() + band) break;
    const Vec3 to = search.position(near.place) - x_;
    const double r_sq = to.squaredNorm();
    if (r_sq > 0 && r_sq < outer_sq && r_sq <= 4 * cell_.farthest_sq())
      cell_.cut_half_way(to, r_sq, search.particle(near.place));
  }
  searched_ = outer;
}

void CellCutter::cut_by_shell(double outer) {
  input_->search.shell(x_, std::uint32_t(i_), searched_, outer, candidates_);
  for (const CellSearch::Candidate& c : candidates_) {
    if (c.distance_sq > 4 * cell_.farthest_sq()) break;
    if (c.distance_sq > 0)
      cell_.cut_half_way(input_->x[c.particle] - x_, c.distance_sq, c.particle);
  }
  searched_ = outer;
}

// Whether solids can touch the cell, which reaches far: a solid farther off than 2 h is beyond the
// cap that holds away from solids.
bool CellCutter::out_of_reach_of_solids() {
  return input_->options.cap * cap_shape().radius <= 2 && !near_a_solid();
}

// A shell as wide as the grid of the search, then 0.6 h more each, until no neighbour can cut the
// wet cell any more. Beside a solid the first shell is mostly enough, although the cell reaches far
// into the solid: then the cut by solids is done, and true is returned.
bool CellCutter::cut_by_neighbours(bool exact) {
  const CellOptions& o = input_->options;
  double reach = cap_shape().radius * std::max(o.cap, o.cap_at_solids) * h_;
  const auto needed = [&](double farthest_sq) {
    return std::min(2 * reach, 2 * std::sqrt(farthest_sq) * (1 + 1e-9));
  };
  cell_.start_cube(reach, start_label);
  searched_ = 0;
  at_solid_.reset();
  wet_all_over_ = false;
  cut_by_nearest(std::min(input_->search.width(), 2 * reach));
  if (searched_ >= needed(cell_.farthest_sq())) return false;
  wet_all_over_ = out_of_reach_of_solids();
  if (wet_all_over_) {
    reach = cap_shape().radius * o.cap * h_;
  } else if (exact) {
    gather_triangles();
    if (!triangles_.empty() && cut_by_solids() && searched_ >= needed(wet_.farthest_sq))
      return true;
  }
  while (searched_ < needed(cell_.farthest_sq()))
    cut_by_shell(std::min(searched_ + 0.6 * h_, needed(cell_.farthest_sq())));
  return false;
}

void CellCutter::gather_triangles() {
  triangles_.clear();
  if (wet_all_over_) return;
  const double radius = std::sqrt(cell_.farthest_sq());
  input_->surface_boxes.near(x_, radius, surfaces_);
  for (const std::uint32_t s : surfaces_) {
    const CellSurface& surface = input_->surfaces[s];
    surface.index->near(surface.pose.inverse() * x_, radius, near_);
    if (!near_.empty()) append_triangles(s);
  }
}

void CellCutter::append_triangles(std::uint32_t s) {
  const CellSurface& surface = input_->surfaces[s];
  // Solids that touch would have faces in one plane: all but the first are moved a little.
  const Vec3 apart = 1e-7 * h_ * Vec3(std::sin(1.0 * s), std::sin(2.3 * s), std::sin(3.7 * s));
  for (const std::uint32_t element : near_) {
    CutTriangle t;
    t.surface = s;
    t.element = element;
    surface.index->corners(element, t.corner);
    for (Vec3& c : t.corner) c = surface.pose * c - x_ + apart;
    triangles_.push_back(t);
  }
}

// If the cell reaches through a thin solid behind a point of the surface, it ends half-way in it.
bool CellCutter::cut_half_way(std::uint32_t s, const Vec3& point, const Vec3& inward) {
  const CellSurface& surface = input_->surfaces[s];
  // How far in the cell reaches, before a cap ends it.
  const double distance = inward.dot(point);
  const double depth =
      std::min(cell_.support(inward), input_->options.cap_at_solids * h_) - distance;
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
  if (at_solid_) return *at_solid_;
  SurfaceIndex::Nearest nearest;
  input_->surface_boxes.near(x_, 2 * h_, surfaces_);
  at_solid_ = std::any_of(surfaces_.begin(), surfaces_.end(), [&](std::uint32_t s) {
    const CellSurface& surface = input_->surfaces[s];
    return surface.index->nearest(surface.pose.inverse() * x_, 2 * h_, nearest);
  });
  return *at_solid_;
}

// Within 2 h of a solid that moves.
bool CellCutter::near_a_body() {
  if (!near_a_solid()) return false;
  SurfaceIndex::Nearest nearest;
  input_->surface_boxes.near(x_, 2 * h_, surfaces_);
  return std::any_of(surfaces_.begin(), surfaces_.end(), [&](std::uint32_t s) {
    const CellSurface& surface = input_->surfaces[s];
    return surface.moves && surface.index->nearest(surface.pose.inverse() * x_, 2 * h_, nearest);
  });
}

// A cell that reaches beyond the wide cap, at distance c, is cut there; directions in which some
// wet area a is left are open and are cut again at
//   c + (surface - c) t,   t = smoothstep(a / (fully_open * least face of the full cap))
bool CellCutter::cut_by_caps() {
  const CellOptions& o = input_->options;
  const double least = std::min(o.cap, o.cap_at_solids) * h_;
  if (wet_.farthest_sq <= least * least) return true;
  const double c = (near_a_body() ? o.cap_at_solids : o.cap) * h_;
  if (wet_.farthest_sq <= c * c) return true;

  const CapShape& shape = cap_shape();
  for (std::size_t k = 0; k < shape.directions.size(); ++k)
    cell_.cut(shape.directions[k], c, cap_label - std::int64_t(k));
  if (!cut_by_solids()) return false;
  const double open_area = o.fully_open * shape.least_face * c * c;
  double t[64] = {};
  for (int p = 0; p < cell_.planes(); ++p)
    if (cell_.label(p) <= cap_label && cell_.label(p) > surface_label)
      t[cap_label - cell_.label(p)] = smoothstep(wet_.faces[p].area / open_area);
  bool changed = false;
  for (std::size_t k = 0; k < shape.directions.size(); ++k)
    if (t[k] > 1e-9)
      changed |= cell_.cut(shape.directions[k], c + (o.surface * h_ - c) * t[k],
                           cap_label - std::int64_t(k));
  return !changed || cut_by_solids();
}

bool CellCutter::build(bool exact) {
  bool done = cut_by_neighbours(exact);
  if (!done) gather_triangles();
  if (!triangles_.empty() && cut_by_tangents(exact)) done = false;
  if (!exact) triangles_.clear();
  return (done || cut_by_solids()) && cut_by_caps();
}

void CellCutter::write(CellBlock& block, Cells& out) {
  const double least = 1e-12 * h_ * h_;
  std::uint64_t order[Polyhedron::most_planes];  // neighbour, then plane
  int neighbours = 0;
  double open = 0;
  for (int p = 0; p < int(wet_.faces.size()); ++p) {
    const PlaneSum& face = wet_.faces[p];
    const std::int64_t label = cell_.label(p);
    if (face.area <= least) continue;
    if (label >= 0) {
      const std::uint64_t key = std::uint64_t(label) << 8 | std::uint64_t(p);
      int k = neighbours++;
      for (; k > 0 && order[k - 1] > key; --k) order[k] = order[k - 1];
      order[k] = key;
    } else if (label > surface_label) {
      open += face.area;
    } else {
      const auto surface = std::uint32_t(surface_label - label);
      const auto tangent = std::find_if(tangents_.begin(), tangents_.end(),
                                        [&](const Tangent& t) { return t.surface == surface; });
      block.facets.push_back({std::uint32_t(i_), surface, tangent->element,
                              face.area * cell_.normal(p), face.moment / face.area, face.spread});
    }
  }
  for (int k = 0; k < neighbours; ++k) {
    const PlaneSum& face = wet_.faces[order[k] & 255];
    block.faces.push_back(
        {std::uint32_t(order[k] >> 8), face.area, face.moment / face.area, face.spread});
  }
  for (const SolidCut::Facet& f : wet_.facets)
    block.facets.push_back({std::uint32_t(i_), f.surface, f.element, f.area, f.centre, f.spread});
  block.face_end.push_back(std::uint32_t(block.faces.size()));
  block.facet_end.push_back(std::uint32_t(block.facets.size()));
  block.worst_gap = std::max(block.worst_gap, wet_.gap / (h_ * h_));
  out.volume[i_] = std::max(wet_.volume, 0.0);
  out.centroid[i_] = wet_.volume > 0 ? Vec3(wet_.moment / wet_.volume) : Vec3::Zero();
  out.open[i_] = open;
}

void CellCutter::cut_one(std::size_t i, CellBlock& block, Cells& out) {
  i_ = i;
  x_ = input_->x[i];
  if (!build(true)) {
    ++block.mended;
    build(false);
  }
  write(block, out);
}

void CellCutter::cut(const CellInput& input, CellBlock& block, Cells& out) {
  input_ = &input;
  h_ = input.options.h;
  for (std::size_t place = block.begin; place < block.end;) {
    const std::size_t end = std::min(input.search.gather(place, surroundings_), block.end);
    for (; place < end; ++place) cut_one(input.search.particle(place), block, out);
  }
}

}  // namespace

void cut_cells_3d(const CellInput& input, CellBlock& block, Cells& out) {
  thread_local CellCutter cutter;
  cutter.cut(input, block, out);
}

}  // namespace hydrolith
