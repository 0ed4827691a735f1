#include "contact/contact_candidates.h"

#include "core/parallel.h"
#include "geometry/mesh_edges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace hydrolith {

namespace {

/// The outline as a surface: every edge a strip from z = -half to half, with the solid behind it.
/// Seen from z = 0 its nearest points and pseudo-normals are those of the outline.
TriangleMesh ribbon(const Polygons& outline, double half) {
  TriangleMesh mesh;
  for (const std::vector<Vec2>& loop : outline.loops) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    const auto n = static_cast<std::uint32_t>(loop.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      mesh.vertices.emplace_back(loop[i].x(), loop[i].y(), -half);
      mesh.vertices.emplace_back(loop[i].x(), loop[i].y(), half);
      const std::uint32_t p = first + 2 * i, q = first + 2 * ((i + 1) % n);
      mesh.triangles.push_back({p, q, q + 1});
      mesh.triangles.push_back({p, q + 1, p + 1});
    }
  }
  return mesh;
}

std::vector<Vec3> vertices_of(const Polygons& outline) {
  std::vector<Vec3> vertices;
  for (const std::vector<Vec2>& loop : outline.loops)
    for (const Vec2& x : loop) vertices.emplace_back(x.x(), x.y(), 0);
  return vertices;
}

/// A box along the axes: twelve triangles between the corners of the bounds, each flat on a side.
bool is_box(const TriangleMesh& mesh, const Box3& box) {
  if (mesh.triangles.size() != 12 || !is_closed(mesh)) return false;
  const double tolerance = 1e-13 * box.size().norm();
  const auto is_corner = [&](const Vec3& x) {
    const Vec3 off = (x - box.lo).cwiseAbs().cwiseMin((x - box.hi).cwiseAbs());
    return off.maxCoeff() <= tolerance;
  };
  const auto is_flat = [&](const Triangle& t) {
    Box3 around;
    for (const std::uint32_t v : t) around.include(mesh.vertices[v]);
    return around.size().minCoeff() <= 2 * tolerance;
  };
  return std::all_of(mesh.vertices.begin(), mesh.vertices.end(), is_corner) &&
         std::all_of(mesh.triangles.begin(), mesh.triangles.end(), is_flat);
}

/// Sides of triangles that no other triangle continues.
std::vector<std::array<bool, 3>> border_sides(const TriangleMesh& mesh) {
  std::vector<std::array<bool, 3>> border(mesh.triangles.size());
  const std::vector<HalfEdge> edges = sorted_half_edges(mesh);
  for_each_edge(edges, [&](std::span<const HalfEdge> edge) {
    if (edge.size() == 1) border[edge[0].triangle][edge[0].side] = true;
  });
  return border;
}

std::vector<BvhItem> items_at(std::span<const Vec3> points) {
  std::vector<BvhItem> items(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis)
      items[i].lo[axis] = items[i].hi[axis] = static_cast<float>(points[i][axis]);
    items[i].index = static_cast<std::uint32_t>(i);
  }
  return items;
}

/// Body a's frame seen from b's, and what decides about nearness there.
struct Nearness {
  const ContactShape& b;
  Mat3 R, abs_R;    // a's frame -> b's frame; the latter for half sizes of boxes
  Vec3 x;           // [m] a's origin
  double bounds;    // [m] how near to b's bounds,
  double distance;  // [m] and to b's surface

  Nearness(const ContactScene& scene, const ContactPair& pair, const ContactReach& reach)
      : b(scene.shape(pair.b)) {
    const ContactPose &pa = scene.poses[pair.a], &pb = scene.poses[pair.b];
    R = pb.R.transpose() * pa.R;
    abs_R = R.cwiseAbs();
    x = pb.to_body(pa.x);
    const double rounding = scene.shape(pair.a).rounding;
    bounds = rounding + (b.is_solid ? reach.outside : reach.farthest());
    distance = rounding + reach.farthest();
  }

  /// Whether a box of a's frame may come near b. False is certain.
  bool operator()(const Vec3& centre, const Vec3& half) const {
    const Vec3 c = R * centre + x, extent = abs_R * half + Vec3::Constant(bounds);
    if (((c - extent).array() > b.bounds.hi.array()).any()) return false;
    if (((c + extent).array() < b.bounds.lo.array()).any()) return false;
    return b.fills_bounds || b.is_within(c, half.norm() + distance);
  }
};

}  // namespace

