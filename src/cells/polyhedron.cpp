#include "cells/polyhedron.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hydrolith {

void Polyhedron::start_cube(double half_width, std::int64_t label) {
  planes_ = 6;
  for (int p = 0; p < 6; ++p) {
    normal_[p] = Vec3::Zero();
    normal_[p][p / 2] = p % 2 ? 1 : -1;
    distance_[p] = half_width;
    label_[p] = label;
  }
  std::fill_n(r_sq_, vertices_, 0.0);
  vertices_ = 8;
  for (int v = 0; v < 8; ++v) {
    // Vertex v lies in planes a, b, c. Along the edge in two of them the third one changes.
    const int a = v & 1, b = 2 + (v >> 1 & 1), c = 4 + (v >> 2 & 1);
    const auto byte = [](int k) { return std::uint8_t(k); };
    if (std::popcount(unsigned(v)) % 2)
      ends_[v] = {{byte(a), byte(b), byte(c)}, {byte(v ^ 4), byte(v ^ 1), byte(v ^ 2)}};
    else
      ends_[v] = {{byte(a), byte(c), byte(b)}, {byte(v ^ 2), byte(v ^ 1), byte(v ^ 4)}};
    x_[v] = v & 1 ? half_width : -half_width;
    y_[v] = v & 2 ? half_width : -half_width;
    z_[v] = v & 4 ? half_width : -half_width;
    r_sq_[v] = 3 * half_width * half_width;
  }
  farthest_sq_ = 3 * half_width * half_width;
  overflow_ = false;
}

double Polyhedron::support(const Vec3& n) const {
  double most = -1e300;
  for (int v = 0; v < vertices_; ++v)
    most = std::max(most, n.x() * x_[v] + n.y() * y_[v] + n.z() * z_[v]);
  return most;
}

bool Polyhedron::find_removed(const Vec3& n, double d) {
  std::uint64_t any = 0;
  for (int v = 0; v < vertices_; v += 64) {
    const auto count = std::size_t(std::min(64, vertices_ - v));
    beyond_[v >> 6] = test_plane(x_ + v, y_ + v, z_ + v, count, n.data(), d, s_ + v);
    any |= beyond_[v >> 6];
  }
  return any != 0;
}

// The edges from removed vertices to kept ones. False if they make no proper border; there is none
// if all vertices are removed.
bool Polyhedron::find_border() {
  removed_count_ = borders_ = 0;
  for (int word = 0; 64 * word < vertices_; ++word)
    for (std::uint64_t bits = beyond_[word]; bits != 0; bits &= bits - 1) {
      const auto r = std::uint8_t(64 * word + std::countr_zero(bits));
      removed_[removed_count_++] = r;
      const Ends& ends = ends_[r];
      for (int e = 0; e < 3; ++e) {
        const bool inside = is_removed(ends.to[e]);
        border_[borders_] = {ends.plane[e], ends.plane[e == 2 ? 0 : e + 1], ends.to[e], r};
        after_[ends.plane[e] + most_planes * inside] = std::uint8_t(borders_);
        borders_ += !inside;
      }
      if (borders_ > longest_border) return false;
    }
  return removed_count_ == vertices_ || find_ring();
}

// The border must be a ring: the face of v of one edge is that of u of the next, and every edge is
// the next of one. Round-off can break that. On the way, the new vertices:
//   x = x_k + s_k / (s_k - s_r) (x_r - x_k).
bool Polyhedron::find_ring() {
  std::uint64_t followed = 0;
  bool whole = borders_ >= 3;
  for (int k = 0; k < borders_; ++k) {
    const Border& border = border_[k];
    const int next = after_[border.v], a = border.kept, b = border.removed;
    whole &= next < borders_ && border_[next].u == border.v;
    followed |= std::uint64_t(1) << (next & 63);
    const double t = s_[a] / (s_[a] - s_[b]);
    new_x_[k] = x_[a] + t * (x_[b] - x_[a]);
    new_y_[k] = y_[a] + t * (y_[b] - y_[a]);
    new_z_[k] = z_[a] + t * (z_[b] - z_[a]);
  }
  return whole && followed == (std::uint64_t(1) << borders_) - 1;
}

void Polyhedron::move_vertex(int from, int to) {
  x_[to] = x_[from];
  y_[to] = y_[from];
  z_[to] = z_[from];
  r_sq_[to] = r_sq_[from];
  ends_[to] = ends_[from];
  for (int e = 0; e < 3; ++e) relink(ends_[to].to[e], ends_[to].plane[e == 2 ? 0 : e + 1], to);
}

