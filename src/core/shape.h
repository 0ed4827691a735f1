#pragma once
// What a shape is: plain data. scene/ reads it, geometry/ turns it into signed distance and
// triangles. Shapes stand around their own origin with y as their axis; `Shape::placement` moves
// them. The defaults below are the defaults of the scene language.

#include "hydrolith/vec.h"

#include "core/expression.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace hydrolith {

struct Shape;

struct BoxShape {
  Vec3 size = Vec3::Ones();
  bool operator==(const BoxShape&) const = default;
};  // [m] edges, centred
struct SphereShape {
  double radius = 0.5;
  bool operator==(const SphereShape&) const = default;
};  // [m]
struct EllipsoidShape {
  Vec3 radii = Vec3(0.5, 0.3, 0.4);
  bool operator==(const EllipsoidShape&) const = default;
};  // [m]
struct CylinderShape {
  double radius = 0.5, height = 1;
  bool operator==(const CylinderShape&) const = default;
};  // [m] axis y, centred
struct CapsuleShape {
  double radius = 0.25, height = 1;
  bool operator==(const CapsuleShape&) const = default;
};  // [m] whole height, caps included
struct ConeShape {
  double radius = 0.5, height = 1, top_radius = 0;
  bool operator==(const ConeShape&) const = default;
};  // [m] base at y = -height/2
struct TorusShape {
  double radius = 0.5, tube = 0.15;
  bool operator==(const TorusShape&) const = default;
};  // [m] ring in the xz plane
struct WedgeShape {
  Vec3 size = Vec3::Ones();
  bool operator==(const WedgeShape&) const = default;
};  // [m] right-angled prism: full height at -x, none at +x
struct PlateShape {
  double width = 1, depth = 1, thickness = 0.05;
  bool operator==(const PlateShape&) const = default;
};  // [m] along x, z and y
struct RoundedBoxShape {
  Vec3 size = Vec3::Ones();
  double rounding = 0.1;
  bool operator==(const RoundedBoxShape&) const = default;
};  // [m] outer edges, edge radius
struct HalfSpaceShape {
  Vec3 normal = Vec3::UnitY();
  bool operator==(const HalfSpaceShape&) const = default;
};                         // solid on the side against the normal, surface through the origin
struct HeightFieldShape {  // solid below a surface over the xz plane
  Expression height;       // [m] in x and z [m]; used if no file is given
  std::string file;        // greyscale PNG, or text with one row of numbers a line (rows along z)
  double width = 1, depth = 1;  // [m] extent along x and z, centred
  double scale = 1;             // [m] height of white (PNG) or factor (text)
  double thickness = 0.2;       // [m] solid below the lowest point
  bool operator==(const HeightFieldShape&) const = default;
};
struct TetrapodShape {
  double size = 1, leg_radius = 0.16, taper = 0.7;
  bool operator==(const TetrapodShape&) const = default;
};  // [m] height over all; leg radius at the root; radius ratio tip/root
struct ChainLinkShape {
  double length = 0.3, width = 0.2, wire = 0.025;
  bool operator==(const ChainLinkShape&) const = default;
};  // [m] outer length (x), outer width (z), wire radius
struct GearShape {
  int teeth = 16;
  double radius = 0.5, thickness = 0.15, bore = 0.1, tooth_height = 0.12;
  bool operator==(const GearShape&) const = default;
};                                                    // pitch radius [m]; axis y
struct BoltShape {                                    // ISO metric profile, axis y, head on top
  double diameter = 0.1, pitch = 0.02, length = 0.3;  // [m] thread
  double head_width = 0.16, head_height = 0.06;       // [m] hexagon across flats
  double clearance = 0;                               // [m] taken off the thread flanks
  bool operator==(const BoltShape&) const = default;
};
struct NutShape {
  double diameter = 0.1, pitch = 0.02, width = 0.16, height = 0.08, clearance = 0.002;
  bool operator==(const NutShape&) const = default;
};  // [m] fits the bolt of the same diameter and pitch
struct TextShape {
  std::string text = "HYDROLITH";
  double height = 0.2, stroke = 0.03, depth = 0.05;
  bool operator==(const TextShape&) const = default;
};  // [m]
struct DuckShape {
  double length = 1;
  bool operator==(const DuckShape&) const = default;
};  // [m] beak to tail (along x, beak at +x)
struct MeshShape {
  std::string file;
  bool repair = true;
  double weld = 0;
  bool operator==(const MeshShape&) const = default;
};  // path already resolved; weld distance [m], 0 = automatic

struct UnionShape {
  std::vector<Shape> shapes;
  bool operator==(const UnionShape&) const;
};
struct IntersectionShape {
  std::vector<Shape> shapes;
  bool operator==(const IntersectionShape&) const;
};
struct DifferenceShape {
  std::vector<Shape> shapes;
  bool operator==(const DifferenceShape&) const;
};  // the first less all others
struct BlendShape {
  double radius = 0.1;
  std::vector<Shape> shapes;
  bool operator==(const BlendShape&) const;
};  // smooth union, [m] blend radius

/// One shape with its placement: x_world = rotate * (scale .* x) + at. `inside_out` swaps solid and
/// empty, which makes a container.
struct Shape {
  using Variant = std::variant<BoxShape, SphereShape, EllipsoidShape, CylinderShape, CapsuleShape,
                               ConeShape, TorusShape, WedgeShape, PlateShape, RoundedBoxShape,
                               HalfSpaceShape, HeightFieldShape, TetrapodShape, ChainLinkShape,
                               GearShape, BoltShape, NutShape, TextShape, DuckShape, MeshShape,
                               UnionShape, IntersectionShape, DifferenceShape, BlendShape>;
  Variant kind;
  Vec3 at = Vec3::Zero();  // [m]
  Quat rotate = Quat::Identity();
  Vec3 scale = Vec3::Ones();  // [-]
  bool inside_out = false;

  bool operator==(const Shape& o) const {
    return kind == o.kind && at == o.at && rotate.coeffs() == o.rotate.coeffs() &&
           scale == o.scale && inside_out == o.inside_out;
  }
};

inline bool UnionShape::operator==(const UnionShape& o) const { return shapes == o.shapes; }
inline bool IntersectionShape::operator==(const IntersectionShape& o) const {
  return shapes == o.shapes;
}
inline bool DifferenceShape::operator==(const DifferenceShape& o) const {
  return shapes == o.shapes;
}
inline bool BlendShape::operator==(const BlendShape& o) const {
  return radius == o.radius && shapes == o.shapes;
}

}  // namespace hydrolith
