#pragma once
// Multigrid for a CellSystem: one symmetric cycle, a fixed positive definite operator that
// conjugate gradients and MPRGP may use as preconditioner.
//
// Coarse unknowns are blocks of 2 x 2 x 2 cells, as far as these are linked inside the block. With
// P = 1 where a cell belongs to a block, Galerkin's P^T A P links blocks as A links cells. For
// smooth pressures it is twice too stiff, so the coarse correction is enlarged (Braess 1995,
// "Towards algebraic multigrid for elliptic problems of second order"). Gauss-Seidel in two
// colours, red-black before and black-red after the correction, makes the cycle symmetric:
//   I - B A = (I - S^T A) (I - C A) (I - S A),  C = omega P B_c P^T,
// Constants in blocks satisfy the conditions of a W-cycle only: two visits to the coarser levels,
// which in 3D cost a third. B is then positive definite for 0 < omega < 2.
//
// All in single precision; the cells of a colour lie together, so that a half sweep runs through
// memory in order.

#include "linalg/cell_system.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hydrolith {

class Multigrid {
 public:
  /// A may be singular: components without anything but links among themselves. Keeps its memory
  /// from call to call.
  void build(const CellSystem& A);

  /// z = B r. Linear, symmetric; positive definite but for constants on components without anchor.
  /// Uses memory of this object: one call at a time.
  void apply(std::span<const double> r, std::span<double> z) const;

  std::size_t levels() const { return depth_; }
  std::size_t unknowns(std::size_t level) const { return level_[level].size(); }

 private:
  /// Unknowns of one colour in a row, whose neighbours lie at the same distance in memory.
  struct Run {
    std::uint32_t begin, end;
    std::array<std::int32_t, 6> to;  // +x, +y, +z, -x, -y, -z; 0 where none has such a neighbour
  };
  /// A link beyond those along the axes: where a wall cuts a block, the block below may have two
  /// neighbours above. Listed from both ends, which are of different colours.
  struct Extra {
    std::uint32_t from, to;
    float link;  // -A(from, to)
  };
  /// Red cells (x + y + z even) first, then black ones.
  struct Level {
    std::uint32_t reds = 0;
    std::array<std::vector<Run>, 2> runs;     // of red, of black cells
    std::array<std::vector<float>, 6> link;   // -A(i, j) >= 0 to the neighbour j at +x, ..., -z
    std::array<std::vector<Extra>, 2> extra;  // from red, from black cells
    std::vector<float> diagonal, inverse;     // A(i, i) and 1 / A(i, i), 0 for 0
    std::vector<std::uint32_t> block;         // of every red cell: its unknown one level up, or a 0
    std::vector<std::uint32_t> first, member;  // red cells of every block
    mutable std::vector<float> b, x, residual;
    std::size_t size() const { return inverse.size(); }
  };
  /// A level while it is built: cells in the order of z, y, x.
  struct Cells {
    std::vector<Eigen::Vector3i> cell;
    std::vector<std::uint32_t> row;  // first cell of every row along x, and the end
    std::vector<std::array<std::int32_t, 3>> next, previous;
    std::vector<std::array<float, 3>> link;  // -A(i, next)
    std::vector<float> excess;         // A(i, i) - sum of links: what ties i to its surroundings
    std::vector<Extra> extra;          // rising
    std::vector<std::uint32_t> place;  // where in the level
    std::size_t size() const { return cell.size(); }
  };

  void read(const CellSystem& A);
  void coarsen(const Cells& fine, Cells& coarse);
  std::uint32_t split_block(const Cells& fine, std::uint32_t block, std::size_t begin);
  static bool is_linked(const Cells& cells, std::uint32_t i);
  static std::span<const Extra> extra_of(const Cells& cells, std::uint32_t i);
  void link_pieces(const Cells& fine, Cells& coarse);
  void link_blocks(const Cells& fine, Cells& coarse);
  static void link_back(Cells& cells);
  void write(Cells& cells, Level& level);
  static void find_runs(const Cells& cells, Level& level);
  void assign_blocks(const Cells& fine, const Cells& coarse, Level& level);
  void invert_coarsest(const Cells& cells);
  void sort(std::span<const Eigen::Vector3i> cells, const Eigen::Vector3i& size,
            std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& row);

  void cycle(std::size_t level) const;
  void solve_coarsest() const;

  std::size_t depth_ = 0;
  std::vector<Level> level_;
  std::vector<std::uint32_t> place_;  // unknown of A -> where in level 0
  std::vector<float> dense_;          // inverse of the coarsest level, if it is small
  double scale_ = 1;                  // of A, so that single precision holds it

  Cells cells_[2];  // scratch of build
  std::vector<std::uint32_t> order_, count_, rank_, block_, first_, member_, piece_, scattered_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> row_order_;
  std::vector<Eigen::Vector3i> shifted_;
  std::vector<double> factor_;
};

}  // namespace hydrolith
