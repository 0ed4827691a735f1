#pragma once
// What of a cell in space lies within balls around its particle: volumes, and the parts of its
// faces and facets.
//
// Their boundaries are lines a-b. With d and n distance and normal of the plane, r = d n the foot
// of the particle on it, and s^2 = R^2 - d^2 the radius of the circle that a ball leaves there, a
// line adds
//   where it lies in the circle, from p to q, the triangle of r, p and q,
//   elsewhere the sector of the circle below it, of angle phi, signed:
//     area s^2 phi / 2,   moment area r + s^3 / 3 (e_1 - e_0) x n with unit vectors e to its
//     ends,   spread d^2 area + s^4 phi / 4.
// Sectors end where lines enter the circle, and begin where they leave it: at all other ends the
// e cancel.
//
// The volume is that of the pyramids on these areas, and of the cones of the sphere below what was
// cut off: their solid angle is that of the triangles of r, a and b less that of r, p and q (van
// Oosterom & Strackee 1983). Below a sector it is phi (1 - |d| / R).
//
// Only sums of angles count, so complex numbers are multiplied and few arguments taken. p and q do
// not depend on the plane: the two faces that share a line share them.

#include "cells/free_surface.h"
#include "cells/solid_cut_3d.h"

#include <cmath>
#include <vector>

namespace hydrolith {

/// A sum of arguments of complex numbers, as the argument of their product and quarter turns.
class AngleSum {
 public:
  /// Adds the argument of x + iy, in (-pi, pi].
  void add(double x, double y);
  double value() const;
  bool empty() const { return x_ == 1 && y_ == 0 && quarters_ == 0; }

 private:
  double x_ = 1, y_ = 0;  // x_ >= 0
  int quarters_ = 0;
};

class BallCuts {
 public:
  static constexpr int balls = FreeSurface::balls;

  /// `cell` cut by `wet`, which kept its lines; R [m].
  void cut(const Polyhedron& cell, const SolidCut& wet, const double (&R)[balls]);

  double volume[balls] = {};           // [m^3]
  std::vector<PlaneSum> faces[balls];  // of the cell's planes, then of the facets

 private:
  struct Span {  // of a line in a ball
    bool in_a = false, in_b = false;
    double t0 = 0, t1 = 0;  // t1 <= t0: none
  };
  struct Part {                     // of a plane in a ball
    double twice_area = 0;          // [m^2] of the triangles
    Vec3 ends = Vec3::Zero();       // [m^3] sum of that times p + q
    double squares = 0;             // [m^4] sum of that times p^2 + q^2 + p.q
    Vec3 crossings = Vec3::Zero();  // [m] sum of p less that of q
    AngleSum phi;
  };
  struct Owner {
    Vec3 n = Vec3::Zero();
    double d = 0;  // [m]
    Part part[balls];
  };
  void measure(const Vec3& a, const Vec3& b, const double (&R)[balls]);
  void add(Owner& owner, const double (&R)[balls]);
  void finish(const Owner& owner, int k, double R, PlaneSum& face);

  // The line under way.
  Vec3 a_ = Vec3::Zero(), b_ = Vec3::Zero(), along_ = Vec3::Zero();
  double aa_ = 0, bb_ = 0, ab_ = 0, length_sq_ = 0;  // [m^2]
  double la_ = 0, lb_ = 0;                           // [m]
  Span span_[balls];

  std::vector<Owner> owners_;
  AngleSum cut_off_[balls];  // half the solid angle
};

}  // namespace hydrolith
