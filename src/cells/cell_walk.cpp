#include "cells/cell_walk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

// This file is compiled once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cells/cell_walk.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hydrolith::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Products and sums are rounded one by one and in one order: all instruction sets give the same
// bits.

struct Triple {
  double x, y, z;
};

HWY_INLINE Triple cross(const Triple& a, const Triple& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HWY_INLINE double dot(const Triple& a, const Triple& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
HWY_INLINE Triple normal(const WalkedCell& c, int p) { return {c.nx[p], c.ny[p], c.nz[p]}; }

struct Numbers {
  std::uint64_t at[WalkedCell::most_planes + WalkedCell::padding];
  constexpr Numbers() : at() {
    for (std::uint64_t p = 0; p < std::size(at); ++p) at[p] = p;
  }
};
constexpr Numbers numbers;
constexpr std::uint64_t number_bits = WalkedCell::most_planes - 1;
constexpr double far = 1e300;

/// Least of `before` and of the ways to the planes [begin, end) that the ray from v along u meets
/// from within, (d - n.v) / n.u. The planes a and b that the ray runs in do not count. The last
/// bits of a way are the number of its plane, so that the least one tells which plane it is.
HWY_INLINE double shoot(const WalkedCell& c, int begin, int end, const Triple& v, const Triple& u,
                        int a, int b, double before) {
  const hn::CappedTag<double, 4> d;  // wider is no faster: a ray waits for the one before it
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto vx = hn::Set(d, v.x), vy = hn::Set(d, v.y), vz = hn::Set(d, v.z);
  const auto ux = hn::Set(d, u.x), uy = hn::Set(d, u.y), uz = hn::Set(d, u.z);
  const auto own = hn::Set(du, std::uint64_t(a)), too = hn::Set(du, std::uint64_t(b));
  const auto last_bits = hn::Set(du, number_bits);
  auto least = hn::Set(d, before);
  for (int p = begin; p < end; p += int(hn::Lanes(d))) {
    const auto number = hn::LoadU(du, numbers.at + p);
    const auto nx = hn::LoadU(d, c.nx + p), ny = hn::LoadU(d, c.ny + p);
    const auto nz = hn::LoadU(d, c.nz + p);
    const auto along = hn::Add(hn::Add(hn::Mul(nx, ux), hn::Mul(ny, uy)), hn::Mul(nz, uz));
    const auto passed = hn::Add(hn::Add(hn::Mul(nx, vx), hn::Mul(ny, vy)), hn::Mul(nz, vz));
    const auto way = hn::Div(hn::Sub(hn::LoadU(d, c.distance + p), passed), along);
    const auto numbered =
        hn::BitCast(d, hn::Or(hn::AndNot(last_bits, hn::BitCast(du, way)), number));
    const auto other = hn::RebindMask(d, hn::And(hn::Ne(number, own), hn::Ne(number, too)));
    const auto ahead = hn::And(hn::Gt(along, hn::Zero(d)), other);
    least = hn::Min(least, hn::IfThenElse(ahead, numbered, hn::Set(d, far)));
  }
  return hn::GetLane(hn::MinOfLanes(d, least));
}

/// Vertices under way, and which of them has planes p and q one after the other.
struct Walk {
  explicit Walk(WalkedCell& cell) : c(cell) {}
  WalkedCell& c;
  std::uint64_t known[WalkedCell::most_planes] = {};  // of p: bits of q
  std::uint8_t vertex[WalkedCell::most_planes][WalkedCell::most_planes];

  HWY_INLINE bool has(int p, int q) const { return known[p] >> q & 1; }
  HWY_INLINE void note(int p, int q, int v) {
    known[p] |= std::uint64_t(1) << q;
    vertex[p][q] = std::uint8_t(v);
  }

  /// Where the ray from v along u, in the planes a and b, ends; the plane there, or -1. Planes of
  /// farther neighbours count only if the ray comes near enough to them.
  HWY_INLINE int follow(const Triple& v, const Triple& u, int a, int b, Triple& end) const {
    const auto at = [&](double way) {
      return Triple{v.x + way * u.x, v.y + way * u.y, v.z + way * u.z};
    };
    double way = shoot(c, 0, c.near, v, u, a, b, far);
    end = at(way);
    if (c.near < c.planes && !(4 * std::max(dot(v, v), dot(end, end)) < c.near_sq)) {
      way = shoot(c, c.near, c.planes, v, u, a, b, way);
      end = at(way);
    }
    return way < far ? int(std::bit_cast<std::uint64_t>(way) & number_bits) : -1;
  }

  /// The vertex x in planes p, q, r, counter-clockwise.
  HWY_INLINE bool append(int p, int q, int r, const Triple& x) {
    if (r < 0 || c.vertices == WalkedCell::most_vertices || has(q, r) || has(r, p)) return false;
    const int v = c.vertices++;
    c.x[v] = x.x, c.y[v] = x.y, c.z[v] = x.z;
    c.farthest_sq = std::max(c.farthest_sq, dot(x, x));
    c.ends[v] = {{std::uint8_t(p), std::uint8_t(q), std::uint8_t(r)}, {}};
    note(p, q, v), note(q, r, v), note(r, p, v);
    return true;
  }

  /// Vertices that are known. Of two that contradict each other the first one stays.
  HWY_INLINE void take_given() {
    const int given = std::exchange(c.vertices, 0);
    for (int k = 0; k < given; ++k) {
      const auto [p, q, r] = c.ends[k].plane;
      if (!has(p, q)) append(p, q, r, {c.x[k], c.y[k], c.z[k]});
    }
    c.given = c.vertices;
  }

  HWY_INLINE bool start() {
    int p = 0;
    for (int k = 1; k < c.near; ++k) p = c.distance[k] < c.distance[p] ? k : p;
    const Triple n = normal(c, p), foot{0.5 * n.x, 0.5 * n.y, 0.5 * n.z};
    const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
    const Triple axis{double(x <= y && x <= z), double(y < x && y <= z), double(z < x && z < y)};
    Triple on_edge, end;
    const int q = follow(foot, cross(n, axis), p, p, on_edge);
    if (q < 0) return false;
    const int r = follow(on_edge, cross(normal(c, q), n), p, q, end);
    return append(q, p, r, end);
  }

  HWY_INLINE bool run() {
    take_given();
    if (c.vertices == 0 && !start()) return false;
    for (int v = 0; v < c.vertices; ++v)
      for (int e = 0; e < 3; ++e) {
        const int p = c.ends[v].plane[e], q = c.ends[v].plane[e == 2 ? 0 : e + 1];
        if (!has(q, p)) {
          Triple end;
          const Triple along = cross(normal(c, q), normal(c, p));
          const int r = follow({c.x[v], c.y[v], c.z[v]}, along, p, q, end);
          if (!append(q, p, r, end)) return false;
        }
        const std::uint8_t w = c.ends[v].to[e] = vertex[q][p];
        c.edge[c.edges] = {std::uint8_t(v), w, std::uint8_t(q), std::uint8_t(p)};
        c.edges += v < w;
      }
    for (int p = 0; p < c.planes; ++p) c.faces |= std::uint64_t(known[p] != 0) << p;
    return c.vertices == 2 * std::popcount(c.faces) - 4;  // Euler: one sphere
  }
};

bool walk(WalkedCell& c) {
  c.edges = 0;
  c.farthest_sq = 0;
  c.faces = 0;
  if (c.near == 0 || c.planes < 4) return false;
  for (int p = c.planes; p < c.planes + WalkedCell::padding; ++p) {
    c.nx[p] = c.ny[p] = c.nz[p] = 0;
    c.distance[p] = 1;
  }
  Walk w(c);
  return w.run();
}

/// Every edge a-b adds to its two faces the triangle of both and the foot r of the origin, as in
/// SolidCut::sum_whole. Normals are as long as the way to the neighbour.
void sum_faces(WalkedCell& c) {
  using Four = double __attribute__((vector_size(32)));
  for (std::uint64_t bits = c.faces; bits != 0; bits &= bits - 1) {
    const int p = std::countr_zero(bits);
    std::fill_n(c.moment[p], 4, 0.0);
    c.spread[p] = 0;
  }
  for (int k = 0; k < c.edges; ++k) {
    const auto [from, to, left, right] = c.edge[k];
    const Triple a{c.x[from], c.y[from], c.z[from]}, b{c.x[to], c.y[to], c.z[to]};
    const Triple product = cross(a, b), sum{a.x + b.x, a.y + b.y, a.z + b.z};
    const double on_left = dot(normal(c, left), product);
    const double on_right = -dot(normal(c, right), product);
    const double spread = dot(a, a) + dot(b, sum);
    const Four ends{sum.x, sum.y, sum.z, 1};
    reinterpret_cast<Four&>(c.moment[left]) += on_left * ends;
    reinterpret_cast<Four&>(c.moment[right]) += on_right * ends;
    c.spread[left] += on_left * spread;
    c.spread[right] += on_right * spread;
  }
  Triple total{0, 0, 0}, centre{0, 0, 0};
  double volume = 0;
  for (std::uint64_t bits = c.faces; bits != 0; bits &= bits - 1) {
    const int p = std::countr_zero(bits);
    const Triple n = normal(c, p);
    const double r_sq = 2 * c.distance[p], r = std::sqrt(r_sq), half = 0.5 / r;
    double(&m)[4] = c.moment[p];
    const double area = half * m[3], third = half / 3, foot = area / 6;
    volume += m[3] / 12;
    m[0] = third * m[0] + foot * n.x;
    m[1] = third * m[1] + foot * n.y;
    m[2] = third * m[2] + foot * n.z;
    m[3] = area;
    c.spread[p] = (half * c.spread[p] + 0.75 * r_sq * area) / 6;
    const double per_r = 2 * half * area, eighth = r / 8;
    total = {total.x + per_r * n.x, total.y + per_r * n.y, total.z + per_r * n.z};
    centre = {centre.x + eighth * m[0], centre.y + eighth * m[1], centre.z + eighth * m[2]};
  }
  c.volume = volume;
  c.centre = Vec3(centre.x, centre.y, centre.z);
  c.gap = std::sqrt(dot(total, total));
}

}  // namespace hydrolith::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hydrolith {

HWY_EXPORT(walk);
HWY_EXPORT(sum_faces);

bool walk(WalkedCell& cell) { return HWY_DYNAMIC_DISPATCH(walk)(cell); }
void sum_faces(WalkedCell& cell) { HWY_DYNAMIC_DISPATCH(sum_faces)(cell); }

}  // namespace hydrolith
#endif
