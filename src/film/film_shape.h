#pragma once
// The surface of a shape in pieces about a spacing wide, and which of them lie side by side: where
// films are looked for. Made once for every distinct shape, body frame.

#include "geometry/mesh.h"
#include "geometry/section.h"

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hydrolith {

/// A lattice over the shape's bounding box cuts its surface; what lies in one cell and looks along
/// the same axis, up or down, is one piece.
class FilmShape {
 public:
  FilmShape(const TriangleMesh& mesh, double h);
  FilmShape(const Polygons& outline, double h);

  struct Piece {
    Vec3 centre = Vec3::Zero();  // [m]
    Vec3 area = Vec3::Zero();    // [m^2] A n, n out of the solid; 2D: [m]
    std::array<std::int32_t, 3> cell = {};
    int side = 0;  // 2 axis + (1: looks down the axis)
    double size() const { return area.norm(); }
  };
  /// The border of a piece with another.
  struct Seam {
    std::uint32_t other = 0;
    double width = 0;        // [m] of the border; 2D: [-]
    double way = 0;          // [m] from the piece's centre to the border
    Vec3 at = Vec3::Zero();  // [m] middle of the border
  };

  std::span<const Piece> pieces() const { return pieces_; }
  std::span<const Seam> seams_of(std::size_t piece) const {
    return {seams_.data() + first_[piece], first_[piece + 1] - first_[piece]};
  }
  /// Pieces that look the same way as n (outward), within some cells of x, nearest first.
  void around(const Vec3& x, const Vec3& n, std::vector<std::uint32_t>& out) const;

 private:
  void start(const Box3& box, double h);
  void add(const Vec3& centre, const Vec3& area);
  void finish(int dimensions);
  std::array<std::int32_t, 3> cell_of(const Vec3& x) const;
  std::uint64_t key_of(const std::array<std::int32_t, 3>& cell, int side) const;
  std::int64_t find(const std::array<std::int32_t, 3>& cell, int side) const;

  Vec3 low_ = Vec3::Zero(), width_ = Vec3::Ones();  // [m] of the lattice
  std::array<std::int32_t, 3> count_ = {1, 1, 1};
  std::vector<Piece> pieces_;
  std::vector<double> weight_;  // [m^2] of the pieces, bends counted
  std::vector<std::uint32_t> first_ = {0};
  std::vector<Seam> seams_;
  std::unordered_map<std::uint64_t, std::uint32_t> piece_at_;
};

}  // namespace hydrolith
