#include "geometry/full_volume.h"

#include "geometry/mass_properties.h"
#include "geometry/section.h"

#include <cmath>
#include <numbers>
#include <type_traits>

namespace hydrolith {

namespace {

using std::numbers::pi;

constexpr double round_off = 1e-12;  // [-] of the volume

// The same shape with its round parts moved outwards by the factor s of their radius, what is flat
// and the middle of tubes where they are.
SphereShape swollen(const SphereShape& k, double s) { return {s * k.radius}; }
EllipsoidShape swollen(const EllipsoidShape& k, double s) { return {s * k.radii}; }
CylinderShape swollen(const CylinderShape& k, double s) { return {s * k.radius, k.height}; }
ConeShape swollen(const ConeShape& k, double s) {
  return {s * k.radius, k.height, s * k.top_radius};
}
CapsuleShape swollen(const CapsuleShape& k, double s) {
  return {s * k.radius, k.height + 2 * (s - 1) * k.radius};
}
TorusShape swollen(const TorusShape& k, double s) { return {k.radius, s * k.tube}; }
ChainLinkShape swollen(const ChainLinkShape& k, double s) {
  const double more = 2 * (s - 1) * k.wire;
  return {k.length + more, k.width + more, s * k.wire};
}
/// Of a rounded box the faces stay: its edges are less round.
RoundedBoxShape swollen(const RoundedBoxShape& k, double s) { return {k.size, k.rounding / s}; }

// [m^3]
double volume_of(const SphereShape& k) { return 4 * pi / 3 * std::pow(k.radius, 3); }
double volume_of(const EllipsoidShape& k) { return 4 * pi / 3 * k.radii.prod(); }
double volume_of(const CylinderShape& k) { return pi * k.radius * k.radius * k.height; }
double volume_of(const ConeShape& k) {
  const double a = k.radius, b = k.top_radius;
  return pi / 3 * k.height * (a * a + a * b + b * b);
}
double volume_of(const CapsuleShape& k) {
  return pi * k.radius * k.radius * (k.height - 2 * k.radius / 3);
}
double volume_of(const TorusShape& k) { return 2 * pi * pi * k.radius * k.tube * k.tube; }
double volume_of(const ChainLinkShape& k) {
  const double middle = 2 * pi * (0.5 * k.width - k.wire) + 2 * (k.length - k.width);
  return pi * k.wire * k.wire * middle;
}
double volume_of(const RoundedBoxShape& k) {
  const double r = k.rounding;
  const Vec3 inner = k.size - Vec3::Constant(2 * r);
  const double faces = inner.x() * inner.y() + inner.y() * inner.z() + inner.z() * inner.x();
  return inner.prod() + 2 * r * faces + pi * r * r * inner.sum() + 4 * pi / 3 * r * r * r;
}

template <class Kind>
concept Round = requires(const Kind& kind) {
  volume_of(kind);
};

/// Rounder shapes that are none any more: the hole of a ring closes, edges are not round.
template <class Kind>
bool can_swell(const Kind& kind) {
  constexpr double most = 1.01;
  if constexpr (std::is_same_v<Kind, TorusShape>) return most * kind.tube < kind.radius;
  if constexpr (std::is_same_v<Kind, ChainLinkShape>) return kind.width > 4 * most * kind.wire;
  if constexpr (std::is_same_v<Kind, RoundedBoxShape>) return kind.rounding > 0;
  return true;
}

/// Section of an ellipsoid (x - c)^T M (x - c) = 1 with the plane z = 0 [m^2].
double ellipse_area(const Vec3& radii, const Shape& shape) {
  const Mat3 R = shape.rotate.normalized().toRotationMatrix();
  const Vec3 r_sq = radii.cwiseProduct(shape.scale).cwiseAbs2();
  const Mat3 M = R * r_sq.cwiseInverse().asDiagonal() * R.transpose();
  const double reach_sq = (R * r_sq.asDiagonal() * R.transpose())(2, 2);
  const double left = 1 - shape.at.z() * shape.at.z() / reach_sq;
  return left > 0 ? pi * left / std::sqrt(M.topLeftCorner<2, 2>().determinant()) : 0;
}

double section_area(const TriangleMesh& mesh) {
  return std::abs(section_properties(cut_at_z0(mesh)).area);
}

/// What chords of n segments lack goes with 1 / n^2, so two meshes tell the rest. The coarsest and
/// the finest that there are have the same n in all circles of a shape.
template <class Kind>
double extrapolated_area(const Kind&, const Shape& shape, const MeshingOptions& options) {
  const double coarse_n = 64, fine_n = std::is_same_v<Kind, TorusShape> ? 320 : 640;
  MeshingOptions coarse = options, fine = options;
  coarse.resolution = 1e12 * options.resolution;
  fine.resolution = 1e-12 * options.resolution;
  const double weight = coarse_n * coarse_n / (fine_n * fine_n - coarse_n * coarse_n);
  const double area = section_area(build_mesh(shape, fine));
  return area + weight * (area - section_area(build_mesh(shape, coarse)));
}

template <class Kind>
double section_of(const Kind& kind, const Shape& shape, const MeshingOptions& options) {
  if constexpr (std::is_same_v<Kind, SphereShape>)
    return ellipse_area(Vec3::Constant(kind.radius), shape);
  else if constexpr (std::is_same_v<Kind, EllipsoidShape>)
    return ellipse_area(kind.radii, shape);
  else
    return extrapolated_area(kind, shape, options);
}

/// The mesh of the shape swollen until `measure` of it is `goal`, by secants.
template <class Kind, class Measure>
std::optional<TriangleMesh> swell(const Kind& kind, Shape shape, const MeshingOptions& options,
                                  double goal, Measure&& measure) {
  constexpr int most_secants = 12;
  constexpr double first_try = 1.001;
  TriangleMesh mesh;
  const auto error = [&](double s) {
    shape.kind = swollen(kind, s);
    mesh = build_mesh(shape, options);
    return measure(mesh) / goal - 1;
  };
  double s0 = 1, e0 = error(1);
  if (std::abs(e0) < round_off) return std::nullopt;
  double s1 = first_try, e1 = error(s1);
  for (int k = 0; k < most_secants && std::abs(e1) > round_off && e1 != e0; ++k) {
    const double s2 = s1 - e1 * (s1 - s0) / (e1 - e0);
    s0 = s1, e0 = e1;
    s1 = s2, e1 = error(s1);
  }
  return mesh;
}

}  // namespace

std::optional<TriangleMesh> build_full_mesh(const Shape& shape, const MeshingOptions& options,
                                            int dimensions) {
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> std::optional<TriangleMesh> {
        if constexpr (Round<Kind>) {
          if (!can_swell(kind)) return std::nullopt;
          if (dimensions == 2) {
            const double area = section_of(kind, shape, options);
            if (!(area > 0)) return std::nullopt;
            return swell(kind, shape, options, area, section_area);
          }
          const double volume = volume_of(kind) * std::abs(shape.scale.prod());
          return swell(kind, shape, options, volume, [](const TriangleMesh& mesh) {
            return std::abs(mass_properties(mesh).volume);
          });
        }
        return std::nullopt;
      },
      shape.kind);
}

}  // namespace hydrolith
