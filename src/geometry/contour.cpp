#include "geometry/contour.h"

#include "core/parallel.h"
#include "geometry/contour_cells.h"
#include "geometry/contour_vertex.h"

namespace hydrolith {

namespace {

// The crossings of each piece of a cell.
HermiteSamples samples_of(const NarrowBand& band, std::size_t cell, const CellPieces& pieces,
                          int piece) {
  HermiteSamples samples;
  for (int e = 0; e < 12; ++e) {
    if (pieces.piece[e] != piece) continue;
    const CrossedEdges& edges = band.edges[e / 4];
    const std::size_t i = index_of(edges.keys, band.cells[cell] + corner_offset(edge_corner(e)));
    samples.add(edges.points[i], edges.normals[i]);
  }
  return samples;
}

std::vector<Vec3> place_vertices(const Sdf& sdf, const NarrowBand& band,
                                 const std::vector<CellPieces>& pieces) {
  std::vector<Vec3> vertices(pieces.empty() ? 0 : pieces.back().first + pieces.back().count);
  parallel_for(
      pieces.size(),
      [&](std::size_t k) {
        const Vec3 low = band.grid.position(band.cells[k]);
        for (int piece = 0; piece < pieces[k].count; ++piece)
          vertices[pieces[k].first + piece] =
              place_vertex(sdf, samples_of(band, k, pieces[k], piece), low, band.grid.cell);
      },
      32);
  return vertices;
}

// Shape of a triangle seen along the normal n: 1 if equilateral and facing n, 0 without area,
// negative if turned over.
double quality(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& n) {
  const double sides = (b - a).squaredNorm() + (c - b).squaredNorm() + (a - c).squaredNorm();
  return 2 * std::sqrt(3.0) * n.dot((b - a).cross(c - a)) / sides;
}

// The quad around crossed edge i along `axis`, as two triangles along the better diagonal.
std::array<Triangle, 2> triangles_around(const NarrowBand& band,
                                         const std::vector<CellPieces>& pieces,
                                         const std::vector<Vec3>& x, int axis, std::size_t i) {
  const CrossedEdges& edges = band.edges[axis];
  const GridKey u = grid_unit[(axis + 1) % 3], v = grid_unit[(axis + 2) % 3];
  // Counter-clockwise about the axis. In the cell moved by -u, the edge is on its high u side.
  const GridKey cell[4] = {edges.keys[i], edges.keys[i] - u, edges.keys[i] - u - v,
                           edges.keys[i] - v};
  const int edge[4] = {0, 1, 3, 2};
  std::array<std::uint32_t, 4> q;
  for (int k = 0; k < 4; ++k) {
    const CellPieces& p = pieces[index_of(band.cells, cell[k])];
    q[k] = p.first + p.piece[4 * axis + edge[k]];
  }
  if (!edges.leaving[i]) std::swap(q[1], q[3]);
  const auto worst = [&](int k) {
    const Vec3 &a = x[q[k]], &b = x[q[k + 1]], &c = x[q[(k + 2) % 4]], &d = x[q[(k + 3) % 4]];
    return std::min(quality(a, b, c, edges.normals[i]), quality(a, c, d, edges.normals[i]));
  };
  if (worst(0) >= worst(1)) return {Triangle{q[0], q[1], q[2]}, Triangle{q[0], q[2], q[3]}};
  return {Triangle{q[1], q[2], q[3]}, Triangle{q[1], q[3], q[0]}};
}

}  // namespace

std::optional<TriangleMesh> contour(const Sdf& sdf, const Box3& box, double cell,
                                    std::size_t most_cells) {
  const std::optional<NarrowBand> band = find_narrow_band(sdf, box, cell, most_cells);
  if (!band) return std::nullopt;
  const std::vector<CellPieces> pieces = find_pieces(sdf, *band);
  TriangleMesh mesh;
  mesh.vertices = place_vertices(sdf, *band, pieces);
  for (int axis = 0; axis < 3; ++axis) {
    const std::size_t first = mesh.triangles.size(), count = band->edges[axis].keys.size();
    mesh.triangles.resize(first + 2 * count);
    parallel_for(count, [&](std::size_t i) {
      const auto pair = triangles_around(*band, pieces, mesh.vertices, axis, i);
      mesh.triangles[first + 2 * i] = pair[0];
      mesh.triangles[first + 2 * i + 1] = pair[1];
    });
  }
  return mesh;
}

Box3 tighten(const Sdf& sdf, const Box3& box) {
  const double cell = box.size().maxCoeff() / 128;
  if (box.empty() || !(cell > 0)) return box;
  const ContourGrid grid = place_grid(box, cell);
  Box3 tight;
  const auto cells = cells_near_surface(sdf, grid, box, std::numeric_limits<std::size_t>::max());
  for (const GridKey key : *cells) {
    const Vec3 low = grid.position(key);
    tight.include(low).include(low + Vec3::Constant(cell));
  }
  return {tight.lo.cwiseMax(box.lo), tight.hi.cwiseMin(box.hi)};
}

}  // namespace hydrolith
