#pragma once
// The wet part of a convex cell: the cell minus the solids, whose surfaces are triangle meshes.

#include "cells/polyhedron.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith {

/// A triangle of a solid's surface, counter-clockwise seen from outside the solid.
struct CutTriangle {
  Vec3 corner[3];  // [m] from the particle
  std::uint32_t surface = 0, element = 0;
};

/// Area and first moment of a plane region.
struct PlaneSum {
  double area = 0;             // [m^2]
  Vec3 moment = Vec3::Zero();  // [m^3] integral of position
  double spread = 0;           // [m^4] integral of its square

  void add(double weight, const PlaneSum& o) {
    area += weight * o.area, moment += weight * o.moment, spread += weight * o.spread;
  }
};

/// Boundary, volume and first moment of the wet cell. Memory is kept from cell to cell.
class SolidCut {
 public:
  struct Facet {
    std::uint32_t surface = 0, element = 0;
    Vec3 normal = Vec3::Zero();  // out of the cell, into the solid
    double distance = 0;         // [m] of its plane from the origin, along the normal
    PlaneSum sum;
  };
  /// A line of the boundary of a face or facet, counter-clockwise seen from outside the cell.
  struct Line {
    Vec3 a, b;  // [m]
    int owner;  // plane of the cell, or their number and that of the facet
  };

  /// The faces of the cell must have been traced. The origin must lie outside the solids. False if
  /// inside and outside do not agree along the cell's edges.
  bool cut(const Polyhedron& cell, std::span<const CutTriangle> triangles);
  /// The same where there is no solid; faces need not have been traced.
  void sum_whole(const Polyhedron& cell);

  double keep_lines_beyond_sq = 1e300;  // [m^2] lines are kept of cells that reach farther
  std::vector<Line> lines;
  std::vector<PlaneSum> faces;  // of each plane of the cell, wet part
  std::vector<Facet> facets;
  double volume = 0;           // [m^3]
  Vec3 moment = Vec3::Zero();  // [m^4] integral of position
  double gap = 0;              // [m^2] |sum of the area vectors|
  double farthest_sq = 0;      // [m^2] of the wet cell from the origin

 private:
  struct Corner {
    Vec3 x;
    int plane;  // that the edge to the next corner lies in; -1: an edge of the triangle
  };
  struct Piece {  // a triangle clipped by the cell
    Vec3 normal;
    std::uint32_t triangle = 0;
    int first = 0, last = 0;  // in corners_
  };
  struct Segment {  // where a piece ends on a plane of the cell
    int plane = 0;
    std::uint32_t surface = 0;
    Vec3 a, b;
  };
  struct Crossing {  // of a piece with the cell's edge between two planes
    int from = 0, to = 0;
    Vec3 x;
  };
  struct Step {
    double t = 0;
    int change = 0;
  };

  void clear(int planes);
  void clip(const Polyhedron& cell, std::uint32_t triangle);
  void collect(const Piece& piece, std::uint32_t surface);
  bool count_solids(const Polyhedron& cell);
  void sum_face(const Polyhedron& cell, int p);
  void sum_piece(const Piece& piece);
  void find_steps(int p, int q, const Vec3& a, const Vec3& b);
  int solids_at(const Vec3& x, std::uint32_t except, std::uint32_t except_too) const;
  void add_edge(const Vec3& a, const Vec3& b, int solids);
  void add_outside(const Vec3& a, const Vec3& b, std::uint32_t except, std::uint32_t except_too);
  void add_line(const Vec3& a, const Vec3& b);
  void add_overlap(const Piece& piece, const Piece& other);

  std::span<const CutTriangle> triangles_;
  std::vector<Corner> corners_, polygon_, clipped_;
  std::vector<Piece> pieces_;
  std::vector<Segment> segments_;
  std::vector<Crossing> crossings_;
  std::vector<Step> steps_;
  std::vector<int> solids_, stack_;  // solids a vertex lies in
  bool several_ = false;             // pieces of more than one surface

  bool keeps_lines_ = false;
  // the plane region being summed
  int owner_ = 0;
  bool inward_ = false;  // its lines run clockwise seen from outside the cell
  Vec3 normal_ = Vec3::Zero(), reference_ = Vec3::Zero();
  PlaneSum sum_;
};

/// How the segment from a to b passes a triangle: 1 into the solid, -1 out of it, 0 not at all.
/// Segments through an edge that two triangles share pass exactly one of them.
int passes(const Vec3& a, const Vec3& b, const CutTriangle& triangle);

}  // namespace hydrolith
