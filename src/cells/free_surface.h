#pragma once
// Where liquid ends: the volume of a cell that no neighbour bounds on some side.
//
// Cell i is the set of points nearest to x_i, outside the solids. With V(R) its volume within a
// ball of radius R around x_i, two balls tell how far it is open, as an angle,
//   Omega = (V(R_2) - V(R_1)) / ((R_2^d - R_1^d) / d).
// Closed cells lie within R_1: Omega is zero, and the volume is all of V(R_1). Of an open cell only
// the volume within R_0 counts, less X, what that has at a flat surface more than h/2 above its
// particle:
//   V = V(R_1) - chi (V(R_1) - V(R_0) + X) - Y
//   chi = smoothstep(Omega / (sharp Omega_flat)),
//   Y = bulge V_0 e^2 / (1 + e^2),   e = max(0, Omega / Omega_flat - 1).
// Y makes the flat surface the one with the largest volume: without it particles gain room, and
// sink, by leaving their row up and down in turn.
//
// V is a smooth function of all positions, so that the divergence can know all of its derivative:
// what lies on a bisector within R_k counts with weight w_k, and the balls go with their particle.
// For all but pressure the area of a face is (1 + gamma) A(R_0) - gamma A(R_1) in an open cell,
// but not below zero, which at a flat surface ends h/2 above its particle too. A volume whose
// changes the divergence does not know is given back later as if it had been compressed, and that
// feeds energy.

namespace hydrolith {

struct CellOptions;

class FreeSurface {
 public:
  explicit FreeSurface(const CellOptions& options);

  static constexpr int balls = 3;
  double radius(int k) const { return radius_[k]; }  // [m] R_k

  struct Volume {
    double volume = 0;                 // [m^d] V
    double open = 0;                   // [-] Omega of that at a flat surface
    double area[balls] = {0, 1, 0};    // [-] weights of an area
    double weight[balls] = {0, 1, 0};  // [-] dV/dV(R_k)
  };
  /// From V(R_k) [m^d].
  Volume of(const double (&within)[balls]) const;

 private:
  double radius_[balls] = {};  // [m]
  double shell_ = 0;           // [m^d] (R_2^d - R_1^d) / d
  double flat_ = 0;            // Omega at a flat surface
  double gamma_ = 0;           // [-]
  double sharp_ = 0;           // [-]
  bool sealed_ = false;
  double excess_ = 0, bulge_ = 0;  // [m^d] X; of Y
};

}  // namespace hydrolith
