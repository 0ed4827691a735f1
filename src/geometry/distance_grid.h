#pragma once
// Signed distance of a closed mesh on a grid, for loops that ask millions of times a step. Exact at
// the nodes within a band around the surface, clamped to the band elsewhere, trilinear in between.
// Only blocks of cells that touch the band are stored.

#include "hydrolith/vec.h"

#include "geometry/mesh_distance.h"

#include <cstdint>
#include <vector>

namespace hydrolith {

class DistanceGrid {
 public:
  struct Options {
    double spacing = 0.01;  ///< [m] between nodes
    double band = 0.03;     ///< [m] distances beyond it are clamped to it; at least one spacing
  };

  /// `surface` bounds the mesh that `exact` measures. Blocks are filled in parallel.
  DistanceGrid(const MeshDistance& exact, const Box3& surface, const Options& options);

  struct Sample {
    double distance = 0;           // [m] negative inside, within [-band, band]
    Vec3 gradient = Vec3::Zero();  // [-] of the interpolant; zero where the distance is clamped
  };
  Sample sample(const Vec3& x) const;
  double operator()(const Vec3& x) const { return sample(x).distance; }

  double spacing() const { return spacing_; }
  double band() const { return band_; }
  Box3 box() const;  ///< what the grid covers; beyond it nothing comes nearer
  std::size_t stored_blocks() const { return values_.size() / block_nodes; }
  std::size_t blocks() const { return block_.size(); }
  std::size_t bytes() const;

 private:
  static constexpr int block_cells = 8;               // along each axis
  static constexpr int block_side = block_cells + 1;  // nodes; faces are stored on both sides
  static constexpr std::size_t block_nodes = block_side * block_side * block_side;
  static constexpr std::int32_t far_outside = -1, far_inside = -2;

  Vec3 origin_ = Vec3::Zero();                      // [m] first node
  double spacing_ = 0, band_ = 0;                   // [m]
  Eigen::Vector3i size_ = Eigen::Vector3i::Zero();  // blocks along each axis
  std::vector<std::int32_t> block_;                 // slot in values_, or far_outside, far_inside
  std::vector<float> values_;                       // [m] block_nodes for each slot, x fastest

  std::size_t block_index(const Eigen::Vector3i& b) const;
  Vec3 node(const Eigen::Vector3i& b, int i, int j, int k) const;
  void find_blocks(const MeshDistance& exact);
  void fill_block(const MeshDistance& exact, const Eigen::Vector3i& b);
  void spread_signs(const MeshDistance& exact);
};

}  // namespace hydrolith
