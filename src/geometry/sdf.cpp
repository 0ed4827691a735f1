#include "geometry/sdf.h"

#include "hydrolith/error.h"

#include "geometry/mesh_distance.h"
#include "geometry/mesh_import.h"
#include "geometry/sdf_compose.h"
#include "geometry/sdf_machine.h"
#include "geometry/sdf_primitives.h"
#include "geometry/sdf_terrain.h"
#include "geometry/sdf_text.h"
#include "geometry/shape_checks.h"
#include "geometry/shape_recipes.h"

#include <fmt/format.h>

namespace hydrolith {

namespace {

// Exact distance to the triangles of a closed mesh.
class MeshSdf final : public Sdf {
 public:
  explicit MeshSdf(const TriangleMesh& mesh) : distance_(mesh), vertices_(mesh.vertices) {}
  double operator()(const Vec3& x) const override { return distance_.signed_distance(x); }
  double support(const Vec3& e, double offset) const override {
    double farthest = -std::numeric_limits<double>::infinity();
    for (const Vec3& v : vertices_) farthest = std::max(farthest, e.dot(v));
    return farthest + offset * e.norm();
  }

 private:
  MeshDistance distance_;
  std::vector<Vec3> vertices_;
};

// Leaves that need nothing but the shape; found by overload.
template <class Kind>
concept Leaf = requires(const Kind& kind) {
  sdf_of(kind);
};

std::vector<SdfPtr> children_of(const char* name, const std::vector<Shape>& shapes,
                                double resolution) {
  if (shapes.empty())
    throw MeshError(fmt::format("{}: has no shapes. List at least one under `shapes`.", name));
  std::vector<SdfPtr> children;
  for (const Shape& shape : shapes) children.push_back(make_sdf(shape, resolution));
  return children;
}

class Builder {
 public:
  explicit Builder(double resolution) : resolution_(resolution) {}

  SdfPtr operator()(const Leaf auto& s) const { return sdf_of(s); }
  SdfPtr operator()(const HeightFieldShape& s) const { return sdf_of(s, resolution_); }
  SdfPtr operator()(const TetrapodShape& s) const {
    return make_sdf(tetrapod_recipe(s), resolution_);
  }
  SdfPtr operator()(const DuckShape& s) const { return make_sdf(duck_recipe(s), resolution_); }
  SdfPtr operator()(const MeshShape& s) const {
    MeshReport report;
    const TriangleMesh mesh = import_mesh(s.file, {.repair = s.repair, .weld = s.weld}, report);
    if (!report.closed)
      throw MeshError(fmt::format(
          "{}: only a closed mesh has an inside and can be composed with other shapes; this one "
          "has {} boundary and {} non-manifold edges.",
          s.file, report.boundary_edges, report.non_manifold_edges));
    return std::make_shared<MeshSdf>(mesh);
  }
  SdfPtr operator()(const UnionShape& s) const {
    return union_of(children_of("union", s.shapes, resolution_));
  }
  SdfPtr operator()(const IntersectionShape& s) const {
    return intersection_of(children_of("intersection", s.shapes, resolution_));
  }
  SdfPtr operator()(const DifferenceShape& s) const {
    std::vector<SdfPtr> children = children_of("difference", s.shapes, resolution_);
    const SdfPtr first = children.front();
    children.erase(children.begin());
    if (children.empty()) return first;
    return intersection_of({first, complement(union_of(std::move(children)))});
  }
  SdfPtr operator()(const BlendShape& s) const {
    return blend_of(children_of("blend", s.shapes, resolution_), s.radius);
  }

 private:
  double resolution_;
};

bool is_placed(const Shape& shape) {
  return shape.at != Vec3::Zero() || shape.rotate.coeffs() != Quat::Identity().coeffs() ||
         shape.scale != Vec3::Ones();
}

}  // namespace

SdfPtr make_sdf(const Shape& shape, double resolution) {
  check_scale(shape.scale);
  SdfPtr sdf = std::visit(Builder(resolution / shape.scale.cwiseAbs().maxCoeff()), shape.kind);
  if (is_placed(shape)) sdf = placed(std::move(sdf), shape.at, shape.rotate, shape.scale);
  return shape.inside_out ? complement(std::move(sdf)) : sdf;
}

Vec3 gradient(const Sdf& sdf, const Vec3& x, double step) {
  Vec3 g;
  for (int k = 0; k < 3; ++k) {
    const Vec3 h = step * Vec3::Unit(k);
    g[k] = (sdf(x + h) - sdf(x - h)) / (2 * step);
  }
  return g;
}

Box3 solid_bounds(const Sdf& sdf) {
  Box3 box;
  for (int k = 0; k < 3; ++k) {
    box.hi[k] = sdf.support(Vec3::Unit(k), 0);
    box.lo[k] = -sdf.support(-Vec3::Unit(k), 0);
  }
  return box;
}

Box3 surface_bounds(const Sdf& sdf) {
  Box3 box = solid_bounds(sdf);
  for (int k = 0; k < 3; ++k) {
    box.hi[k] = std::min(box.hi[k], sdf.hollow_support(Vec3::Unit(k), 0));
    box.lo[k] = std::max(box.lo[k], -sdf.hollow_support(-Vec3::Unit(k), 0));
  }
  return box;
}

}  // namespace hydrolith
