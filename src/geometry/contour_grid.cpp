#include "geometry/contour_grid.h"

#include "hydrolith/error.h"

#include "core/parallel.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

ContourGrid place_grid(const Box3& box, double cell) {
  return {box.lo - cell * Vec3(1.3819660, 1.6180340, 1.4142136), cell};
}

// Halves blocks of cells down to single cells. Any surface within a block lies within half its
// diagonal of the centre, and |d| never exceeds the distance to the surface.
std::optional<std::vector<GridKey>> cells_near_surface(const Sdf& sdf, const ContourGrid& grid,
                                                       const Box3& box, std::size_t most_cells) {
  const Vec3 extent = (box.hi - grid.origin) / grid.cell + Vec3::Constant(1.5);
  if (extent.maxCoeff() > double(1 << 20)) return std::nullopt;
  GridKey size = 1;
  while (4 * double(size) < extent.maxCoeff()) size *= 2;

  std::vector<GridKey> blocks;
  for (GridKey z = 0; double(z) < extent.z(); z += size)
    for (GridKey y = 0; double(y) < extent.y(); y += size)
      for (GridKey x = 0; double(x) < extent.x(); x += size)
        blocks.push_back(x * grid_unit[0] + y * grid_unit[1] + z * grid_unit[2]);

  std::vector<std::uint8_t> near;
  for (;; size /= 2) {
    const double half = 0.5 * double(size) * grid.cell;
    const double reach = half * std::sqrt(3.0) * (1 + 1e-6);
    near.assign(blocks.size(), 0);
    parallel_for(
        blocks.size(),
        [&](std::size_t b) {
          const Vec3 centre = grid.position(blocks[b]) + Vec3::Constant(half);
          near[b] = std::abs(sdf(centre)) <= reach;
        },
        64);
    std::vector<GridKey> next;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!near[b]) continue;
      if (size == 1)
        next.push_back(blocks[b]);
      else
        for (int c = 0; c < 8; ++c) next.push_back(blocks[b] + size / 2 * corner_offset(c));
    }
    blocks = std::move(next);
    if (size == 1) break;
    // A surface meets about four times as many blocks of half the size. Small numbers of blocks are
    // no measure yet, and blocks just kept are eight for each that touched.
    const double expected = double(blocks.size()) / 8 * double(size) * double(size);
    if (blocks.size() > 20000 && expected > 8 * double(most_cells)) return std::nullopt;
  }
  if (blocks.size() > most_cells) return std::nullopt;
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

