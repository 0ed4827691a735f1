#pragma once
// A convex polyhedron around the origin, cut by one plane after another. A vertex is the meeting
// point of three planes, so faces and edges need no lists of their own while it is cut.

#include "hydrolith/vec.h"

#include <array>
#include <cstdint>

namespace hydrolith {

class Polyhedron {
 public:
  static constexpr int most_planes = 128, most_vertices = 256;

  /// The cube |x|, |y|, |z| <= half_width; all its faces carry the label.
  void start_cube(double half_width, std::int64_t label);
  /// Keeps n.x <= d, n a unit vector. True if something was cut off. A plane that would not fit any
  /// more is left out and `overflow` is set.
  bool cut(const Vec3& n, double d, std::int64_t label);

  bool empty() const { return vertices_ == 0; }
  bool overflow() const { return overflow_; }
  double farthest_sq() const { return farthest_sq_; }  // of the vertices from the origin
  int planes() const { return planes_; }               // some may have no face any more
  int vertices() const { return vertices_; }
  Vec3 vertex(int v) const { return {x_[v], y_[v], z_[v]}; }
  Vec3 normal(int p) const { return normal_[p]; }
  double distance(int p) const { return distance_[p]; }
  std::int64_t label(int p) const { return label_[p]; }
  void set_label(int p, std::int64_t label) { label_[p] = label; }
  /// Largest n.v of the vertices.
  double support(const Vec3& n) const;

  /// Lists the faces: calls of the functions below are valid until the next cut. False if the
  /// faces do not close up.
  bool trace_faces();
  /// The face of plane p: corners first_corner(p) .. first_corner(p + 1), counter-clockwise seen
  /// from outside.
  int first_corner(int p) const { return first_[p]; }
  int corner(int c) const { return corner_[c]; }
  /// Plane on the other side of the edge from corner c to the next one of its face.
  int across(int c) const { return across_[c]; }

 private:
  using Triple = std::array<std::uint8_t, 3>;  // planes, counter-clockwise seen from outside
  struct Border {
    std::uint8_t u, v;
  };
  int find_removed(const Vec3& n, double d);
  bool find_border(int removed);
  void replace(int removed, int p);
  void place(int v, Triple planes);
  void pack_planes();
  void find_farthest();

  alignas(32) double x_[most_vertices], y_[most_vertices], z_[most_vertices], r_sq_[most_vertices];
  Triple triple_[most_vertices];
  Vec3 normal_[most_planes];
  double distance_[most_planes];
  std::int64_t label_[most_planes];
  int planes_ = 0, vertices_ = 0;
  double farthest_sq_ = 0;
  bool overflow_ = false;

  int removed_[most_vertices];
  Border border_[most_vertices];
  int borders_ = 0;
  std::uint64_t leads_[most_planes][2];  // planes that follow this one at a removed vertex

  int first_[most_planes + 1];
  int corner_[3 * most_vertices], across_[3 * most_vertices];
  std::uint8_t next_[most_planes][most_planes];  // vertex whose triple has plane a, then b
};

}  // namespace hydrolith
