#include "geometry/mesh_distance.h"

#include "hydrolith/error.h"

#include "core/parallel.h"
#include "geometry/bvh.h"
#include "geometry/mesh_normals.h"
#include "geometry/triangle_distance.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hydrolith {

namespace {

/// A triangle as the leaves of the tree hold it, relative to the tree's origin.
struct LeafTriangle {
  Vec3 a, b, c;                     // [m]
  std::array<float, 3> lo{}, hi{};  // [m] its box
  std::uint32_t index = 0;          // in the mesh
};

// Everything about boxes is single precision. They grow by more than all rounding of a coordinate
// within the mesh, and distances to boxes shrink by more than all rounding of the query, so no
// triangle is ever missed.
constexpr double box_margin = 1e-6;   // of the half diagonal
constexpr float prune_slack = 1e-5f;  // relative, on squared distances
constexpr float far_away = 1e18f;     // queries beyond are clamped: squares must not overflow

std::vector<BvhItem> boxes_around(const TriangleMesh& mesh, const Vec3& origin, double margin,
                                  std::span<const std::uint32_t> used) {
  std::vector<BvhItem> items(used.size());
  parallel_for(used.size(), [&](std::size_t i) {
    Box3 box;
    for (int k = 0; k < 3; ++k) box.include(mesh.corner(used[i], k) - origin);
    for (int axis = 0; axis < 3; ++axis) {
      items[i].lo[axis] = static_cast<float>(box.lo[axis] - margin);
      items[i].hi[axis] = static_cast<float>(box.hi[axis] + margin);
    }
    items[i].index = used[i];
  });
  return items;
}

/// Triangles with an area; all of them if none has one. Needles lie on the sides of their
/// neighbours and would only add ties.
std::vector<std::uint32_t> triangles_with_area(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> used, all;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    all.push_back(t);
    if (!is_needle(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2))) used.push_back(t);
  }
  return used.empty() ? all : used;
}

/// Squared distances [m^2] of x to the four boxes of a node, rounded down.
Eigen::Array4f distances_to_children(const BvhNode& node, const float (&x)[3]) {
  Eigen::Array4f d_sq = Eigen::Array4f::Zero();
  for (int axis = 0; axis < 3; ++axis)
    d_sq += (node.lo[axis] - x[axis]).max(x[axis] - node.hi[axis]).max(0.0f).square();
  return d_sq * (1 - prune_slack);
}

/// The same of the box of one triangle.
float distance_to_box(const LeafTriangle& t, const float (&x)[3]) {
  float d_sq = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const float d = std::max(std::max(t.lo[axis] - x[axis], x[axis] - t.hi[axis]), 0.0f);
    d_sq += d * d;
  }
  return d_sq * (1 - prune_slack);
}

/// Nodes and leaves still to visit, nearest on top.
struct Stack {
  struct Entry {
    float key;  // lower bound of what lies below
    std::uint32_t child;
  };
  Entry entries[bvh_stack_size];
  int size = 0;

  void push(float key, std::uint32_t child) { entries[size++] = {key, child}; }
  Entry pop() { return entries[--size]; }

  /// Pushes the children of a node whose key is below `limit`, farthest first.
  void push_sorted(const BvhNode& node, const Eigen::Array4f& key, float limit) {
    const int first = size;
    for (int k = 0; k < 4; ++k) {
      if (!(key[k] < limit)) continue;
      int at = size++;
      for (; at > first && entries[at - 1].key < key[k]; --at) entries[at] = entries[at - 1];
      entries[at] = {key[k], node.child[k]};
    }
  }
};

/// What is nearer than this, squared, is not farther than `within`.
double limit_sq(double within) { return within * within * (1 + 4e-16); }

/// A ray as the watertight test needs it (Woop, Benthin & Wald 2013, "Watertight ray/triangle
/// intersection", section 3): axis z is the longest of the direction, the shear maps it to (0,0,1).
struct Ray {
  Vec3 x, d;
  int kx, ky, kz;
  double sx, sy, sz;

