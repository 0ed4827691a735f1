#pragma once
// Systems on cells for the tests.

#include "linalg/cell_system.h"

#include <functional>
#include <map>
#include <random>
#include <tuple>

namespace hydrolith {

/// What lies beyond a face of a cell: another cell, air or a wall. The default is a box with an
/// open top at y = size.y, half a cell above the uppermost cells.
struct CellScene {
  Eigen::Vector3i size{8, 8, 8};
  std::function<bool(const Eigen::Vector3i&)> liquid = [](const Eigen::Vector3i&) { return true; };
  /// Open part of the face between a cell and the next one along an axis.
  std::function<double(const Eigen::Vector3i&, int axis)> open = [](const auto&, int) {
    return 1.0;
  };
  double air = 2;       // what air beyond a face adds to the diagonal; 1 / theta
  bool closed = false;  // a lid at the top
};

inline CellSystem make_cells(const CellScene& scene) {
  CellSystem A;
  std::map<std::tuple<int, int, int>, std::int32_t> number;
  const Eigen::Vector3i n = scene.size;
  const auto inside = [&](const Eigen::Vector3i& c) {
    return (c.array() >= 0).all() && (c.array() < n.array()).all();
  };
  for (int z = 0; z < n.z(); ++z)
    for (int y = 0; y < n.y(); ++y)
      for (int x = 0; x < n.x(); ++x)
        if (const Eigen::Vector3i c(x, y, z); scene.liquid(c)) {
          number[{x, y, z}] = static_cast<std::int32_t>(A.cell.size());
          A.cell.push_back(c);
        }
  A.next.assign(A.cell.size(), {-1, -1, -1});
  A.link.assign(A.cell.size(), {0, 0, 0});
  A.diagonal.assign(A.cell.size(), 0);
  for (std::size_t i = 0; i < A.cell.size(); ++i)
    for (int d = 0; d < (n.z() > 1 ? 3 : 2); ++d)
      for (int side : {-1, 1}) {
        const Eigen::Vector3i c = A.cell[i], o = c + side * Eigen::Vector3i::Unit(d);
        const bool above = d == 1 && o.y() == n.y();
        if (!inside(o) && (!above || scene.closed)) continue;
        const double open = scene.open(side > 0 ? c : o, d);
        const auto there = number.find({o.x(), o.y(), o.z()});
        A.diagonal[i] += there == number.end() ? scene.air * open : open;
        if (side > 0 && there != number.end() && open > 0)
          A.next[i][static_cast<std::size_t>(d)] = there->second,
          A.link[i][static_cast<std::size_t>(d)] = -open;
      }
  link_back(A);
  return A;
}

inline std::vector<double> random_vector(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> v(n);
  for (double& a : v) a = uniform(random);
  return v;
}

}  // namespace hydrolith
