#include "geometry/contour.h"

#include "hydrolith/error.h"

#include "about.h"
#include "core/parallel.h"
#include "geometry/build_mesh.h"
#include "geometry/mesh_distance.h"
#include "shape_cases.h"

using namespace hydrolith;
using namespace hydrolith::test;
using std::numbers::pi;

namespace {

TriangleMesh mesh_of(Shape::Variant kind, double resolution) {
  return build_mesh(shape_of(std::move(kind)), {.resolution = resolution});
}

void check_manifold(const TriangleMesh& mesh, double resolution) {
  CHECK(is_closed(mesh));  // every edge has exactly two triangles, in opposite directions
  CHECK(smallest_triangle(mesh) > 1e-9 * resolution * resolution);
}

UnionShape random_spheres(int count, unsigned seed) {
  UnionShape spheres;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> at(-0.5, 0.5), radius(0.02, 0.15);
  for (int i = 0; i < count; ++i) {
    const double x = at(random), y = at(random), z = at(random);
    spheres.shapes.push_back(shape_of(SphereShape{radius(random)}, {x, y, z}));
  }
  return spheres;
}

// A box with a rectangular pocket in its top, and its sharp edges.
DifferenceShape box_with_pocket(const Quat& rotate) {
  return {{shape_of(BoxShape{{1, 0.6, 0.8}}, Vec3::Zero(), rotate),
           shape_of(BoxShape{{0.5, 0.4, 0.3}}, rotate * Vec3(0, 0.3, 0), rotate)}};
}

std::vector<std::pair<Vec3, Vec3>> edges_of_box(const Vec3& half, const Vec3& at) {
  std::vector<std::pair<Vec3, Vec3>> edges;
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k < 4; ++k) {
      Vec3 a = half;
      a[(axis + 1) % 3] *= k & 1 ? 1 : -1;
      a[(axis + 2) % 3] *= k & 2 ? 1 : -1;
      Vec3 b = a;
      b[axis] = -b[axis];
      edges.emplace_back(at + a, at + b);
    }
  return edges;
}

// Distances of points along the sharp edges of the pocketed box from the mesh.
struct EdgeError {
  double worst = 0, mean = 0;  // [m]
};
EdgeError error_at_edges(const TriangleMesh& mesh, const Quat& rotate) {
  const MeshDistance distance(mesh);
  auto edges = edges_of_box({0.5, 0.3, 0.4}, Vec3::Zero());
  // The pocket reaches from y = 0.1 to the top at y = 0.3.
  for (const auto& edge : edges_of_box({0.25, 0.1, 0.15}, {0, 0.2, 0})) edges.push_back(edge);
  EdgeError error;
  for (const auto& [a, b] : edges)
    for (int i = 0; i <= 100; ++i) {
      const double d = distance.closest(rotate * (a + (b - a) * i / 100.0))->distance;
      error.worst = std::max(error.worst, d);
      error.mean += d / (101.0 * double(edges.size()));
    }
  return error;
}

}  // namespace

TEST_CASE("volumes of compositions are those of the formulas") {
  const double r = 0.4, resolution = 0.04;  // volumes of contours are right to second order
  const Shape ball = shape_of(SphereShape{r});
  CHECK(volume_of(mesh_of(DifferenceShape{{shape_of(BoxShape{}), ball}}, resolution)) ==
        about(1 - 4.0 / 3 * pi * r * r * r, 0.002));
  CHECK(volume_of(mesh_of(UnionShape{{ball, shape_of(SphereShape{r}, {0.9, 0, 0})}}, resolution)) ==
        about(8.0 / 3 * pi * r * r * r, 0.005));
  // Two caps of height r - 0.2.
  const double h = r - 0.2;
  CHECK(volume_of(mesh_of(IntersectionShape{{ball, shape_of(SphereShape{r}, {0.4, 0, 0})}},
                          resolution)) == about(2 * pi * h * h * (3 * r - h) / 3, 0.005));
  const double tube = volume_of(mesh_of(
      DifferenceShape{{shape_of(CylinderShape{0.5, 1}), shape_of(CylinderShape{0.4, 2})}}, 0.04));
  CHECK(tube == about(pi * 0.09, 0.005));
}

