#include "geometry/shape_checks.h"

#include "hydrolith/error.h"

#include <fmt/format.h>

namespace hydrolith {

namespace {

template <class... Args>
void demand(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) throw MeshError(fmt::format(message, std::forward<Args>(args)...));
}

void demand_positive(const char* shape, const char* name, double value) {
  demand(value > 0 && std::isfinite(value), "{}: {} must be positive, got {} m.", shape, name,
         value);
}

void demand_size(const char* shape, const char* name, const Vec3& v) {
  demand(v.allFinite() && (v.array() > 0).all(), "{}: {} must be positive, got [{}, {}, {}] m.",
         shape, name, v.x(), v.y(), v.z());
}

}  // namespace

void check(const BoxShape& s) { demand_size("box", "size", s.size); }
void check(const SphereShape& s) { demand_positive("sphere", "radius", s.radius); }
void check(const EllipsoidShape& s) { demand_size("ellipsoid", "radii", s.radii); }
void check(const WedgeShape& s) { demand_size("wedge", "size", s.size); }
void check(const DuckShape& s) { demand_positive("duck", "length", s.length); }

void check_scale(const Vec3& scale) {
  demand(scale.allFinite() && (scale.array() != 0).all(),
         "scale [{}, {}, {}]: no factor may be zero.", scale.x(), scale.y(), scale.z());
}

void check(const CylinderShape& s) {
  demand_positive("cylinder", "radius", s.radius);
  demand_positive("cylinder", "height", s.height);
}

void check(const CapsuleShape& s) {
  demand_positive("capsule", "radius", s.radius);
  demand(s.height >= 2 * s.radius,
         "capsule: height {} m is less than twice the radius {} m; the height includes both caps.",
         s.height, s.radius);
}

void check(const ConeShape& s) {
  demand_positive("cone", "height", s.height);
  demand(s.radius >= 0 && s.top_radius >= 0 && s.radius + s.top_radius > 0,
         "cone: radius {} m and top_radius {} m must not be negative, and not both zero.", s.radius,
         s.top_radius);
}

void check(const TorusShape& s) {
  demand_positive("torus", "tube", s.tube);
  demand(s.tube < s.radius,
         "torus: tube {} m must be smaller than radius {} m, or the hole closes.", s.tube,
         s.radius);
}

void check(const PlateShape& s) {
  demand_size("plate", "width, thickness and depth", {s.width, s.thickness, s.depth});
}

void check(const RoundedBoxShape& s) {
  demand_size("rounded_box", "size", s.size);
  demand(s.rounding >= 0 && s.rounding <= 0.5 * s.size.minCoeff(),
         "rounded_box: rounding {} m must lie between 0 and half the smallest edge, {} m.",
         s.rounding, 0.5 * s.size.minCoeff());
}

void check(const HalfSpaceShape& s) {
  demand(s.normal.allFinite() && s.normal.norm() > 0, "half_space: normal must not be zero.");
}

void check(const HeightFieldShape& s) {
  demand_positive("height_field", "width", s.width);
  demand_positive("height_field", "depth", s.depth);
  demand_positive("height_field", "thickness", s.thickness);
}

void check(const TetrapodShape& s) {
  demand_positive("tetrapod", "size", s.size);
  demand_positive("tetrapod", "leg_radius", s.leg_radius);
  demand(s.taper > 0 && s.taper <= 1, "tetrapod: taper must lie in (0, 1], got {}.", s.taper);
  demand(s.leg_radius < 0.3 * s.size,
         "tetrapod: leg_radius {} m must be smaller than 0.3 size = {} m, or the legs merge.",
         s.leg_radius, 0.3 * s.size);
}

void check(const ChainLinkShape& s) {
  demand_positive("chain_link", "wire", s.wire);
  demand(s.width > 4 * s.wire,
         "chain_link: width {} m must exceed 4 wire radii, {} m, or the next link does not fit.",
         s.width, 4 * s.wire);
  demand(s.length >= s.width, "chain_link: length {} m must not be less than width {} m.", s.length,
         s.width);
}

void check(const GearShape& s) {
  demand(s.teeth >= 5, "gear: needs at least 5 teeth, got {}.", s.teeth);
  demand_positive("gear", "radius", s.radius);
  demand_positive("gear", "thickness", s.thickness);
  demand_positive("gear", "tooth_height", s.tooth_height);
  const double root = s.radius - 1.25 / 2.25 * s.tooth_height;
  demand(s.bore >= 0 && s.bore < root,
         "gear: bore {} m must be smaller than the root radius {} m (radius less 5/9 of "
         "tooth_height).",
         s.bore, root);
}

namespace {
void check_thread(const char* shape, double diameter, double pitch, double clearance) {
  demand_positive(shape, "diameter", diameter);
  demand_positive(shape, "pitch", pitch);
  demand(pitch <= 0.3 * diameter,
         "{}: pitch {} m is too coarse for diameter {} m; at most 0.3 of it leaves a core.", shape,
         pitch, diameter);
  demand(clearance >= 0 && clearance <= 0.1 * pitch + 1e-12,
         "{}: clearance {} m must lie between 0 and a tenth of the pitch, {} m, or the threads "
         "lose their hold.",
         shape, clearance, 0.1 * pitch);
}
}  // namespace

void check(const BoltShape& s) {
  check_thread("bolt", s.diameter, s.pitch, s.clearance);
  demand_positive("bolt", "length", s.length);
  demand_positive("bolt", "head_height", s.head_height);
  demand(s.head_width > 1.1 * s.diameter,
         "bolt: head_width {} m must exceed the thread's diameter {} m by a tenth.", s.head_width,
         s.diameter);
}

void check(const NutShape& s) {
  check_thread("nut", s.diameter, s.pitch, s.clearance);
  demand_positive("nut", "height", s.height);
  demand(s.width > 1.2 * s.diameter,
         "nut: width {} m must exceed the thread's diameter {} m by a fifth.", s.width, s.diameter);
}

void check(const TextShape& s) {
  demand_positive("text", "height", s.height);
  demand_positive("text", "depth", s.depth);
  demand(s.stroke > 0 && s.stroke <= 0.25 * s.height,
         "text: stroke {} m must be positive and at most a quarter of the height {} m.", s.stroke,
         s.height);
}

}  // namespace hydrolith
