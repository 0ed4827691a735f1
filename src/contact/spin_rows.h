#pragma once
// Resistance of contacts against turning: torsional friction, about the normal, and rolling
// resistance, about axes in the tangent plane. A contact exerts an angular impulse s on body a and
// -s on b. With w = omega_a - omega_b, lengths l_t and l_r [m], and gamma_n its normal impulse
//   |n . s| <= l_t gamma_n,   |(1 - n n^T) s| <= l_r gamma_n,
// each part against that of w, as friction is against sliding (maximum dissipation). Contacts of a
// patch share the normal force, so their limits add up to the length times all of it.

#include "core/motion.h"
#include "linalg/block_ldu.h"

#include <vector>

namespace hydrolith {

/// Index = row of ContactRows.
struct SpinColumns {
  std::vector<double> torsional, rolling;  // [m] l_t, l_r
  std::vector<double> mass;                // [kg m^2] 3 / tr(I_a^-1 + I_b^-1)
  std::vector<Vec3> guess;                 // [N m s] on a

  bool empty() const { return mass.empty(); }
};

/// w of velocities (v, omega).
inline Vec3 relative_spin(const Vec6& ua, const Vec6& ub) { return ua.tail<3>() - ub.tail<3>(); }

/// The nearest angular impulse within the limits, and how it depends on y and on gamma_n.
struct SpinProjection {
  Vec3 value = Vec3::Zero();       // [N m s]
  Mat3 by_y = Mat3::Zero();        // [-] symmetric
  Vec3 by_gamma_n = Vec3::Zero();  // [m]
};
SpinProjection project_spin(const Vec3& y, const Vec3& n, double torsional, double rolling,
                            double gamma_n);

}  // namespace hydrolith