ContactShape::ContactShape(const SolidShape& solid, std::span<const Vec3> points,
                           const CubicSpline& kernel)
    : h(kernel.h),
      samples(points),
      items(items_at(points)),
      is_solid(!solid.container),
      solid_(&solid) {
  if (kernel.dimensions == 2) {
    const std::vector<Vec3> vertices = vertices_of(solid.outline);
    for (const Vec3& x : vertices) bounds.include(x);
    round_ = RoundSurface::of(solid, vertices, 2);
    ribbon_.emplace(ribbon(solid.outline, std::max(bounds.size().norm(), kernel.support())));
  } else {
    bounds = hydrolith::bounds(solid.mesh);
    if (!is_closed(solid.mesh)) on_border_ = border_sides(solid.mesh);
    is_solid = is_solid && !is_open();
    if (is_box(solid.mesh, bounds)) box_ = bounds;
    fills_bounds = is_solid && !box_.empty();
    outward_ = solid.container ? -1 : 1;
    round_ = RoundSurface::of(solid, solid.mesh.vertices, 3);
  }
  for (const Vec3& x : points) bounds.include(x);
  rounding = 1e-6 * std::max(bounds.lo.norm(), bounds.hi.norm());
  if (!items.empty()) nodes = build_bvh(items);
  flat.resize(points.size());
  parallel_for(
      points.size(), [&](std::size_t i) { flat[i] = is_flat_around(points[i], kernel); }, 64);
  is_flat = std::all_of(flat.begin(), flat.end(), [](char f) { return f != 0; });
}

/// Whether points of the tangent plane 0.75 h around the sample's foot lie on the surface. Edges
/// are h/2 away from the samples next to them; of six points one is at least 0.65 h in any
/// direction.
bool ContactShape::is_flat_around(const Vec3& x, const CubicSpline& kernel) const {
  const auto foot = closest(x, std::numeric_limits<double>::infinity());
  if (!foot) return true;
  const bool in_plane = kernel.dimensions == 2;
  const Vec3 u =
      in_plane ? Vec3(-foot->normal.y(), foot->normal.x(), 0) : Vec3(foot->normal.unitOrthogonal());
  const Vec3 v = foot->normal.cross(u);
  const int directions = in_plane ? 2 : 6;
  for (int k = 0; k < directions; ++k) {
    const double angle = 2 * std::numbers::pi * k / directions;
    const Vec3 beside = foot->point + 0.75 * kernel.h * (std::cos(angle) * u + std::sin(angle) * v);
    if (!closest(beside, 1e-6 * kernel.h)) return false;
  }
  return true;
}

/// Outside, x clamped to the box; inside, the foot on the nearest side.
std::optional<MeshDistance::Closest> ContactShape::closest_on_box(const Vec3& x,
                                                                  double within) const {
  const Vec3 below = x - box_.lo, above = box_.hi - x;  // to the sides, negative outside
  const Vec3 depth = below.cwiseMin(above);
  int axis = 0;
  const double least = depth.minCoeff(&axis);
  MeshDistance::Closest c{.point = x.cwiseMax(box_.lo).cwiseMin(box_.hi)};
  const bool low = below[axis] < above[axis];
  if (least > 0) c.point[axis] = low ? box_.lo[axis] : box_.hi[axis];
  c.distance = least > 0 ? least : (x - c.point).norm();
  if (!(c.distance <= within)) return std::nullopt;
  c.normal[axis] = low ? -outward_ : outward_;
  return c;
}

bool ContactShape::is_on_border(const MeshDistance::Closest& c) const {
  if (!is_open()) return false;
  for (int k = 0; k < 3; ++k) {
    if (!on_border_[c.triangle][k]) continue;
    const Vec3 p = solid_->mesh.corner(c.triangle, k);
    const Vec3 side = solid_->mesh.corner(c.triangle, (k + 1) % 3) - p;
    // The nearest point of a side lies on it to rounding.
    if ((c.point - p).cross(side).norm() < 1e-12 * side.squaredNorm()) return true;
  }
  return false;
}

void find_candidates(const ContactScene& scene, const ContactPair& pair, const ContactReach& reach,
                     std::vector<std::uint32_t>& candidates) {
  candidates.clear();
  const ContactShape& a = scene.shape(pair.a);
  if (a.nodes.empty()) return;
  const Nearness is_near(scene, pair, reach);
  const std::uint32_t first = scene.samples.first[pair.a];
  std::uint32_t stack[bvh_stack_size];
  int size = 0;
  stack[size++] = 0;  // the root
  while (size > 0) {
    const std::uint32_t child = stack[--size];
    if (BvhNode::is_leaf(child)) {
      for (std::uint32_t i = 0; i < BvhNode::count(child); ++i)
        candidates.push_back(first + a.items[BvhNode::first(child) + i].index);
      continue;
    }
    const BvhNode& node = a.nodes[BvhNode::first(child)];
    for (int k = 0; k < 4; ++k) {
      const Vec3 lo(node.lo[0][k], node.lo[1][k], node.lo[2][k]);
      const Vec3 hi(node.hi[0][k], node.hi[1][k], node.hi[2][k]);
      if (lo.x() <= hi.x() && is_near(0.5 * (lo + hi), 0.5 * (hi - lo)))
        stack[size++] = node.child[k];
    }
  }
  std::sort(candidates.begin(), candidates.end());
}

}  // namespace hydrolith
