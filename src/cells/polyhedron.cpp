#include "cells/polyhedron.h"

#include <algorithm>
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
  vertices_ = 8;
  for (int v = 0; v < 8; ++v) {
    const int a = v & 1, b = v >> 1 & 1, c = v >> 2 & 1;
    const auto u0 = std::uint8_t(a), u1 = std::uint8_t(2 + b), u2 = std::uint8_t(4 + c);
    triple_[v] = (a + b + c) % 2 ? Triple{u0, u1, u2} : Triple{u0, u2, u1};
    x_[v] = a ? half_width : -half_width;
    y_[v] = b ? half_width : -half_width;
    z_[v] = c ? half_width : -half_width;
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

int Polyhedron::find_removed(const Vec3& n, double d) {
  const double a = n.x(), b = n.y(), c = n.z();
  int removed = 0;
  for (int v = 0; v < vertices_; ++v) {
    removed_[removed] = v;
    removed += a * x_[v] + b * y_[v] + c * z_[v] > d;
  }
  return removed;
}

// An edge (u, v) of a removed vertex leads to a kept one if no removed vertex has it as (v, u).
// The border must be one ring in which every plane occurs once; round-off can break that.
bool Polyhedron::find_border(int removed) {
  for (int k = 0; k < removed; ++k)
    for (const int p : triple_[removed_[k]]) leads_[p][0] = leads_[p][1] = 0;
  for (int k = 0; k < removed; ++k) {
    const Triple& t = triple_[removed_[k]];
    for (int e = 0; e < 3; ++e) {
      const int to = t[(e + 1) % 3];
      leads_[t[e]][to >> 6] |= std::uint64_t(1) << (to & 63);
    }
  }
  borders_ = 0;
  std::uint64_t seen_u[2] = {0, 0}, seen_v[2] = {0, 0};
  for (int k = 0; k < removed; ++k) {
    const Triple& t = triple_[removed_[k]];
    for (int e = 0; e < 3; ++e) {
      const int u = t[e], v = t[(e + 1) % 3];
      if (leads_[v][u >> 6] >> (u & 63) & 1) continue;
      const std::uint64_t bit_u = std::uint64_t(1) << (u & 63), bit_v = std::uint64_t(1)
                                                                        << (v & 63);
      if ((seen_u[u >> 6] & bit_u) || (seen_v[v >> 6] & bit_v)) return false;
      seen_u[u >> 6] |= bit_u;
      seen_v[v >> 6] |= bit_v;
      border_[borders_++] = {std::uint8_t(u), std::uint8_t(v)};
    }
  }
  return borders_ >= 3;
}

// n_u.x = d_u, n_v.x = d_v, n_w.x = d_w by Cramer's rule
void Polyhedron::place(int s, Triple planes) {
  const Vec3 &u = normal_[planes[0]], &v = normal_[planes[1]], &w = normal_[planes[2]];
  const Vec3 vw = v.cross(w), wu = w.cross(u), uv = u.cross(v);
  const Vec3 x =
      (distance_[planes[0]] * vw + distance_[planes[1]] * wu + distance_[planes[2]] * uv) /
      u.dot(vw);
  triple_[s] = planes;
  x_[s] = x.x();
  y_[s] = x.y();
  z_[s] = x.z();
  r_sq_[s] = x.squaredNorm();
}

void Polyhedron::replace(int removed, int p) {
  int used = 0;
  for (int k = 0; k < borders_; ++k) {
    const int s = used < removed ? removed_[used] : vertices_++;
    ++used;
    place(s, {border_[k].u, border_[k].v, std::uint8_t(p)});
  }
  for (int k = removed - 1; k >= used; --k) {  // fill what is left over from the end
    const int s = removed_[k], last = --vertices_;
    if (s == last) continue;
    x_[s] = x_[last];
    y_[s] = y_[last];
    z_[s] = z_[last];
    r_sq_[s] = r_sq_[last];
    triple_[s] = triple_[last];
  }
}

void Polyhedron::pack_planes() {
  int number[most_planes];
  std::fill_n(number, planes_, -1);
  for (int v = 0; v < vertices_; ++v)
    for (const int p : triple_[v]) number[p] = 0;
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
    for (std::uint8_t& p : triple_[v]) p = std::uint8_t(number[p]);
}

void Polyhedron::find_farthest() {
  double most = 0;
  for (int v = 0; v < vertices_; ++v) most = std::max(most, r_sq_[v]);
  farthest_sq_ = most;
}

bool Polyhedron::cut(const Vec3& n, double d, std::int64_t label) {
  int removed = find_removed(n, d);
  if (removed == 0) return false;
  if (planes_ == most_planes) pack_planes();
  // Round-off can make a border that is no ring: move the plane a hair and try again.
  const double step = 1e-13 * std::sqrt(farthest_sq_);
  bool ring = removed == vertices_ || find_border(removed);
  for (int attempt = 0; attempt < 8 && !ring; ++attempt) {
    d += step * (attempt % 2 ? -1 : 1) * (1 << attempt);
    removed = find_removed(n, d);
    if (removed == 0) return false;
    ring = removed == vertices_ || find_border(removed);
  }
  if (removed == vertices_) {
    vertices_ = 0;
    farthest_sq_ = 0;
    return true;
  }
  if (!ring || planes_ == most_planes || vertices_ - removed + borders_ > most_vertices) {
    overflow_ = true;
    return false;
  }
  normal_[planes_] = n;
  distance_[planes_] = d;
  label_[planes_] = label;
  replace(removed, planes_++);
  find_farthest();
  return true;
}

// Around a vertex with planes (p, v, w) the face of p is left along its edge with w; the vertex at
// the other end of that edge has p followed by w.
bool Polyhedron::trace_faces() {
  int any[most_planes], size[most_planes] = {};
  for (int v = 0; v < vertices_; ++v) {
    const Triple& t = triple_[v];
    for (int e = 0; e < 3; ++e) {
      next_[t[e]][t[(e + 1) % 3]] = std::uint8_t(v);
      any[t[e]] = v;
      ++size[t[e]];
    }
  }
  int count = 0;
  for (int p = 0; p < planes_; ++p) {
    first_[p] = count;
    if (size[p] == 0) continue;
    int v = any[p];
    for (int k = 0; k < size[p]; ++k) {
      const Triple& t = triple_[v];
      const int w = t[0] == p ? t[2] : t[1] == p ? t[0] : t[2] == p ? t[1] : -1;
      if (w < 0) return false;
      corner_[count] = v;
      across_[count++] = w;
      v = next_[p][w];
    }
    if (v != any[p]) return false;
  }
  first_[planes_] = count;
  return true;
}

}  // namespace hydrolith