TEST_CASE("a blend adds to the union, and less with a smaller radius") {
  const std::vector<Shape> two = {shape_of(SphereShape{0.4}),
                                  shape_of(SphereShape{0.4}, {0.6, 0, 0})};
  const double united = volume_of(mesh_of(UnionShape{two}, 0.05));
  const double small = volume_of(mesh_of(BlendShape{0.1, two}, 0.05));
  const double large = volume_of(mesh_of(BlendShape{0.3, two}, 0.05));
  CHECK(united < small);
  CHECK(small < large);
  CHECK(large < 1.3 * united);
}

TEST_CASE("sharp edges come out within 1e-3 of a cell") {
  const double resolution = 0.05, cell = 0.5 * resolution;
  const TriangleMesh mesh = mesh_of(box_with_pocket(Quat::Identity()), resolution);
  check_manifold(mesh, resolution);
  CHECK(error_at_edges(mesh, Quat::Identity()).worst < 1e-3 * cell);
  CHECK(volume_of(mesh) == about(0.48 - 0.5 * 0.2 * 0.3, 1e-6));
}

TEST_CASE("sharp edges across the grid come out within 1 % of a cell on average") {
  // A corner that no crossing of the grid shows may be cut off by a fraction of a cell.
  const double resolution = 0.05, cell = 0.5 * resolution;
  const Quat rotate(Eigen::AngleAxisd(0.5, Vec3(3, 1, 2).normalized()));
  const TriangleMesh mesh = mesh_of(box_with_pocket(rotate), resolution);
  check_manifold(mesh, resolution);
  CHECK(error_at_edges(mesh, rotate).mean < 0.01 * cell);
  CHECK(error_at_edges(mesh, rotate).worst < 0.5 * cell);
  CHECK(volume_of(mesh) == about(0.48 - 0.5 * 0.2 * 0.3, 1e-3));
}

TEST_CASE("edges between curved faces are as sharp") {
  const double resolution = 0.05;
  const TriangleMesh mesh = mesh_of(
      DifferenceShape{{shape_of(SphereShape{0.5}), shape_of(CylinderShape{0.2, 2})}}, resolution);
  check_manifold(mesh, resolution);
  const MeshDistance distance(mesh);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const double a = 2 * pi * i / 200;
    const Vec3 rim(0.2 * std::sin(a), std::sqrt(0.25 - 0.04), 0.2 * std::cos(a));
    worst = std::max(worst, distance.closest(rim)->distance);
  }
  CHECK(worst < 0.15 * 0.5 * resolution);  // mostly the sagitta of chords along the rim
}

TEST_CASE("nasty compositions give manifolds") {
  const double resolution = 0.05;
  SUBCASE("two boxes that touch along an edge") {
    const Shape box = shape_of(BoxShape{{0.5, 0.5, 0.5}});
    check_manifold(
        mesh_of(UnionShape{{box, shape_of(BoxShape{{0.5, 0.5, 0.5}}, {0.5, 0.5, 0})}}, resolution),
        resolution);
  }
  SUBCASE("two boxes that touch at a corner") {
    const Shape box = shape_of(BoxShape{{0.5, 0.5, 0.5}});
    check_manifold(mesh_of(UnionShape{{box, shape_of(BoxShape{{0.5, 0.5, 0.5}}, {0.5, 0.5, 0.5})}},
                           resolution),
                   resolution);
  }
  SUBCASE("a shell thinner than a cell, tilted") {
    const Quat tilt(Eigen::AngleAxisd(0.3, Vec3(1, 1, 0).normalized()));
    check_manifold(
        mesh_of(DifferenceShape{{shape_of(SphereShape{0.5}), shape_of(SphereShape{0.485}),
                                 shape_of(BoxShape{{2, 0.3, 0.3}}, Vec3::Zero(), tilt)}},
                resolution),
        resolution);
  }
  SUBCASE("many spheres, added and taken away") {
    for (unsigned seed = 1; seed <= 2; ++seed) {
      CAPTURE(seed);
      const UnionShape spheres = random_spheres(80, seed);
      check_manifold(mesh_of(spheres, resolution), resolution);
      DifferenceShape cheese{{shape_of(BoxShape{})}};
      for (const Shape& sphere : spheres.shapes) cheese.shapes.push_back(sphere);
      check_manifold(mesh_of(cheese, resolution), resolution);
    }
  }
  SUBCASE("a chequerboard of boxes in touch at their edges") {
    UnionShape board;
    for (int i = 0; i < 27; ++i) {
      const int x = i % 3, y = i / 3 % 3, z = i / 9;
      if ((x + y + z) % 2 == 0)
        board.shapes.push_back(shape_of(BoxShape{Vec3::Constant(0.3)}, 0.3 * Vec3(x, y, z)));
    }
    check_manifold(mesh_of(board, resolution), resolution);
    // Turned, so that edges cross the grid at odd places.
    Shape turned = shape_of(board, Vec3::Zero(), Quat(Eigen::AngleAxisd(0.4, Vec3(1, 2, 2) / 3)));
    check_manifold(mesh_of(UnionShape{{turned}}, resolution), resolution);
  }
}

