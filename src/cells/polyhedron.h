#pragma once
// A convex polyhedron around the origin, cut by one plane after another. Every vertex is the end of
// three edges, in three planes; it knows both, so that a cut walks from vertex to vertex.

#include "hydrolith/vec.h"

#include "cells/cell_kernels.h"

#include <cstdint>

namespace hydrolith {

class Polyhedron {
 public:
  static constexpr int most_planes = 128, most_vertices = 256;

  /// The cube |x|, |y|, |z| <= half_width; all its faces carry the label.
  void start_cube(double half_width, std::int64_t label);
  /// Keeps n.x <= d, n a unit vector. True if something was cut off. A plane that would not fit any
  /// more is left out and `overflow` is set.
  bool cut(const Vec3& n, double d, std::int64_t label) { return cut(n, d, 1, label); }
  /// Keeps what is nearer to the origin than to y; r_sq = |y|^2.
  bool cut_half_way(const Vec3& y, double r_sq, std::int64_t label) {
    return cut(y, 0.5 * r_sq, r_sq, label);
  }

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

  /// Edge e = 0, 1, 2 of vertex v: the vertex it leads to, and the planes it lies in, on the left
  /// and on the right of that way seen from outside.
  int edge_to(int v, int e) const { return ends_[v].to[e]; }
  int edge_left(int v, int e) const { return ends_[v].plane[e == 2 ? 0 : e + 1]; }
  int edge_right(int v, int e) const { return ends_[v].plane[e]; }

  /// Calls f(a, b, left, right) for every edge once: vertices and planes as above.
  template <class F>
  void for_each_edge(F&& f) const {
    std::uint16_t list[3 * most_vertices + 1];  // without branches that none can foretell
    int edges = 0;
    for (int a = 0; a < vertices_; ++a)
      for (int e = 0; e < 3; ++e) {
        list[edges] = std::uint16_t(4 * a + e);
        edges += a < ends_[a].to[e];
      }
    for (int k = 0; k < edges; ++k) {
      const int a = list[k] >> 2, e = list[k] & 3;
      f(a, edge_to(a, e), edge_left(a, e), edge_right(a, e));
    }
  }

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
  static constexpr int longest_border = 63;

  /// Planes counter-clockwise seen from outside; edge e lies in plane[e] and the next one, and
  /// leads to vertex to[e].
  struct Ends {
    std::uint8_t plane[3];
    std::uint8_t to[3];
  };
  struct Border {  // an edge in planes u and v from a kept vertex to a removed one
    std::uint8_t u, v, kept, removed;
  };
  bool cut(const Vec3& n, double d, double length_sq, std::int64_t label);
  bool find_removed(const Vec3& n, double d);
  bool find_border();
  bool find_ring();
  void replace(int p);
  void relink(int v, int plane, int to) {
    Ends& ends = ends_[v];
    ends.to[(ends.plane[1] == plane) + 2 * (ends.plane[2] == plane)] = std::uint8_t(to);
  }
  void move_vertex(int from, int to);
  void pack_planes();
  bool is_removed(int v) const { return beyond_[v >> 6] >> (v & 63) & 1; }

  double x_[most_vertices + kernel_padding] = {}, y_[most_vertices + kernel_padding] = {},
                            z_[most_vertices + kernel_padding] = {};
  double r_sq_[most_vertices + kernel_padding] = {};  // zero where there is no vertex
  Ends ends_[most_vertices];
  Vec3 normal_[most_planes];
  double distance_[most_planes];
  std::int64_t label_[most_planes];
  int planes_ = 0, vertices_ = 0;
  double farthest_sq_ = 0;
  bool overflow_ = false;

  double s_[most_vertices + kernel_padding];  // of the vertices beyond the plane under way
  std::uint64_t beyond_[most_vertices / 64];
  std::uint8_t removed_[most_vertices];
  Border border_[longest_border + 3];
  int removed_count_ = 0, borders_ = 0;
  double new_x_[longest_border], new_y_[longest_border], new_z_[longest_border];
  std::uint8_t after_[2 * most_planes] = {};  // the border whose u is this plane; then rubbish

  int first_[most_planes + 1];
  int corner_[3 * most_vertices], across_[3 * most_vertices];
};

}  // namespace hydrolith
