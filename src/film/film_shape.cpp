#include "film/film_shape.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double finest = 0.3;  // [cells] of the lattice: the surface is diced at least so small
constexpr int farthest = 3;     // [cells] that `around` looks

int side_of(const Vec3& n) {
  Eigen::Index axis = 0;
  n.cwiseAbs().maxCoeff(&axis);
  return static_cast<int>(2 * axis) + (n[axis] < 0 ? 1 : 0);
}

/// Halves a triangle across its longest edge until no edge is longer than `most`.
template <class Add>
void dice(const Vec3& a, const Vec3& b, const Vec3& c, double most, Add&& add) {
  const double ab = (b - a).norm(), bc = (c - b).norm(), ca = (a - c).norm();
  const double longest = std::max({ab, bc, ca});
  if (longest <= most) return add(Vec3((a + b + c) / 3), Vec3(0.5 * (b - a).cross(c - a)));
  if (ab == longest) {
    const Vec3 m = 0.5 * (a + b);
    dice(a, m, c, most, add), dice(m, b, c, most, add);
  } else if (bc == longest) {
    const Vec3 m = 0.5 * (b + c);
    dice(a, b, m, most, add), dice(a, m, c, most, add);
  } else {
    const Vec3 m = 0.5 * (c + a);
    dice(a, b, m, most, add), dice(m, b, c, most, add);
  }
}

}  // namespace

FilmShape::FilmShape(const TriangleMesh& mesh, double h) {
  Box3 box;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) box.include(mesh.corner(t, k));
  if (box.empty()) return;
  start(box, h);
  const double most = finest * width_.minCoeff();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    dice(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), most,
         [&](const Vec3& centre, const Vec3& area) { add(centre, area); });
  finish(3);
}

FilmShape::FilmShape(const Polygons& outline, double h) {
  Box3 box;
  for (const std::vector<Vec2>& loop : outline.loops)
    for (const Vec2& x : loop) box.include(Vec3(x[0], x[1], 0));
  if (box.empty()) return;
  start(box, h);
  const double most = finest * width_.head<2>().minCoeff();
  for (const std::vector<Vec2>& loop : outline.loops)
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const Vec2 a = loop[k], along = loop[(k + 1) % loop.size()] - a;
      const int parts = std::max(1, static_cast<int>(std::ceil(along.norm() / most - 1e-9)));
      for (int p = 0; p < parts; ++p) {
        const Vec2 middle = a + (p + 0.5) / parts * along;
        add({middle[0], middle[1], 0}, Vec3(along[1], -along[0], 0) / parts);
      }
    }
  finish(2);
}

/// A lattice of whole cells, so that the faces of boxes are cut into equal pieces.
void FilmShape::start(const Box3& box, double h) {
  low_ = box.lo;
  const Vec3 size = box.size();
  for (int c = 0; c < 3; ++c) {
    const auto n = static_cast<std::size_t>(c);
    count_[n] = std::max(1, static_cast<std::int32_t>(std::lround(size[c] / h)));
    width_[c] = size[c] > 0 ? size[c] / count_[n] : h;
  }
}

std::array<std::int32_t, 3> FilmShape::cell_of(const Vec3& x) const {
  std::array<std::int32_t, 3> cell;
  for (int c = 0; c < 3; ++c) {
    const auto n = static_cast<std::size_t>(c);
    cell[n] = std::clamp(static_cast<std::int32_t>(std::floor((x[c] - low_[c]) / width_[c])), 0,
                         count_[n] - 1);
  }
  return cell;
}

std::uint64_t FilmShape::key_of(const std::array<std::int32_t, 3>& cell, int side) const {
  std::uint64_t key = 0;
  for (std::size_t c = 0; c < 3; ++c)
    key = key * static_cast<std::uint64_t>(count_[c]) + static_cast<std::uint64_t>(cell[c]);
  return 6 * key + static_cast<std::uint64_t>(side);
}

