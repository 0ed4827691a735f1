#include "geometry/build_mesh.h"

#include "hydrolith/error.h"

#include "geometry/contour.h"
#include "geometry/facet.h"
#include "geometry/mass_properties.h"
#include "geometry/sdf.h"
#include "geometry/sdf_compose.h"
#include "geometry/sdf_primitives.h"
#include "geometry/shape_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hydrolith {

namespace {

template <class Kind>
concept Faceted = requires(const Kind& kind) {
  facet(kind, 0.01);
};

bool is_finite(const Box3& box) { return box.lo.allFinite() && box.hi.allFinite(); }

// Only compositions have bounds that may be loose.
bool is_composed(const Shape& shape) {
  return std::visit(
      []<class Kind>(const Kind&) {
        return requires(const Kind& kind) { kind.shapes; }
        || std::is_same_v<Kind, TetrapodShape> || std::is_same_v<Kind, DuckShape>;
      },
      shape.kind);
}

void place(TriangleMesh& mesh, const Shape& shape, const Vec3& scale) {
  transform(mesh, {shape.at, shape.rotate.normalized()}, scale);
  if (shape.inside_out) turn_inside_out(mesh);
}

// The half space on the one side of the placed plane or, turned inside out, on the other.
TriangleMesh mesh_half_space(const HalfSpaceShape& kind, const Shape& shape, const Box3& clip) {
  check(kind);
  const Vec3 normal = shape.rotate.normalized() * kind.normal.cwiseQuotient(shape.scale);
  return facet_half_space(shape.inside_out ? Vec3(-normal) : normal, shape.at, clip);
}

// Cells as fine as the resolution and the shape's details ask for; where that is more than the
// budget, they grow up to twice the resolution.
TriangleMesh contour_within_budget(const Sdf& sdf, const Box3& box, double resolution) {
  const double finest = std::min(0.5 * resolution, sdf.detail());
  const double coarsest = std::min(2 * resolution, sdf.detail());
  for (double cell = finest; !box.empty() && cell <= 1.001 * coarsest; cell *= std::sqrt(2.0)) {
    const std::optional<TriangleMesh> mesh = contour(sdf, box, cell);
    if (!mesh) continue;
    if (mesh->empty()) break;
    return *mesh;
  }
  const Vec3 size = box.size();
  if (box.empty() || contour(sdf, box, size.maxCoeff() / 50)->empty())
    throw MeshError(
        "this composition of shapes is empty: nothing is left, or what is left is thinner than the "
        "resolution. Check the positions and sizes of its parts.");
  throw MeshError(fmt::format(
      "this composition of shapes is {:.3g} x {:.3g} x {:.3g} m large and needs cells of {:.3g} m: "
      "more than a million. Make it smaller, its details coarser, or the particle spacing larger.",
      size.x(), size.y(), size.z(), coarsest));
}

const std::vector<Shape>* parts_of(const Shape& shape) {
  return std::visit(
      []<class Kind>(const Kind& kind) -> const std::vector<Shape>* {
        if constexpr (requires { kind.shapes; }) return &kind.shapes;
        return nullptr;
      },
      shape.kind);
}

// [m] the smallest extent of a part of a composition, in the part's own frame.
double thinnest_part(const Shape& shape) {
  const std::vector<Shape>* parts = parts_of(shape);
  if (!parts) return bounds(Shape{.kind = shape.kind, .scale = shape.scale}).size().minCoeff();
  double thinnest = std::numeric_limits<double>::infinity();
  for (const Shape& part : *parts)
    if (is_bounded(part))
      thinnest = std::min(thinnest, shape.scale.cwiseAbs().minCoeff() * thinnest_part(part));
  return thinnest;
}

// Whether parts are cut by others: only then can walls be thinner than every part.
bool has_cuts(const Shape& shape) {
  const std::vector<Shape>* parts = parts_of(shape);
  if (!parts) return false;
  return std::holds_alternative<DifferenceShape>(shape.kind) ||
         std::holds_alternative<IntersectionShape>(shape.kind) ||
         std::any_of(parts->begin(), parts->end(), has_cuts);
}

// Two contours of one shape agree if nothing was lost between them.
bool agree(const TriangleMesh& a, const TriangleMesh& b) {
  const auto close = [](double x, double y, double share) {
    return std::abs(x - y) <= share * std::max(std::abs(x), std::abs(y));
  };
  return !a.empty() && !b.empty() && close(area(a), area(b), 0.06) &&
         close(mass_properties(a).volume, mass_properties(b).volume, 0.02);
}

// Thin walls show as a mesh that changes with the cells: they are halved until it does not.
TriangleMesh contour_until_settled(const Sdf& sdf, const Box3& box, double resolution) {
  constexpr std::size_t most_cells = 4'000'000;
  TriangleMesh mesh = contour_within_budget(sdf, box, resolution);
  double cell = std::min(0.5 * resolution, sdf.detail());
  TriangleMesh coarse = contour(sdf, box, 2 * cell).value_or(mesh);
  while (!agree(coarse, mesh)) {
    cell *= 0.5;
    std::optional<TriangleMesh> finer = contour(sdf, box, cell, most_cells);
    if (!finer)
      throw MeshError(fmt::format(
          "this composition of shapes has parts thinner than {:.2g} m, too thin for its size: they "
          "would be lost. Make them thicker, use a shape of their own, or import a mesh.",
          4 * cell));
    coarse = std::exchange(mesh, *std::move(finer));
  }
  return mesh;
}

// Bounded surfaces are contoured in the shape's own frame, so that the mesh is the same in every
// pose; unbounded ones where they stand, cut to the clip box.
TriangleMesh contour_shape(const Shape& shape, const MeshingOptions& options) {
  const Shape own = {.kind = shape.kind, .scale = shape.scale};
  const SdfPtr sdf = make_sdf(own, options.resolution);
  const Box3 box = surface_bounds(*sdf);
  if (box.empty() || is_finite(box)) {
    const double resolution = std::min(options.resolution, 0.8 * thinnest_part(own));
    TriangleMesh mesh = has_cuts(own) ? contour_until_settled(*sdf, box, resolution)
                                      : contour_within_budget(*sdf, box, resolution);
    place(mesh, shape, Vec3::Ones());
    return mesh;
  }
  const SdfPtr clip = placed(sdf_of(BoxShape{options.clip.size()}), options.clip.centre(),
                             Quat::Identity(), Vec3::Ones());
  const SdfPtr cut = intersection_of({make_sdf(shape, options.resolution), clip});
  return contour_within_budget(*cut, surface_bounds(*cut), options.resolution);
}

TriangleMesh import_shape(const MeshShape& kind, const Shape& shape, MeshReport& report) {
  TriangleMesh mesh = import_mesh(kind.file, {.repair = kind.repair, .weld = kind.weld}, report);
  place(mesh, shape, shape.scale);
  return mesh;
}

}  // namespace

