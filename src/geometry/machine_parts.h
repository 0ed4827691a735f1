#pragma once
// The curves of gears, threads and hexagons, shared by their signed distance and their facets.

#include "core/shape.h"

#include <vector>

namespace hydrolith {

/// Outline of a gear about +y as (angle [rad] from +z, radius [m]), angles ascending over one turn.
/// Involute flanks at a pressure angle of 20 degrees; addendum 1/2.25 and dedendum 1.25/2.25 of the
/// tooth height as in ISO 53, so that gears of equal radius/teeth mesh at the sum of their radii;
/// teeth 2 % thinner than the gaps for play. Throws MeshError if the teeth come to a point.
std::vector<Vec2> gear_outline(const GearShape& shape);

/// ISO 68-1 basic profile: 60 degrees between the flanks, crests cut flat to pitch/8 at the major
/// radius and roots to pitch/4 at the minor radius, 5/8 of the height of the sharp V. The solid
/// side is moved outwards by `offset` along its normal (negative: inwards). A right-handed helix:
/// the profile climbs one pitch a turn counter-clockwise about +y and has a crest at y = 0, angle
/// 0.
struct Thread {
  double major = 0;   // [m] radius
  double pitch = 0;   // [m]
  double offset = 0;  // [m]

  double depth() const;                              // [m] crest to root
  double root() const { return crest() - depth(); }  // [m] radius, offset included
  double crest() const { return major + offset; }    // [m] radius, offset included
  double radius(double y, double angle) const;       // [m] of the surface
  /// Heights in (low, high) at which the profile at this angle has a corner, ascending.
  std::vector<double> corners(double angle, double low, double high) const;
};

Thread thread_of(const BoltShape& shape);
Thread thread_of(const NutShape& shape);  ///< the surface of its hole

/// A hexagonal prism about y with flats towards +-z, its corners cut by a cone of 30 degrees.
struct Hexagon {
  double width = 0;          // [m] across flats
  double low = 0, high = 0;  // [m] along y
  bool cut_low = false;      // the high end is always cut

  double radius(double angle) const;                   // [m] of the flats
  double cut_radius() const { return 0.475 * width; }  // [m] where the cone starts
  double cut_slope() const;                            // [-] drop over radius
  double cut(double r) const;                          // [m] drop of the end at radius r
};

// Where a bolt and a nut stand: whole height centred, head on top.
struct BoltFrame {
  double foot, neck, top;
};  // [m] along y
BoltFrame frame_of(const BoltShape& shape);
Hexagon head_of(const BoltShape& shape);
Hexagon body_of(const NutShape& shape);

/// [m] radius of the 45 degree chamfers: where the bolt ends, and where the nut's hole begins.
double chamfer_radius(const BoltShape& shape);
double chamfer_radius(const NutShape& shape);

}  // namespace hydrolith