namespace {

// All corners of the cells: shifting sorted keys keeps them sorted, so unions are merges.
std::vector<GridKey> corners_of(const std::vector<GridKey>& cells) {
  std::vector<GridKey> corners = cells;
  for (const GridKey unit : grid_unit) {
    std::vector<GridKey> shifted = corners, merged;
    for (GridKey& key : shifted) key += unit;
    merged.reserve(corners.size() + corners.size() / 2);
    std::set_union(corners.begin(), corners.end(), shifted.begin(), shifted.end(),
                   std::back_inserter(merged));
    corners = std::move(merged);
  }
  return corners;
}

struct CornerValues {
  std::vector<GridKey> keys;   // ascending
  std::vector<double> values;  // [m]
  bool inside(std::size_t i) const { return values[i] < 0; }
};

// The root of d on the segment a, b with d(a) = f_a, d(b) = f_b of different sign: the Illinois
// variant of false position (Dowell & Jarratt 1971), exact after one step where d is linear.
Vec3 crossing_point(const Sdf& sdf, const Vec3& a, const Vec3& b, double f_a, double f_b,
                    double tolerance) {
  double s_a = 0, s_b = 1, s = 0.5;
  const double length = (b - a).norm();
  for (int iteration = 0; iteration < 30 && (s_b - s_a) * length > tolerance; ++iteration) {
    s = (s_a * f_b - s_b * f_a) / (f_b - f_a);
    const double f = sdf(a + s * (b - a));
    if (std::abs(f) < tolerance) break;
    if ((f < 0) == (f_a < 0)) {
      s_a = s, f_a = f, f_b *= 0.5;
    } else {
      s_b = s, f_b = f, f_a *= 0.5;
    }
  }
  return a + s * (b - a);
}

// Walks through the corners and their neighbours along one axis side by side; both are sorted.
CrossedEdges find_crossed_edges(const Sdf& sdf, const ContourGrid& grid,
                                const CornerValues& corners, int axis) {
  CrossedEdges edges;
  std::vector<std::size_t> from, to;
  const GridKey unit = grid_unit[axis];
  for (std::size_t i = 0, j = 0; i < corners.keys.size(); ++i) {
    while (j < corners.keys.size() && corners.keys[j] < corners.keys[i] + unit) ++j;
    if (j == corners.keys.size()) break;
    if (corners.keys[j] != corners.keys[i] + unit || corners.inside(i) == corners.inside(j))
      continue;
    from.push_back(i);
    to.push_back(j);
    edges.keys.push_back(corners.keys[i]);
    edges.leaving.push_back(corners.inside(i));
  }
  edges.points.resize(from.size());
  edges.normals.resize(from.size());
  parallel_for(
      from.size(),
      [&](std::size_t e) {
        const std::size_t i = from[e], j = to[e];
        edges.points[e] =
            crossing_point(sdf, grid.position(corners.keys[i]), grid.position(corners.keys[j]),
                           corners.values[i], corners.values[j], 1e-9 * grid.cell);
        const Vec3 g = gradient(sdf, edges.points[e], 1e-5 * grid.cell);
        const Vec3 across = (edges.leaving[e] ? 1.0 : -1.0) * Vec3::Unit(axis);
        edges.normals[e] = g.norm() > 1e-6 ? Vec3(g.normalized()) : across;
      },
      64);
  return edges;
}

// Keeps the cells with corners on both sides.
void keep_crossed_cells(const std::vector<GridKey>& cells, const CornerValues& corners,
                        NarrowBand& band) {
  std::vector<std::uint8_t> signs(cells.size());
  parallel_for(cells.size(), [&](std::size_t k) {
    unsigned bits = 0;
    for (int c = 0; c < 8; ++c)
      bits |= unsigned(corners.inside(index_of(corners.keys, cells[k] + corner_offset(c)))) << c;
    signs[k] = static_cast<std::uint8_t>(bits);
  });
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (signs[k] == 0 || signs[k] == 0xff) continue;
    band.cells.push_back(cells[k]);
    band.signs.push_back(signs[k]);
  }
}

}  // namespace

std::size_t index_of(std::span<const GridKey> sorted, GridKey key) {
  const auto it = std::lower_bound(sorted.begin(), sorted.end(), key);
  if (it == sorted.end() || *it != key)
    throw MeshError(
        "contouring: the surface leaves the region where it should be. The shape is probably "
        "composed with a mesh that is not closed; close it or repair it.");
  return static_cast<std::size_t>(it - sorted.begin());
}

std::optional<NarrowBand> find_narrow_band(const Sdf& sdf, const Box3& box, double cell,
                                           std::size_t most_cells) {
  NarrowBand band;
  band.grid = place_grid(box, cell);
  const auto cells = cells_near_surface(sdf, band.grid, box, most_cells);
  if (!cells) return std::nullopt;
  CornerValues corners;
  corners.keys = corners_of(*cells);
  corners.values.resize(corners.keys.size());
  parallel_for(
      corners.keys.size(),
      [&](std::size_t i) { corners.values[i] = sdf(band.grid.position(corners.keys[i])); }, 64);
  keep_crossed_cells(*cells, corners, band);
  for (int axis = 0; axis < 3; ++axis)
    band.edges[axis] = find_crossed_edges(sdf, band.grid, corners, axis);
  return band;
}

}  // namespace hydrolith
