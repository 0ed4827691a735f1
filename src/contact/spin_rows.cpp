#include "contact/spin_rows.h"

#include <cmath>

namespace hydrolith {

// About n an interval, in the tangent plane a disc. Beyond its limit a part turns with y: across
// its direction t the disc gives limit / |y_t|, along t only gamma_n counts.
SpinProjection project_spin(const Vec3& y, const Vec3& n, double torsional, double rolling,
                            double gamma_n) {
  SpinProjection p;
  const double about_n = y.dot(n);
  if (std::abs(about_n) < torsional * gamma_n) {
    p.value = about_n * n;
    p.by_y = n * n.transpose();
  } else {
    p.by_gamma_n = std::copysign(torsional, about_n) * n;
    p.value = gamma_n * p.by_gamma_n;
  }
  const Vec3 tangent = y - about_n * n;
  const double length = tangent.norm();
  const Mat3 plane = Mat3::Identity() - n * n.transpose();
  if (length < rolling * gamma_n) {
    p.value += tangent;
    p.by_y += plane;
  } else if (length > 0) {
    const Vec3 t = tangent / length;
    p.value += rolling * gamma_n * t;
    p.by_y += rolling * gamma_n / length * (plane - t * t.transpose());
    p.by_gamma_n += rolling * t;
  }
  return p;
}

}  // namespace hydrolith