  Ray(const Vec3& from, const Vec3& direction) : x(from), d(direction) {
    d.cwiseAbs().maxCoeff(&kz);
    kx = (kz + 1) % 3, ky = (kz + 2) % 3;
    if (d[kz] < 0) std::swap(kx, ky);
    sx = d[kx] / d[kz], sy = d[ky] / d[kz], sz = 1 / d[kz];
  }

  /// Parameter of the hit; NaN if the ray misses. Both faces count.
  double hit(const LeafTriangle& t) const {
    constexpr double miss = std::numeric_limits<double>::quiet_NaN();
    const Vec3 a = t.a - x, b = t.b - x, c = t.c - x;
    const double ax = a[kx] - sx * a[kz], ay = a[ky] - sy * a[kz];
    const double bx = b[kx] - sx * b[kz], by = b[ky] - sy * b[kz];
    const double cx = c[kx] - sx * c[kz], cy = c[ky] - sy * c[kz];
    const double u = cx * by - cy * bx, v = ax * cy - ay * cx, w = bx * ay - by * ax;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return miss;
    const double det = u + v + w;
    if (det == 0) return miss;
    return sz * (u * a[kz] + v * b[kz] + w * c[kz]) / det;
  }
};

/// Where the ray enters each box of a node; infinite for boxes it misses within [from, to].
Eigen::Array4f entries_of_children(const BvhNode& node, const float (&x)[3],
                                   const float (&inverse)[3], float from, float to) {
  Eigen::Array4f enter = Eigen::Array4f::Constant(from), leave = Eigen::Array4f::Constant(to);
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Array4f s0 = (node.lo[axis] - x[axis]) * inverse[axis];
    const Eigen::Array4f s1 = (node.hi[axis] - x[axis]) * inverse[axis];
    enter = enter.max(s0.min(s1));
    leave = leave.min(s0.max(s1));
  }
  const auto hit = enter <= leave && node.lo[0] <= node.hi[0];
  return hit.select(enter, std::numeric_limits<float>::infinity());
}

}  // namespace

struct MeshDistance::Tree {
  Vec3 origin = Vec3::Zero();        // [m] centre of the bounds
  double radius = 0;                 // [m] half diagonal of the bounds
  std::vector<BvhNode> nodes;        // boxes relative to origin
  std::vector<LeafTriangle> leaves;  // in the order of the tree
  MeshNormals normals;

  explicit Tree(const TriangleMesh& mesh) : normals(mesh) {
    const Box3 box = bounds(mesh);
    origin = box.centre();
    radius = 0.5 * box.size().norm();
    const std::vector<std::uint32_t> used = triangles_with_area(mesh);
    std::vector<BvhItem> items = boxes_around(mesh, origin, box_margin * radius, used);
    nodes = build_bvh(items);
    leaves.resize(items.size());
    parallel_for(items.size(), [&](std::size_t i) {
      const std::uint32_t t = items[i].index;
      leaves[i] = {mesh.corner(t, 0) - origin,
                   mesh.corner(t, 1) - origin,
                   mesh.corner(t, 2) - origin,
                   items[i].lo,
                   items[i].hi,
                   t};
    });
  }

  /// Visits the triangles that may be nearer than best.distance_sq, nearest boxes first;
  /// f(triangle, its closest point) lowers `best` or returns true to stop.
  template <class F>
  void visit_near(const Vec3& x, const TriangleClosest& best, F&& f) const {
    float xf[3];
    for (int axis = 0; axis < 3; ++axis)
      xf[axis] = std::clamp(static_cast<float>(x[axis]), -far_away, far_away);
    const auto limit = [&] { return static_cast<float>(best.distance_sq) * (1 + prune_slack); };
    Stack stack;
    stack.push(0, 0);
    while (stack.size > 0) {
      const auto [key, child] = stack.pop();
      if (!(key <= limit())) continue;
      if (!BvhNode::is_leaf(child)) {
        const BvhNode& node = nodes[BvhNode::first(child)];
        stack.push_sorted(node, distances_to_children(node, xf), limit());
        continue;
      }
      const LeafTriangle* leaf = &leaves[BvhNode::first(child)];
      for (std::uint32_t i = 0; i < BvhNode::count(child); ++i, ++leaf)
        if (distance_to_box(*leaf, xf) <= limit() &&
            f(*leaf, closest_on_triangle(x, leaf->a, leaf->b, leaf->c)))
          return;
    }
  }
};

