#include "cells/free_surface.h"

#include "cells/cells.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double closed = 1e-10;  // [rad], [sr]: less is round-off

/// [h^d] Volume above the particle, within a ball of radius R [h], of a cell at the flat surface of
/// a square lattice: the integral of sqrt(R^2 - y^2) over the unit square (2D: interval).
double above(double R, int dimensions) {
  if (dimensions == 1) return R;
  constexpr int points = 32;
  const auto at = [](int k) { return (k + 0.5) / points - 0.5; };
  double sum = 0;
  for (int k = 0; k < points; ++k)
    for (int l = 0; l < (dimensions == 2 ? 1 : points); ++l) {
      const double z = dimensions == 2 ? 0 : at(l);
      sum += std::sqrt(std::max(0.0, R * R - at(k) * at(k) - z * z));
    }
  return sum / (dimensions == 2 ? points : points * points);
}

}  // namespace

FreeSurface::FreeSurface(const CellOptions& o)
    : radius_{o.near * o.h, o.inner * o.h, o.outer * o.h}, sharp_(o.sharp), sealed_(o.sealed) {
  const int d = o.dimensions;
  const double unit = std::pow(o.h, d);
  shell_ = (std::pow(radius_[2], d) - std::pow(radius_[1], d)) / d;
  flat_ = unit * (above(o.outer, d) - above(o.inner, d)) / shell_;
  // What lies above the particle of a face between two cells at a flat surface: the same integral
  // in one dimension less, at a distance of h/2.
  const auto face = [&](double R) { return above(std::sqrt(R * R - 0.25), d - 1); };
  gamma_ = (face(o.near) - 0.5) / (face(o.inner) - face(o.near));
  excess_ = unit * (above(o.near, d) - 0.5);
  bulge_ = unit * o.bulge;
}

FreeSurface::Volume FreeSurface::of(const double (&V)[balls]) const {
  const double angle = (V[2] - V[1]) / shell_;
  if (!(angle > closed)) return {.volume = V[1]};
  if (sealed_) return {.volume = V[1], .open = angle / flat_};
  const double t = std::min(1.0, angle / (sharp_ * flat_)), chi = t * t * (3 - 2 * t);
  const double e = std::max(0.0, angle / flat_ - 1), under = 1 + e * e;
  const double off = V[1] - V[0] + excess_;
  const double chi_slope = t < 1 ? 6 * t * (1 - t) / (sharp_ * flat_) : 0;
  const double bulge_slope = bulge_ * 2 * e / (under * under) / flat_;
  const double by_angle = (-chi_slope * off - bulge_slope) / shell_;
  return {.volume = V[1] - chi * off - bulge_ * e * e / under,
          .open = angle / flat_,
          .area = {chi * (1 + gamma_), 1 - chi * (1 + gamma_), 0},
          .weight = {chi, 1 - chi - by_angle, by_angle}};
}

}  // namespace hydrolith
