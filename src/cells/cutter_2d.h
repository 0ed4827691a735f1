#pragma once
// What cuts cells in the plane: a convex polygon, the segments of solids near it, and the steps
// from one to the other.

#include "cells/cell_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace hydrolith::cells_2d {

inline constexpr int frame_edges = 16;
inline constexpr double least_face = 1e-12;  // [h]
inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

inline double cross(const Vec2& a, const Vec2& b) { return a[0] * b[1] - a[1] * b[0]; }
inline Vec2 left_of(const Vec2& a) { return {-a[1], a[0]}; }
inline Vec3 in_plane(const Vec2& a) { return {a[0], a[1], 0}; }

/// What lies behind an edge of the polygon, and its number: a neighbour, the frame to start from, a
/// line inside a thin solid, a segment that stands for its whole solid.
enum class Behind : std::uint8_t { neighbour, frame, thin, solid };

struct Corner {
  Vec2 p;  // [m]
  Behind behind;
  std::uint32_t number;  // of what is behind the edge from here to the next corner
};

/// Convex, counter-clockwise, around x_i at the origin.
struct ConvexPolygon {
  std::vector<Corner> corners, scratch;
  std::vector<double> beyond;

  std::size_t size() const { return corners.size(); }
  const Vec2& from(std::size_t k) const { return corners[k].p; }
  const Vec2& to(std::size_t k) const { return corners[k + 1 == corners.size() ? 0 : k + 1].p; }

  double reach_sq() const {
    double most = 0;
    for (const Corner& c : corners) most = std::max(most, c.p.squaredNorm());
    return most;
  }

  /// Keeps the side n.y <= c; true if something was cut off.
  bool clip(const Vec2& n, double c, Behind behind, std::uint32_t number) {
    const std::size_t count = corners.size();
    beyond.resize(count);
    bool any = false;
    for (std::size_t k = 0; k < count; ++k) any |= (beyond[k] = n.dot(corners[k].p) - c) > 0;
    if (!any) return false;
    scratch.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const double s0 = beyond[k], s1 = beyond[k + 1 == count ? 0 : k + 1];
      if (s0 <= 0) scratch.push_back(corners[k]);
      if ((s0 <= 0) == (s1 <= 0)) continue;
      const Vec2 crossing = from(k) + s0 / (s0 - s1) * (to(k) - from(k));
      if (s0 <= 0)
        scratch.push_back({crossing, behind, number});
      else
        scratch.push_back({crossing, corners[k].behind, corners[k].number});
    }
    corners.swap(scratch);
    return true;
  }
};

/// A segment of an outline near x_i, solid on the left.
struct Segment {
  Vec2 a, b;  // [m] from x_i
  std::uint32_t surface, element;
};

inline Vec2 nearest_on(const Segment& s, const Vec2& x) {
  const Vec2 along = s.b - s.a;
  return s.a + std::clamp((x - s.a).dot(along) / along.squaredNorm(), 0.0, 1.0) * along;
}

/// A surface near x_i.
struct Solid {
  std::uint32_t surface = 0;
  int depth = 0;               // of x_i: 1 if it lies in the solid
  Vec2 normal = Vec2::Zero();  // at the nearest point, out of the solid
  double distance = 0;         // [m] of the nearest point, negative in the solid
};

/// A line n.y = c through the middle of a thin solid. Between `from` and `to` [m] along left_of(n)
/// it parts the liquid on its two sides: the ends of the solid are far.
struct ThinLine {
  Vec2 n;
  double c;                  // [m]
  double from = 0, to = -1;  // [m] nowhere
  bool parts = false;
};

/// A piece of the wet boundary, the cell on its left.
struct Piece {
  enum class Of : std::uint8_t { face, facet, nothing };
  Vec2 a, b;  // [m]
  Of kind;
  std::uint32_t number;  // of the face or facet
};

/// Length and moments of pieces.
struct LineSum {
  double length = 0, squares = 0;  // [m], [m^3]
  Vec2 moment = Vec2::Zero();      // [m^2]

