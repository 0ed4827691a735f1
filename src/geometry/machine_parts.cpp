#include "geometry/machine_parts.h"

#include "hydrolith/error.h"

#include "geometry/shape_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

using std::numbers::pi;
using std::numbers::sqrt3;

// ---- gear ------------------------------------------------------------------------------------

namespace {

// Half of the angle that a tooth spans at radius r, from the involute of the base circle:
//   psi(r) = psi(R) + inv(alpha) - inv(alpha_r),  inv(a) = tan a - a,  cos(alpha_r) = r_base / r.
// Below the base circle there is no involute; the flank runs on almost straight to the axis.
class ToothFlank {
 public:
  explicit ToothFlank(const GearShape& s)
      : base_(s.radius * std::cos(pressure_angle)), gap_(pi / s.teeth) {
    at_pitch_ = 0.98 * 0.5 * gap_ + involute(pressure_angle);
  }
  double half_angle(double r) const {
    if (r >= base_) return at_pitch_ - involute(std::acos(base_ / r));
    return at_pitch_ + 0.1 * gap_ * (1 - r / base_);
  }

 private:
  static constexpr double pressure_angle = pi / 9;
  static double involute(double a) { return std::tan(a) - a; }
  double base_, gap_, at_pitch_;
};

}  // namespace

std::vector<Vec2> gear_outline(const GearShape& s) {
  check(s);
  constexpr int flank_steps = 6, arc_steps = 4;
  const double tip = s.radius + s.tooth_height / 2.25, root = tip - s.tooth_height;
  const double tooth = 2 * pi / s.teeth;
  const ToothFlank flank(s);
  const double psi_tip = flank.half_angle(tip), psi_root = flank.half_angle(root);
  if (psi_tip < 0.02 * tooth || psi_root > 0.48 * tooth)
    throw MeshError(fmt::format(
        "gear: {} teeth of height {} m on a pitch radius of {} m come to a point. Use a "
        "tooth_height of about 4.5 radius / teeth = {:.3g} m or less.",
        s.teeth, s.tooth_height, s.radius, 4.5 * s.radius / s.teeth));

  std::vector<Vec2> outline;
  for (int t = 0; t < s.teeth; ++t) {
    const double middle = t * tooth;
    const auto add = [&](double angle, double r) { outline.emplace_back(middle + angle, r); };
    for (int i = 0; i < flank_steps; ++i) {
      const double r = root + (tip - root) * i / flank_steps;
      add(-flank.half_angle(r), r);
    }
    for (int i = 0; i < arc_steps; ++i) add(psi_tip * (2.0 * i / arc_steps - 1), tip);
    for (int i = flank_steps; i > 0; --i) {
      const double r = root + (tip - root) * i / flank_steps;
      add(flank.half_angle(r), r);
    }
    for (int i = 0; i < arc_steps; ++i)
      add(psi_root + (tooth - 2 * psi_root) * i / arc_steps, root);
  }
  return outline;
}

// ---- thread ----------------------------------------------------------------------------------

double Thread::depth() const { return 5.0 / 16.0 * sqrt3 * pitch; }

// Distance u along the axis from the nearest crest; a flank falls by sqrt(3) per unit of u, and
// moving it by `offset` along its normal moves it by 2 offset along the radius.
double Thread::radius(double y, double angle) const {
  const double u = std::abs(std::remainder(y - pitch * angle / (2 * pi), pitch));
  const double flank = major - sqrt3 * (u - pitch / 16) + 2 * offset;
  return std::clamp(flank, root(), crest());
}

std::vector<double> Thread::corners(double angle, double low, double high) const {
  const double crest_end = pitch / 16 + offset / sqrt3, root_end = 3 * pitch / 8 + offset / sqrt3;
  const double lead = pitch * angle / (2 * pi);
  std::vector<double> heights;
  for (double k = std::floor((low - lead) / pitch) - 1; lead + (k - 1) * pitch < high; ++k)
    for (const double u : {-root_end, -crest_end, crest_end, root_end}) {
      const double y = lead + k * pitch + u;
      if (y > low && y < high) heights.push_back(y);
    }
  return heights;
}

Thread thread_of(const BoltShape& s) { return {0.5 * s.diameter, s.pitch, -s.clearance}; }
Thread thread_of(const NutShape& s) { return {0.5 * s.diameter, s.pitch, s.clearance}; }

// ---- hexagon ---------------------------------------------------------------------------------

double Hexagon::radius(double angle) const {
  return 0.5 * width / std::cos(std::remainder(angle, pi / 3));
}
double Hexagon::cut_slope() const {
  const double corner = width / sqrt3;
  return std::min(1 / sqrt3, 0.25 * (high - low) / (corner - cut_radius()));
}
double Hexagon::cut(double r) const { return cut_slope() * std::max(r - cut_radius(), 0.0); }

BoltFrame frame_of(const BoltShape& s) {
  const double half = 0.5 * (s.length + s.head_height);
  return {-half, s.length - half, half};
}
Hexagon head_of(const BoltShape& s) {
  const BoltFrame frame = frame_of(s);
  return {s.head_width, frame.neck, frame.top, false};
}
Hexagon body_of(const NutShape& s) { return {s.width, -0.5 * s.height, 0.5 * s.height, true}; }

double chamfer_radius(const BoltShape& s) { return thread_of(s).root() - 0.05 * s.pitch; }
double chamfer_radius(const NutShape& s) { return thread_of(s).crest() + 0.05 * s.pitch; }

}  // namespace hydrolith
