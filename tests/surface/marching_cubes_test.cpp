// The derived table of marching cubes.

#include "surface/marching_cubes.h"

#include <doctest/doctest.h>

#include <bit>
#include <map>
#include <set>

namespace hydrolith::test {

namespace {

bool crossed(unsigned inside, int edge) {
  const int a = start_corner(edge), b = a | 1 << edge / 4;
  return (inside >> a & 1) != (inside >> b & 1);
}

bool share_a_face(int e, int f) {
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      const auto on = [&](int edge) {
        return edge / 4 != axis && (start_corner(edge) >> axis & 1) == side;
      };
      if (on(e) && on(f)) return true;
    }
  return false;
}

}  // namespace

TEST_CASE("triangles of a cell use all crossed edges, and no others") {
  for (unsigned inside = 0; inside < 256; ++inside) {
    std::set<int> used;
    for (const CellTriangle& t : marching_cubes_table()[inside]) used.insert(t.begin(), t.end());
    for (int edge = 0; edge < 12; ++edge) {
      CAPTURE(inside);
      CAPTURE(edge);
      CHECK(used.contains(edge) == crossed(inside, edge));
    }
  }
}

TEST_CASE(
    "sides of triangles lie in a face once, or inside the cell twice in opposite directions") {
  for (unsigned inside = 0; inside < 256; ++inside) {
    CAPTURE(inside);
    std::map<std::pair<int, int>, int> sides;
    for (const CellTriangle& t : marching_cubes_table()[inside])
      for (int k = 0; k < 3; ++k) ++sides[{t[k], t[(k + 1) % 3]}];
    for (const auto& [side, count] : sides) {
      CHECK(count == 1);
      const auto [a, b] = side;
      CHECK(share_a_face(a, b) != sides.contains({b, a}));
    }
  }
}

TEST_CASE("a corner inside is cut off by one triangle that looks away from it") {
  const auto& one = marching_cubes_table()[1];
  REQUIRE(one.size() == 1);
  // Edges 0, 4, 8 run from the origin along x, y, z: in this order seen from (1, 1, 1).
  const CellTriangle t = one[0];
  CHECK((t == CellTriangle{0, 4, 8} || t == CellTriangle{4, 8, 0} || t == CellTriangle{8, 0, 4}));
  CHECK(marching_cubes_table()[0].empty());
  CHECK(marching_cubes_table()[255].empty());
}

}  // namespace hydrolith::test