MeshDistance::MeshDistance(const TriangleMesh& mesh) {
  if (mesh.empty()) throw MeshError("an empty mesh has no surface to measure a distance to");
  tree_ = std::make_unique<Tree>(mesh);
}
MeshDistance::~MeshDistance() = default;
MeshDistance::MeshDistance(MeshDistance&&) noexcept = default;
MeshDistance& MeshDistance::operator=(MeshDistance&&) noexcept = default;

std::optional<MeshDistance::Closest> MeshDistance::closest(const Vec3& x_world,
                                                           double within) const {
  const Tree& tree = *tree_;
  TriangleClosest best;
  best.distance_sq = limit_sq(within);
  const LeafTriangle* found = nullptr;
  tree.visit_near(x_world - tree.origin, best,
                  [&](const LeafTriangle& t, const TriangleClosest& y) {
                    if (y.distance_sq < best.distance_sq) best = y, found = &t;
                    return false;
                  });
  if (found == nullptr) return std::nullopt;
  return Closest{best.point + tree.origin, tree.normals.at(found->index, best.feature),
                 found->index, std::sqrt(best.distance_sq)};
}

bool MeshDistance::is_within(const Vec3& x, double within) const {
  TriangleClosest best;
  best.distance_sq = limit_sq(within);
  bool found = false;
  tree_->visit_near(x - tree_->origin, best, [&](const LeafTriangle&, const TriangleClosest& y) {
    return found = y.distance_sq < best.distance_sq;
  });
  return found;
}

double MeshDistance::signed_distance(const Vec3& x) const {
  const std::optional<Closest> y = closest(x);
  if (!y) return std::numeric_limits<double>::quiet_NaN();  // x is not a number
  return (x - y->point).dot(y->normal) < 0 ? -y->distance : y->distance;
}

std::optional<MeshDistance::Hit> MeshDistance::raycast(const Vec3& x_world, const Vec3& d,
                                                       double s_min, double s_max) const {
  const Tree& tree = *tree_;
  const double length = d.norm();
  if (!(length > 0) || !std::isfinite(length)) return std::nullopt;
  const Vec3 direction = d / length;

  // Start where the ray passes the centre, so that single precision is enough for the boxes.
  const Vec3 offset = x_world - tree.origin;
  const double skipped = -offset.dot(direction);
  const Ray ray(offset + skipped * direction, direction);
  if (!(ray.x.norm() < 2 * tree.radius + 1e-300)) return std::nullopt;
  const double low = s_min * length - skipped;
  double high = s_max * length - skipped;
  const auto reach = static_cast<float>(2 * tree.radius);
  float x[3], inverse[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double component = direction[axis];
    x[axis] = static_cast<float>(ray.x[axis]);
    inverse[axis] = static_cast<float>(1 / (std::abs(component) < 1e-20 ? 1e-20 : component));
  }

  const LeafTriangle* found = nullptr;
  Stack stack;
  stack.push(-std::numeric_limits<float>::infinity(), 0);
  while (stack.size > 0) {
    const auto [key, child] = stack.pop();
    if (key > high + box_margin * tree.radius) continue;
    if (!BvhNode::is_leaf(child)) {
      const BvhNode& node = tree.nodes[BvhNode::first(child)];
      stack.push_sorted(node, entries_of_children(node, x, inverse, -reach, reach),
                        std::numeric_limits<float>::infinity());
      continue;
    }
    const LeafTriangle* leaf = &tree.leaves[BvhNode::first(child)];
    for (std::uint32_t i = 0; i < BvhNode::count(child); ++i, ++leaf) {
      const double s = ray.hit(*leaf);
      if (s > low && s < high) high = s, found = leaf;
    }
  }
  if (found == nullptr) return std::nullopt;
  return Hit{(high + skipped) / length, found->index};
}

}  // namespace hydrolith
