#include "cells/ball_cut_3d.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

/// Solid angle of the triangle of r, a and b seen from the origin (van Oosterom & Strackee 1983),
/// where r is the foot of the origin on the plane of a and b; d > 0: seen from inside.
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& n, double d) {
  const double la = a.norm(), lb = b.norm();
  const double over = n.dot(a.cross(b)), under = la * lb + std::abs(d) * (la + lb) + a.dot(b);
  return std::copysign(2, d) * std::atan2(over, under);
}

}  // namespace

void BallCut::add(const SolidCut::Line& line, const Vec3& n, double d, double R) {
  const Vec3 r = d * n, u = line.a - r, v = line.b - r, along = v - u;
  PlaneSum& face = faces[line.owner];
  const double third_cube = R * R * R / 3, s_sq = R * R - d * d;
  const auto triangle = [&](const Vec3& a, const Vec3& b) {
    const double area = 0.5 * n.dot(a.cross(b));
    face.area += area;
    face.moment += area / 3 * (r + a + b);
    face.spread += area / 6 * (r.dot(r + a + b) + a.squaredNorm() + b.dot(a + b));
    volume += area * d / 3;
  };
  if (line.a.squaredNorm() <= R * R && line.b.squaredNorm() <= R * R)
    return triangle(line.a, line.b);

  volume += third_cube * solid_angle(line.a, line.b, n, d);
  if (!(s_sq > 0)) return;
  const double s = std::sqrt(s_sq);
  const auto sector = [&](const Vec3& from, const Vec3& to) {
    const double phi = std::atan2(n.dot(from.cross(to)), from.dot(to)), area = 0.5 * s_sq * phi;
    face.area += area;
    face.moment += area * r + s * s_sq / 3 * (to.normalized() - from.normalized()).cross(n);
    face.spread += d * d * area + 0.25 * s_sq * s_sq * phi;
    volume += area * d / 3 - third_cube * phi * (std::copysign(1, d) - d / R);
  };
  const double length_sq = along.squaredNorm(), middle = -u.dot(along) / length_sq;
  const double half_sq = (s_sq - (u + middle * along).squaredNorm()) / length_sq;
  const double half = half_sq > 0 ? std::sqrt(half_sq) : 0;
  const double t0 = std::max(0.0, middle - half), t1 = std::min(1.0, middle + half);
  if (!(half > 0) || t0 >= t1) return sector(u, v);
  const Vec3 p = u + t0 * along, q = u + t1 * along;
  triangle(r + p, r + q);
  volume -= third_cube * solid_angle(r + p, r + q, n, d);
  if (t0 > 0) sector(u, p);
  if (t1 < 1) sector(q, v);
}

void BallCut::cut(const Polyhedron& cell, const SolidCut& wet, double R) {
  const int planes = cell.planes();
  faces.assign(planes + wet.facets.size(), {});
  volume = 0;
  for (const SolidCut::Line& line : wet.lines) {
    if (line.owner < planes) {
      add(line, cell.normal(line.owner), cell.distance(line.owner), R);
    } else {
      const Vec3& n = wet.facets[line.owner - planes].normal;
      add(line, n, n.dot(line.a), R);
    }
  }
}

}  // namespace hydrolith
