#pragma once
// What the two measures of contact share: shapes prepared for queries, one body's samples against
// one other body, and which samples come near it. Private to contacts*.cpp.

#include "contact/contacts.h"
#include "contact/round_surface.h"
#include "geometry/bvh.h"
#include "geometry/mesh_distance.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hydrolith {

/// A distinct shape with what contact asks of it, body frame. Built once.
struct ContactShape {
  /// `kernel`: as wide as the samples are apart.
  ContactShape(const SolidShape& solid, std::span<const Vec3> samples, const CubicSpline& kernel);

  double h = 0;                   // [m] how far apart the samples are
  std::span<const Vec3> samples;  // [m]
  std::vector<BvhNode> nodes;     // a tree over the samples ...
  std::vector<BvhItem> items;     // ... and its leaves
  double rounding = 0;            // [m] more than the tree's single precision can lose
  Box3 bounds;                    // [m] around surface and samples
  bool is_solid = false;          // all of its inside lies within its bounds
  bool fills_bounds = false;      // a solid box along the axes
  bool is_flat = false;           // at all samples
  std::vector<char> flat;         // sample -> whether the surface around it is a plane

  /// Calls f(sample, squared distance) for all samples nearer to x than r, in a fixed order.
  template <class F>
  void for_each_near(const Vec3& x, double r, F&& f) const;

  bool is_open() const { return !on_border_.empty(); }
  /// Whether the nearest point lies on the border of an open surface.
  bool is_on_border(const MeshDistance::Closest& c) const;

  /// Nearest point of the surface and its outward pseudo-normal; none if farther than `within` [m].
  /// (Of a box the normal of one face, also on edges.)
  std::optional<MeshDistance::Closest> closest(const Vec3& x, double within) const {
    if (!box_.empty()) return closest_on_box(x, within);
    if (!round_) return (ribbon_ ? *ribbon_ : *solid_->distance).closest(x, within);
    const MeshDistance::Closest c = round_->closest(x);
    return c.distance <= within ? std::optional(c) : std::nullopt;
  }
  /// Whether closest() finds a point; cheaper.
  bool is_within(const Vec3& x, double within) const {
    if (has_closed_form()) return closest(x, within).has_value();
    return (ribbon_ ? *ribbon_ : *solid_->distance).is_within(x, within);
  }
  /// Whether normals are those of a curved surface, not of facets.
  bool is_round() const { return round_.has_value(); }
  /// Whether the surface is known exactly, not by a mesh of many triangles.
  bool has_closed_form() const { return is_round() || !box_.empty(); }

 private:
  const SolidShape* solid_;             // of the world
  std::optional<MeshDistance> ribbon_;  // 2D: the outline, drawn out along z
  std::optional<RoundSurface> round_;   // if the surface has a closed form
  Box3 box_;                            // if the surface is that of a box along the axes ...
  double outward_ = 1;                  // ... and -1 if it is turned inside out

  std::vector<std::array<bool, 3>> on_border_;  // sides of triangles; empty if there is none

  std::optional<MeshDistance::Closest> closest_on_box(const Vec3& x, double within) const;
  bool is_flat_around(const Vec3& x, const CubicSpline& kernel) const;
};

template <class F>
void ContactShape::for_each_near(const Vec3& x, double r, F&& f) const {
  if (nodes.empty()) return;
  const double r_sq = r * r;
  const auto limit = static_cast<float>((r + rounding) * (r + rounding) * (1 + 1e-5));
  const Eigen::Array3f at = x.cast<float>();
  std::uint32_t stack[bvh_stack_size];
  int size = 0;
  stack[size++] = 0;  // the root
  while (size > 0) {
    const std::uint32_t child = stack[--size];
    if (BvhNode::is_leaf(child)) {
      for (std::uint32_t i = 0; i < BvhNode::count(child); ++i) {
        const std::uint32_t k = items[BvhNode::first(child) + i].index;
        const double d_sq = (samples[k] - x).squaredNorm();
        if (d_sq < r_sq) f(k, d_sq);
      }
      continue;
    }
    const BvhNode& node = nodes[BvhNode::first(child)];
    Eigen::Array4f d_sq = Eigen::Array4f::Zero();
    for (int axis = 0; axis < 3; ++axis)
      d_sq += (node.lo[axis] - at[axis]).max(at[axis] - node.hi[axis]).max(0.0f).square();
    for (int k = 0; k < 4; ++k)
      if (d_sq[k] <= limit) stack[size++] = node.child[k];
  }
}

/// Where a body is in this step.
struct ContactPose {
  Mat3 R = Mat3::Identity();  // body frame -> world
  Vec3 x = Vec3::Zero();      // [m]

  Vec3 to_body(const Vec3& y) const { return R.transpose() * (y - x); }
  Vec3 to_world(const Vec3& y) const { return R * y + x; }
};

/// The samples of body a against body b.
struct ContactPair {
  std::uint32_t a = 0, b = 0;
  double limit = 0;                   // [m] contacts with a larger gap are left out
  double mu = 0;                      // [-] across the grain, if it has one
  double along = 0;                   // [-] along the grain
  Vec3 grain = Vec3::Zero();          // unit, world; zero: none
  double torsional = 0, rolling = 0;  // [m]
  std::uint32_t first = 0;            // its contacts in its block
  std::uint32_t count = 0;
};

/// Everything a measure reads; the same for all pairs.
struct ContactScene {
  const Samples& samples;
  const CubicSpline& kernel;
  const ContactOptions& options;
  std::span<const ContactShape> shapes;
  std::span<const std::uint32_t> shape_of;
  std::span<const ContactPose> poses;

  const ContactShape& shape(std::uint32_t body) const { return shapes[shape_of[body]]; }
};

struct FoundContact {
  std::uint32_t sample = 0;  // index into Samples
  double gap = 0;            // [m]
  Vec3 normal, normal_point, friction_point;
};

/// How far from b's surface samples count [m].
struct ContactReach {
  double outside = 0, inside = 0;
  double farthest() const { return std::max(outside, inside); }
};

/// All samples of a within reach of b's surface and few others, as sorted indices into Samples.
void find_candidates(const ContactScene& scene, const ContactPair& pair, const ContactReach& reach,
                     std::vector<std::uint32_t>& candidates);

/// Append the contacts of a pair, by rising sample. `candidates` is scratch.
void measure_distance(const ContactScene& scene, const ContactPair& pair,
                      std::vector<std::uint32_t>& candidates, std::vector<FoundContact>& found);
void measure_volumes(const ContactScene& scene, const ContactPair& pair,
                     std::vector<std::uint32_t>& candidates, std::vector<FoundContact>& found);

}  // namespace hydrolith
