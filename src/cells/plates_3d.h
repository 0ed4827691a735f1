#pragma once
// Thin flat solids that part the liquid on their two sides.

#include "cells/cell_parts.h"

#include <vector>

namespace hydrolith {

/// Plates near one particle after another, in memory of its own.
class PlateFinder {
 public:
  struct Plate {  // n.y = c half-way through a thin solid
    Vec3 n;
    double c = 0;  // [m]
    std::uint32_t surface = 0;
    double nearest_end = 0;  // [m]
  };

  void start(const CellInput& input);
  /// For the particles of a grid cell, in this box.
  void look_around(const Box3& box);
  /// Those near the particle at x [m].
  void find(const Vec3& x);
  std::span<const Plate> found() const { return plates_; }
  /// Whether one of them lies between the particle and what is `to` [m] from it.
  bool part(const Vec3& to);

 private:
  struct Side {  // the plane of a triangle: out.y = offset
    Vec3 out;
    double offset = 0;  // [m]
  };
  bool may_be_near(const Box3& box);
  void add(std::uint32_t s, const Vec3& point, const Vec3& inward);
  double nearest_end(const Plate& plate, const Vec3& middle);

  const CellInput* input_ = nullptr;
  double h_ = 0;
  bool near_grid_cell_ = true;
  Vec3 x_ = Vec3::Zero();
  std::vector<Plate> plates_;
  std::vector<Side> sides_;
  std::vector<CellSearch::Candidate> at_end_;
  std::vector<std::uint32_t> surfaces_, near_;  // surfaces near the particle, elements of one
  std::vector<std::uint32_t> ends_;             // surfaces at the end of a plate
};

}  // namespace hydrolith
