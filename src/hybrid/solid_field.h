#pragma once
// Solids on the grid: which part of every control volume they fill, body by body.
//
// Distances are taken at the nodes of a grid of half the cell width. A sub-cell (half a cell wide)
// has a solid volume fraction, a quarter of a face an area fraction; every control volume (cell,
// face, edge) is a sum of whole sub-cells, so all of them agree (Takahashi & Lin 2019). Only where
// a solid is thinner than two cells does the area of a face count: what covers it closes it.
//
// Distances are linear between nodes, which cuts off a little of what is round (1.3 % of a ball of
// radius 3 cells) and of edges that lie between nodes: moving bodies are swollen by as much as
// gives them their true volume, so that one of the liquid's density hangs in it.
//
// Walls (static bodies) are measured once per tile and remembered with all that follows from them;
// moving bodies are measured every step, and only tiles that they reach are computed anew.

#include "hybrid/tile_grid.h"
#include "setup/solids.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace hydrolith::hybrid {

/// One moving body: dense columns over a box of cells around it.
struct BodyShares {
  std::uint32_t body = 0;
  Cell3 lo = Cell3::Zero(), size = Cell3::Zero();  // cells
  std::array<std::vector<double>, 3> area;         // [-] of the lower face of every cell
  std::vector<float> part;                         // [-] 2^d sub-cells of every cell
  std::array<std::vector<double>, 3> face;         // [-] W_S^u, rescaled by SolidField

  std::size_t cells() const { return static_cast<std::size_t>(size.prod()); }
  bool contains(const Cell3& c) const {
    return ((c - lo).array() >= 0).all() && ((c - lo).array() < size.array()).all();
  }
  std::size_t index(const Cell3& c) const {
    const Cell3 d = c - lo;
    return static_cast<std::size_t>((d.z() * size.y() + d.y()) * size.x() + d.x());
  }
  /// W_S^u of the lower face of a cell anywhere.
  double at(const Cell3& c, int axis) const {
    return contains(c) ? face[static_cast<std::size_t>(axis)][index(c)] : 0;
  }
};

class SolidField {
 public:
  /// `watched`: static bodies on which the liquid's force is wanted; they are measured like moving
  /// ones.
  SolidField(const Solids& solids, std::span<const std::uint32_t> watched, double dx,
             int dimensions);
  ~SolidField();

  /// Measures all solids at the poses of `bodies` on the tiles of `grid`.
  void measure(const TileGrid& grid, const RigidBodies& bodies);

  // Written by measure.
  FaceField open;                  // [-] W_F^u of every face, snapped: below 1e-3 it is 0
  std::vector<float> room;         // [-] 2^d sub-cells of every cell: fluid part
  std::vector<double> hat;         // [-] fluid part of the hat function around every cell's centre
  std::vector<BodyShares> moving;  // dynamic and kinematic bodies near liquid

  /// Signed distance [m] to the nearest solid and the body it belongs to, at the poses given; at
  /// most `reach` [m] away (farther: body is none).
  struct Nearest {
    double distance = 0;
    std::int32_t body = -1;
  };
  Nearest nearest(const RigidBodies& bodies, const Vec3& x, double reach) const;
  /// Signed distance [m] to one body.
  double distance(const RigidBodies& bodies, std::size_t body, const Vec3& x) const;
  /// Boxes of bodies for `nearest`; call when they have moved.
  void place(const RigidBodies& bodies);

  const Box3& box(std::size_t body) const { return box_[body]; }  // [m] world
  /// Static bodies that are not watched.
  std::span<const std::uint32_t> walls() const { return fixed_; }

  /// Whether a solid reaches into the tile or one beside it.
  bool is_cut_around(const TileGrid& grid, std::size_t tile) const;
  /// Distance to the walls [m] at a point of a tile, interpolated between the cells' corners, and
  /// its gradient; large where no wall is near.
  struct WallDistance {
    double distance = 0;
    Vec3 gradient = Vec3::Zero();
  };
  WallDistance wall_distance(const TileGrid& grid, std::size_t tile, const Vec3& x) const;

 private:
  struct Wall;  // a tile's walls
  struct Walls;
  void measure_wall(const TileGrid& grid, std::size_t tile, const RigidBodies& bodies,
                    Wall& w) const;
  void measure_moving(const TileGrid& grid, const RigidBodies& bodies, std::size_t body,
                      BodyShares& out) const;
  void find_walls(const TileGrid& grid, const RigidBodies& bodies);
  void derive(const TileGrid& grid, std::size_t tile, Wall& w) const;
  void copy_walls(const TileGrid& grid);
  void measure_faces(BodyShares& m) const;
  void subtract_moving(const TileGrid& grid);
  void share_faces(const TileGrid& grid);

  const Solids* solids_;
  double dx_;
  int dimensions_;
  std::vector<Box3> box_;  // world, per body; infinite for containers
  std::vector<std::uint32_t> fixed_, moving_bodies_;
  std::unique_ptr<Walls> walls_;
  std::vector<double> surface_;   // [m^2], 2D [m], per shape; 0: it has no inside
  std::vector<char> is_cut_;      // tile -> whether a solid reaches into it
  std::vector<char> is_reached_;  // tile -> whether a moving body does
  FaceField filled_;              // [-] by moving bodies; only tiles reached
};

}  // namespace hydrolith::hybrid