// A new vertex on every edge of the border: in planes u, v and p, linked to the kept vertex and to
// the new ones before and after it.
void Polyhedron::replace(int p) {
  for (int k = removed_count_; k < borders_; ++k) removed_[k] = std::uint8_t(vertices_++);
  for (int k = 0; k < borders_; ++k) {
    const Border& border = border_[k];
    const int s = removed_[k], next = removed_[after_[border.v]];
    x_[s] = new_x_[k];
    y_[s] = new_y_[k];
    z_[s] = new_z_[k];
    r_sq_[s] = new_x_[k] * new_x_[k] + new_y_[k] * new_y_[k] + new_z_[k] * new_z_[k];
    Ends& ends = ends_[s];
    ends.plane[0] = border.u, ends.plane[1] = border.v, ends.plane[2] = std::uint8_t(p);
    ends.to[0] = border.kept, ends.to[1] = std::uint8_t(next);
    ends_[next].to[2] = std::uint8_t(s);
    relink(border.kept, border.v, s);
  }
  for (int k = removed_count_ - 1; k >= borders_; --k) {  // fill what is left over from the end
    const int last = --vertices_;
    if (removed_[k] != last) move_vertex(last, removed_[k]);
    r_sq_[last] = 0;
  }
}

void Polyhedron::pack_planes() {
  int number[most_planes];
  std::fill_n(number, planes_, -1);
  for (int v = 0; v < vertices_; ++v)
    for (const int p : ends_[v].plane) number[p] = 0;
  int count = 0;
  for (int p = 0; p < planes_; ++p) {
    if (number[p] < 0) continue;
    number[p] = count;
    normal_[count] = normal_[p];
    distance_[count] = distance_[p];
    label_[count++] = label_[p];
  }
  planes_ = count;
  for (int v = 0; v < vertices_; ++v)
    for (std::uint8_t& p : ends_[v].plane) p = std::uint8_t(number[p]);
}

bool Polyhedron::cut(const Vec3& n, double d, double length_sq, std::int64_t label) {
  if (!find_removed(n, d)) return false;
  if (planes_ == most_planes) pack_planes();
  const double length = std::sqrt(length_sq);
  // Round-off can make a border that is no ring: move the plane a hair and try again.
  bool ring = find_border();
  for (int attempt = 0; attempt < 8 && !ring; ++attempt) {
    const double step = 1e-13 * std::sqrt(farthest_sq_) * length;
    d += step * (attempt % 2 ? -1 : 1) * (1 << attempt);
    if (!find_removed(n, d)) return false;
    ring = find_border();
  }
  if (ring && removed_count_ == vertices_) {
    std::fill_n(r_sq_, vertices_, 0.0);
    vertices_ = 0;
    farthest_sq_ = 0;
    return true;
  }
  if (!ring || planes_ == most_planes || vertices_ - removed_count_ + borders_ > most_vertices) {
    overflow_ = true;
    return false;
  }
  const double inverse = 1 / length;
  normal_[planes_] = inverse * n;
  distance_[planes_] = inverse * d;
  label_[planes_] = label;
  replace(planes_++);
  farthest_sq_ = largest(r_sq_, std::size_t(vertices_));
  return true;
}

// Around a vertex with planes (p, v, w) the face of p is left along its edge with w.
bool Polyhedron::trace_faces() {
  int any[most_planes], size[most_planes] = {};
  for (int v = 0; v < vertices_; ++v)
    for (const int p : ends_[v].plane) {
      any[p] = v;
      ++size[p];
    }
  int count = 0;
  for (int p = 0; p < planes_; ++p) {
    first_[p] = count;
    if (size[p] == 0) continue;
    int v = any[p];
    for (int k = 0; k < size[p]; ++k) {
      const Ends& ends = ends_[v];
      const int e = ends.plane[0] == p ? 2 : ends.plane[1] == p ? 0 : 1;  // the edge (w, p)
      if (ends.plane[e == 2 ? 0 : e + 1] != p) return false;
      corner_[count] = v;
      across_[count++] = ends.plane[e];
      v = ends.to[e];
    }
    if (v != any[p]) return false;
  }
  first_[planes_] = count;
  return true;
}

}  // namespace hydrolith