TEST_CASE("a container may hold fixtures: the union of an inside-out box and a pillar") {
  Shape room = shape_of(BoxShape{});
  room.inside_out = true;
  const TriangleMesh mesh = mesh_of(UnionShape{{room, shape_of(CylinderShape{0.2, 1.5})}}, 0.04);
  REQUIRE(is_closed(mesh));
  // The room is empty, hence counts negative, less the pillar.
  CHECK(volume_of(mesh) == about(-(1 - pi * 0.04), 0.005));
}

TEST_CASE("an unbounded composition is cut to the clip box") {
  const Box3 clip{Vec3::Constant(-1), Vec3::Constant(1)};
  const Shape hill = shape_of(UnionShape{{shape_of(HalfSpaceShape{}), shape_of(SphereShape{0.5})}});
  const TriangleMesh mesh = build_mesh(hill, {.resolution = 0.08, .clip = clip});
  REQUIRE(is_closed(mesh));
  CHECK(volume_of(mesh) == about(4 + 2.0 / 3 * pi * 0.125, 0.005));
}

TEST_CASE("empty compositions and ones too large for their detail are refused") {
  CHECK_THROWS_WITH_AS(
      mesh_of(DifferenceShape{{shape_of(BoxShape{}), shape_of(SphereShape{1})}}, 0.05),
      doctest::Contains("is empty"), MeshError);
  CHECK_THROWS_WITH_AS(
      mesh_of(IntersectionShape{{shape_of(BoxShape{}), shape_of(BoxShape{}, {3, 0, 0})}}, 0.05),
      doctest::Contains("is empty"), MeshError);
  CHECK_THROWS_WITH_AS(
      mesh_of(DifferenceShape{{shape_of(BoxShape{}), shape_of(SphereShape{0.1})}}, 1e-4),
      doctest::Contains("particle spacing larger"), MeshError);
}

TEST_CASE("meshes are the same bit for bit with one thread and with many") {
  const UnionShape spheres = random_spheres(60, 3);
  set_threads(1);
  const TriangleMesh one = mesh_of(spheres, 0.05);
  set_threads(4);
  const TriangleMesh many = mesh_of(spheres, 0.05);
  set_threads(0);
  CHECK(one.vertices == many.vertices);
  CHECK(one.triangles == many.triangles);
}

TEST_CASE("a mesh follows the resolution, to second order in volume") {
  const DifferenceShape shape{{shape_of(SphereShape{0.5}), shape_of(SphereShape{0.4})}};
  const double exact = 4.0 / 3 * pi * (0.125 - 0.064);
  const double coarse = std::abs(volume_of(mesh_of(shape, 0.1)) - exact);
  const double fine = std::abs(volume_of(mesh_of(shape, 0.05)) - exact);
  CHECK(std::log2(coarse / fine) == about(2, 0.15));
}