std::int64_t FilmShape::find(const std::array<std::int32_t, 3>& cell, int side) const {
  for (std::size_t c = 0; c < 3; ++c)
    if (cell[c] < 0 || cell[c] >= count_[c]) return -1;
  const auto at = piece_at_.find(key_of(cell, side));
  return at == piece_at_.end() ? -1 : static_cast<std::int64_t>(at->second);
}

void FilmShape::add(const Vec3& centre, const Vec3& area) {
  const double size = area.norm();
  if (!(size > 0)) return;
  const std::array<std::int32_t, 3> cell = cell_of(centre);
  const int side = side_of(area);
  std::int64_t at = find(cell, side);
  if (at < 0) {
    at = static_cast<std::int64_t>(pieces_.size());
    piece_at_.emplace(key_of(cell, side), static_cast<std::uint32_t>(at));
    pieces_.push_back({.cell = cell, .side = side});
    weight_.push_back(0);
  }
  Piece& p = pieces_[static_cast<std::size_t>(at)];
  p.area += area;
  p.centre += size * centre;  // over the weight in finish
  weight_[static_cast<std::size_t>(at)] += size;
}

/// Neighbours along the surface: in the next cell, looking the same way (on slopes also one cell up
/// or down), or round an edge in the same cell.
void FilmShape::finish(int dimensions) {
  for (std::size_t k = 0; k < pieces_.size(); ++k) pieces_[k].centre /= weight_[k];
  first_.assign(1, 0);
  for (const Piece& p : pieces_) {
    const int axis = p.side / 2;
    const auto join = [&](std::int64_t other, const Vec3& at, double width) {
      const double least = 0.1 * width_.minCoeff();
      seams_.push_back(
          {static_cast<std::uint32_t>(other), width, std::max(least, (at - p.centre).norm()), at});
    };
    for (int along = 0; along < dimensions; ++along) {
      if (along == axis) continue;
      const double width = dimensions == 2 ? 1 : width_[3 - axis - along];
      for (int step : {-1, 1}) {
        std::int64_t other = -1;
        for (int up : {0, -1, 1}) {
          std::array<std::int32_t, 3> cell = p.cell;
          cell[static_cast<std::size_t>(along)] += step;
          cell[static_cast<std::size_t>(axis)] += up;
          if (other = find(cell, p.side); other >= 0) break;
        }
        if (other >= 0)
          join(other, 0.5 * (p.centre + pieces_[static_cast<std::size_t>(other)].centre), width);
      }
      for (int down : {0, 1}) {
        const std::int64_t other = find(p.cell, 2 * along + down);
        if (other < 0) continue;
        Vec3 at = p.centre;
        at[along] = pieces_[static_cast<std::size_t>(other)].centre[along];
        join(other, at, width);
      }
    }
    first_.push_back(static_cast<std::uint32_t>(seams_.size()));
  }
}

void FilmShape::around(const Vec3& x, const Vec3& n, std::vector<std::uint32_t>& out) const {
  out.clear();
  const int side = side_of(n);
  const std::array<std::int32_t, 3> middle = cell_of(x);
  std::array<std::int32_t, 3> lo, hi;
  for (std::size_t c = 0; c < 3; ++c) {
    lo[c] = std::max(0, middle[c] - farthest);
    hi[c] = std::min(count_[c] - 1, middle[c] + farthest);
  }
  const auto axis = static_cast<std::size_t>(side / 2);
  lo[axis] = std::max(0, middle[axis] - 1), hi[axis] = std::min(count_[axis] - 1, middle[axis] + 1);
  std::array<std::int32_t, 3> cell;
  for (cell[0] = lo[0]; cell[0] <= hi[0]; ++cell[0])
    for (cell[1] = lo[1]; cell[1] <= hi[1]; ++cell[1])
      for (cell[2] = lo[2]; cell[2] <= hi[2]; ++cell[2])
        if (const std::int64_t at = find(cell, side); at >= 0)
          out.push_back(static_cast<std::uint32_t>(at));
  std::sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double da = (pieces_[a].centre - x).squaredNorm(),
                 db = (pieces_[b].centre - x).squaredNorm();
    return da != db ? da < db : a < b;
  });
}

}  // namespace hydrolith