TriangleMesh build_mesh(const Shape& shape, const MeshingOptions& options, MeshReport* report) {
  check_scale(shape.scale);
  MeshReport ignored;
  MeshReport& found = report ? *report : ignored;
  found = {};
  found.closed = true;
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> TriangleMesh {
        if constexpr (std::is_same_v<Kind, MeshShape>) {
          return import_shape(kind, shape, found);
        } else if constexpr (std::is_same_v<Kind, HalfSpaceShape>) {
          return mesh_half_space(kind, shape, options.clip);
        } else if constexpr (Faceted<Kind>) {
          TriangleMesh mesh = facet(kind, options.resolution / shape.scale.cwiseAbs().maxCoeff());
          place(mesh, shape, shape.scale);
          return mesh;
        } else {
          return contour_shape(shape, options);
        }
      },
      shape.kind);
}

bool is_bounded(const Shape& shape) {
  const auto solid = [](const Shape& s) { return !s.inside_out && is_bounded(s); };
  if (const auto* k = std::get_if<UnionShape>(&shape.kind))
    return std::all_of(k->shapes.begin(), k->shapes.end(), solid);
  if (const auto* k = std::get_if<BlendShape>(&shape.kind))
    return std::all_of(k->shapes.begin(), k->shapes.end(), solid);
  if (const auto* k = std::get_if<IntersectionShape>(&shape.kind))
    return std::any_of(k->shapes.begin(), k->shapes.end(), solid);
  if (const auto* k = std::get_if<DifferenceShape>(&shape.kind))
    return !k->shapes.empty() && solid(k->shapes.front());
  return !std::holds_alternative<HalfSpaceShape>(shape.kind);
}

Box3 bounds(const Shape& shape) {
  check_scale(shape.scale);
  constexpr double coarse = 0.01;  // only tabulated heights depend on it
  const SdfPtr sdf = make_sdf(shape, coarse);
  const Box3 box = solid_bounds(*sdf);
  return is_finite(box) && is_composed(shape) ? tighten(*sdf, box) : box;
}

}  // namespace hydrolith
