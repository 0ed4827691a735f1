#include "cells/sharp_edges.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace hydrolith {

namespace {

constexpr double sharpest_bend = std::numbers::pi / 6;  // [rad] that is no edge yet
constexpr double straight = 0.01;                       // [rad] the same face goes on
constexpr double least_reach = 2;                       // [h]
constexpr double least_distance = 0.1;                  // [h] from the edge, for the flow

/// Left turn from a to b [rad].
double turn(const Vec2& a, const Vec2& b) {
  return std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b));
}

Vec3 in_space(const Vec2& v) { return {v.x(), v.y(), 0}; }

/// Length of the outline from corner `at` on, while it goes straight on.
double straight_length(const std::vector<Vec2>& loop, std::size_t at, std::size_t step) {
  const std::size_t n = loop.size();
  double length = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t next = (at + step) % n;
    const Vec2 way = loop[next] - loop[at], on = loop[(next + step) % n] - loop[next];
    length += way.norm();
    if (std::abs(turn(way, on)) > straight) break;
    at = next;
  }
  return length;
}

struct Wing {  // a triangle at an edge
  Vec3 normal = Vec3::Zero(), into = Vec3::Zero();
  double height = 0;  // [m] of the triangle over the edge
};

Wing wing(const TriangleMesh& mesh, std::size_t t, const Vec3& a, const Vec3& along) {
  Wing w;
  const Vec3 p = mesh.corner(t, 0);
  w.normal = (mesh.corner(t, 1) - p).cross(mesh.corner(t, 2) - p).normalized();
  for (int k = 0; k < 3; ++k) {
    const Vec3 way = mesh.corner(t, k) - a, off = way - way.dot(along) * along;
    if (off.norm() > w.height) w.height = off.norm(), w.into = off;
  }
  w.into.normalize();
  return w;
}

}  // namespace

SharpEdge SharpEdge::placed(const Pose& pose) const {
  SharpEdge e = *this;
  e.at = pose * at;
  e.along = pose.orientation * along;
  e.face = pose.orientation * face;
  e.normal = pose.orientation * normal;
  return e;
}

Vec3 SharpEdge::flow(const Vec3& x, double h) const {
  const double a = x.dot(face) / h, b = x.dot(normal) / h;
  const double r = std::max(least_distance, std::hypot(a, b)), l = std::numbers::pi / angle;
  double theta = std::atan2(b, a);
  // In the solid the nearer face counts.
  if (theta < 0.5 * angle - std::numbers::pi) theta += 2 * std::numbers::pi;
  theta = std::clamp(theta, 0.0, angle);
  const Vec3 out = std::cos(theta) * face + std::sin(theta) * normal;
  const Vec3 round = -std::sin(theta) * face + std::cos(theta) * normal;
  return l * std::pow(r, l - 1) * (std::cos(l * theta) * out - std::sin(l * theta) * round);
}

double SharpEdge::share(const Vec3& x) const {
  if (length == 0) return 1;
  const double t = x.dot(along) / length, far = std::abs(t);
  if (t < 0 ? first : last) return std::clamp(2 - 2 * far, 0.0, 1.0);
  return std::max(0.0, 1 - far);
}

std::vector<SharpEdge> sharp_edges(const Polygons& outline, double h) {
  std::vector<SharpEdge> edges;
  for (const std::vector<Vec2>& loop : outline.loops) {
    const std::size_t n = loop.size();
    for (std::size_t k = 0; k < n; ++k) {
      const Vec2 in = (loop[k] - loop[(k + n - 1) % n]).normalized();
      const Vec2 on = (loop[(k + 1) % n] - loop[k]).normalized();
      const double bend = turn(in, on);
      const double reach =
          std::min({edge_reach * h, straight_length(loop, k, 1), straight_length(loop, k, n - 1)});
      if (bend < sharpest_bend || reach < least_reach * h) continue;
      edges.push_back({.at = in_space(loop[k]),
                       .face = in_space(on),
                       .normal = in_space({on.y(), -on.x()}),
                       .angle = std::numbers::pi + bend,
                       .reach = reach});
    }
  }
  return edges;
}

std::vector<SharpEdge> sharp_edges(const TriangleMesh& mesh, double h) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> triangles;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const auto a = static_cast<std::uint32_t>(mesh.triangles[t][k]);
      const auto b = static_cast<std::uint32_t>(mesh.triangles[t][(k + 1) % 3]);
      triangles[std::minmax(a, b)].push_back(t);
    }
  std::vector<SharpEdge> edges;
  for (const auto& [ends, at] : triangles) {
    const Vec3 a = mesh.vertices[ends.first], way = mesh.vertices[ends.second] - a;
    if (at.size() != 2 || way.norm() < h) continue;
    const Vec3 along = way.normalized();
    const Wing one = wing(mesh, at[0], a, along), two = wing(mesh, at[1], a, along);
    const double bend = std::acos(std::clamp(one.normal.dot(two.normal), -1.0, 1.0));
    const double reach = std::min({edge_reach * h, one.height, two.height});
    if (bend < sharpest_bend || one.normal.dot(two.into) >= 0 || reach < least_reach * h) continue;
    const int pieces = std::max(1, static_cast<int>(std::lround(way.norm() / h)));
    for (int k = 0; k < pieces; ++k)
      edges.push_back({.at = a + (k + 0.5) / pieces * way,
                       .along = along,
                       .face = one.into,
                       .normal = one.normal,
                       .angle = std::numbers::pi + bend,
                       .length = way.norm() / pieces,
                       .reach = reach,
                       .first = k == 0,
                       .last = k + 1 == pieces});
  }
  return edges;
}

}  // namespace hydrolith