  void add(const Vec2& a, const Vec2& b);
  void add(double weight, const LineSum& o) {
    length += weight * o.length, squares += weight * o.squares, moment += weight * o.moment;
  }
};

/// Cuts the cells of a block one by one. One call of cut() is the way of a cell.
class Cutter {
 public:
  Cutter(const CellInput& input, CellBlock& block, Cells& out)
      : in_(input), h_(input.options.h), block_(block), out_(out), surface_(input.free_surface) {
    const double radius = surface_.radius(2) / std::cos(std::numbers::pi / frame_edges);
    for (std::uint32_t k = 0; k < frame_edges; ++k) {
      const double angle = 2 * std::numbers::pi * k / frame_edges;
      frame_.push_back({radius * Vec2(std::cos(angle), std::sin(angle)), Behind::frame, k});
    }
  }

  /// Looks for the surfaces near the particles at places [begin, end), which are cut next.
  void find_surfaces(std::size_t begin, std::size_t end);

  void cut(std::uint32_t i) {
    i_ = i;
    find_solids();
    lines_.clear();
    clip_by_neighbours();
    if (!segments_.empty()) clip_by_plates();
    keep_segments_in_reach();
    if (!assemble_shifted()) mend();
    end_at_free_surface();
    write();
  }

 private:
  // Solids near x_i.
  double solid_reach() const;
  void find_solids();
  void find_solid(std::uint32_t surface, double reach);
  void find_thin_lines();
  double plate_thickness(const Segment& s, const Vec2& foot, const Vec2& inward, double most) const;
  void keep_segments_in_reach();

  // The convex polygon.
  void clip_by_neighbours();
  void clip_by_plates();
  bool blocked(const Vec2& y) const;
  bool is_parted(const Vec2& y) const;
  double free_end(std::uint32_t surface, const Vec2& middle, const Vec2& way);
  void drop_lines_with_liquid_behind();
  bool drop_wet_line();

  // Its wet boundary.
  int depth_at(const Vec2& y, std::uint32_t without) const;
  template <class F>
  void wet_parts(const Vec2& p, const Vec2& q, std::uint32_t without, F&& f);
  double wet_length(std::size_t edge);
  void start();
  void add(const Vec2& a, const Vec2& b, Piece::Of kind, std::size_t number);
  void add_edges();
  void add_facet(const Segment& s, const Vec2& n, const LineSum& sum);
  void add_facets();
  bool assemble();
  bool assemble_shifted();
  void mend();
  void end_at_free_surface();
  double volume_within(double R) const;
  void sum_within(double R, std::vector<LineSum>& faces, std::vector<LineSum>& facets) const;
  void write();

  const CellInput& in_;
  const double h_;
  CellBlock& block_;
  Cells& out_;
  const FreeSurface& surface_;
  std::vector<Corner> frame_;

  std::vector<std::uint32_t> surfaces_;  // near the present particles
  std::uint32_t i_ = 0;
  std::vector<Solid> solids_;
  std::vector<Segment> segments_, unshifted_;
  std::vector<ThinLine> lines_;
  ConvexPolygon polygon_;
  std::vector<Corner> whole_;  // of the polygon, before plates

  double volume_ = 0, whole_volume_ = 0, open_ = 0;  // within the free surface; within the frame
  Vec2 moment_ = Vec2::Zero(), gap_ = Vec2::Zero();
  std::vector<Piece> pieces_;
  std::vector<CellFace> faces_;
  std::vector<CellFacet> facets_;
  std::array<std::vector<LineSum>, FreeSurface::balls> ball_faces_, ball_facets_;

  struct Crossing {
    double along;  // of the piece, 0 to 1
    int step;      // of the depth
  };
  std::vector<Crossing> crossings_;
  std::vector<std::uint32_t> elements_, ends_;
  std::vector<CellSearch::Candidate> candidates_;
};

}  // namespace hydrolith::cells_2d
