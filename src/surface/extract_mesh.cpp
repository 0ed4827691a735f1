#include "surface/extract_mesh.h"

#include "core/check.h"
#include "core/parallel.h"
#include "surface/marching_cubes.h"

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>

namespace hydrolith {

namespace {

/// An edge of the grid that the surface crosses: 3 * node within its tile + axis.
using EdgeKey = std::uint32_t;

/// A corner of a triangle: an edge of this tile (0) or of the next ones along x (1), y (2), z (4).
struct Corner {
  std::uint32_t neighbour;
  EdgeKey edge;
};

struct TilePiece {
  std::vector<EdgeKey> edges;  // ascending; the tile's own vertices
  std::vector<GridVertex> vertices;
  std::vector<std::array<Corner, 3>> triangles;
};

bool inside(float value) { return value > 0.5f; }

/// Vertices on the edges that start at a node of the tile.
void find_vertices(const TileField& field, TilePiece& piece) {
  const int n = field.size;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const float a = field.at(x, y, z);
        const float b[3] = {field.at(x + 1, y, z), field.at(x, y + 1, z), field.at(x, y, z + 1)};
        for (int axis = 0; axis < 3; ++axis) {
          if (inside(a) == inside(b[axis])) continue;
          GridVertex v{{field.first[0] + x, field.first[1] + y, field.first[2] + z}, Vec3f::Zero()};
          // Not quite on a node, so that no triangle is without area.
          v.fraction[axis] = std::clamp((a - 0.5f) / (a - b[axis]), 0.01f, 0.99f);
          piece.edges.push_back(static_cast<EdgeKey>(3 * ((z * n + y) * n + x) + axis));
          piece.vertices.push_back(v);
        }
      }
}

Corner corner_at(int x, int y, int z, int edge, int n) {
  const int c = start_corner(edge);
  std::array<int, 3> at{x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)};
  std::uint32_t neighbour = 0;
  for (int k = 0; k < 3; ++k)
    if (at[k] == n) {
      at[k] = 0;
      neighbour |= 1u << k;
    }
  return {neighbour, static_cast<EdgeKey>(3 * ((at[2] * n + at[1]) * n + at[0]) + edge / 4)};
}

void find_triangles(const TileField& field, TilePiece& piece) {
  const auto& table = marching_cubes_table();
  const int n = field.size;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y) {
      // The corners at x = 0, then each cell hands its right side to the next as its left side.
      const auto side = [&](int x) {
        return static_cast<unsigned>(inside(field.at(x, y, z))) |
               static_cast<unsigned>(inside(field.at(x, y + 1, z))) << 2 |
               static_cast<unsigned>(inside(field.at(x, y, z + 1))) << 4 |
               static_cast<unsigned>(inside(field.at(x, y + 1, z + 1))) << 6;
      };
      unsigned left = side(0);
      for (int x = 0; x < n; ++x) {
        const unsigned right = side(x + 1);
        for (const CellTriangle& t : table[left | right << 1])
          piece.triangles.push_back({corner_at(x, y, z, t[0], n), corner_at(x, y, z, t[1], n),
                                     corner_at(x, y, z, t[2], n)});
        left = right;
      }
    }
}

struct Tiles {
  std::vector<GridIndex> place;  // ascending in z, y, x
  std::vector<TilePiece> piece;
  std::vector<std::size_t> first_vertex, first_triangle;  // and the ends

  /// The tile beside tile t, which must be there.
  std::size_t beside(std::size_t t, std::uint32_t neighbour) const {
    GridIndex wanted = place[t];
    for (int k = 0; k < 3; ++k) wanted[k] += static_cast<std::int32_t>(neighbour >> k & 1);
    const auto before = [](const GridIndex& a, const GridIndex& b) {
      return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]};
    };
    const auto found = std::lower_bound(place.begin(), place.end(), wanted, before);
    require(found != place.end() && *found == wanted, "surface: a tile is missing");
    return static_cast<std::size_t>(found - place.begin());
  }
};

void number(Tiles& tiles) {
  tiles.first_vertex = tiles.first_triangle = {0};
  for (const TilePiece& p : tiles.piece) {
    tiles.first_vertex.push_back(tiles.first_vertex.back() + p.vertices.size());
    tiles.first_triangle.push_back(tiles.first_triangle.back() + p.triangles.size());
  }
  require(tiles.first_vertex.back() < ~std::uint32_t{0},
          "surface: {} vertices are more than a mesh can number; use a larger cell",
          tiles.first_vertex.back());
}

void join(const Tiles& tiles, std::size_t t, GridMesh& mesh) {
  const TilePiece& piece = tiles.piece[t];
  std::copy(piece.vertices.begin(), piece.vertices.end(),
            mesh.vertices.begin() + static_cast<std::ptrdiff_t>(tiles.first_vertex[t]));
  if (piece.triangles.empty()) return;
  std::array<std::size_t, 8> beside;
  beside.fill(t);
  std::array<bool, 8> known{true};
  for (std::size_t i = 0; i < piece.triangles.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      const auto [neighbour, edge] = piece.triangles[i][k];
      if (!known[neighbour]) {
        beside[neighbour] = tiles.beside(t, neighbour);
        known[neighbour] = true;
      }
      const std::size_t owner = beside[neighbour];
      const std::vector<EdgeKey>& edges = tiles.piece[owner].edges;
      const auto found = std::lower_bound(edges.begin(), edges.end(), edge);
      require(found != edges.end() && *found == edge, "surface: a vertex is missing");
      mesh.triangles[tiles.first_triangle[t] + i][k] = static_cast<std::uint32_t>(
          tiles.first_vertex[owner] + static_cast<std::size_t>(found - edges.begin()));
    }
}

}  // namespace

GridMesh extract_mesh(const ParticleBins& bins, int dimensions) {
  Tiles tiles;
  tiles.place = find_tiles(bins);
  tiles.piece.resize(tiles.place.size());
  oneapi::tbb::enumerable_thread_specific<TileField> scratch;
  parallel_for(
      tiles.place.size(),
      [&](std::size_t t) {
        TileField& field = scratch.local();
        fill_tile(bins, tiles.place[t], dimensions, field);
        find_vertices(field, tiles.piece[t]);
        find_triangles(field, tiles.piece[t]);
      },
      1);
  number(tiles);
  GridMesh mesh;
  mesh.vertices.resize(tiles.first_vertex.back());
  mesh.triangles.resize(tiles.first_triangle.back());
  parallel_for(
      tiles.piece.size(), [&](std::size_t t) { join(tiles, t, mesh); }, 1);
  return mesh;
}

}  // namespace hydrolith
