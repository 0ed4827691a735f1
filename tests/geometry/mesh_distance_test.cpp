#include "geometry/mesh_distance.h"

#include "hydrolith/error.h"

#include "about.h"
#include "geometry/mass_properties.h"
#include "geometry/triangle_distance.h"
#include "test_meshes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

double brute_force_distance(const TriangleMesh& mesh, const Vec3& x) {
  double best = inf;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const TriangleClosest y =
        closest_on_triangle(x, mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
    best = std::min(best, y.distance_sq);
  }
  return std::sqrt(best);
}

/// Smallest of |x - p| over a fine barycentric grid of the triangle, and the width of its cells.
double sampled_distance(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c, int n) {
  double best = inf;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; i + j <= n; ++j)
      best = std::min(best, (x - a - (b - a) * i / n - (c - a) * j / n).norm());
  return best;
}

TriangleMesh random_soup(std::mt19937& random, std::uint32_t count, double size) {
  const Box3 all{Vec3::Constant(-1), Vec3::Constant(1)};
  TriangleMesh mesh;
  for (std::uint32_t t = 0; t < count; ++t) {
    const Vec3 at = random_point(random, all);
    for (int k = 0; k < 3; ++k) mesh.vertices.push_back(at + size * random_point(random, all));
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

/// L-shaped prism: reflex and sharp corners meet at single vertices.
TriangleMesh saw_tooth(double depth) {
  // A double cone with a deep groove: corner 1 is sharp, corner 3 is pushed in beyond the centre.
  TriangleMesh mesh;
  mesh.vertices = {{-1, 0, 0}, {0, 4, 0.05}, {1, 0, 0}, {0, depth, 0}, {0, 1, 1}, {0, 1, -1}};
  mesh.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4},
                    {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}};
  if (mass_properties(mesh).volume < 0) turn_inside_out(mesh);
  return mesh;
}

void check_sign(const TriangleMesh& mesh, int count, unsigned seed) {
  const MeshDistance distance(mesh);
  std::mt19937 random(seed);
  const Box3 box = bounds(mesh).grown(0.2 * bounds(mesh).size().norm());
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3 x = random_point(random, box);
    const bool inside = winding_number(mesh, x) > 0.5;
    wrong += (distance.signed_distance(x) < 0) != inside;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the nearest point of a triangle is nearer than every sample of it") {
  std::mt19937 random(3);
  const Box3 box{Vec3::Constant(-1), Vec3::Constant(1)};
  for (int i = 0; i < 300; ++i) {
    const Vec3 a = random_point(random, box), b = random_point(random, box),
               c = random_point(random, box), x = 2 * random_point(random, box);
    const TriangleClosest y = closest_on_triangle(x, a, b, c);
    CHECK((x - y.point).norm() == about(std::sqrt(y.distance_sq), 1e-12));
    const double sampled = sampled_distance(x, a, b, c, 60);
    CHECK(std::sqrt(y.distance_sq) <= sampled + 1e-12);
    // A sample lies within one cell of the nearest point; cells are at most 3.5/60 wide.
    CHECK(std::sqrt(y.distance_sq) > sampled - 0.06);
    CHECK(sampled_distance(y.point, a, b, c, 60) < 0.06);
  }
}

TEST_CASE("slivers and triangles without area have the distance of their sides") {
  const Vec3 a(0, 0, 0), b(1, 0, 0), x(0.3, 0.4, 0);
  for (const double height : {1e-3, 1e-6, 1e-9, 1e-12, 0.0}) {
    CHECK(std::sqrt(closest_on_triangle(x, a, b, Vec3(0.5, -height, 0)).distance_sq) ==
          about(0.4, 1e-12));
    CHECK(std::sqrt(closest_on_triangle(x, a, b, Vec3(0.5, 0, height)).distance_sq) ==
          about(0.4, 1e-6));
  }
  CHECK(closest_on_triangle(x, a, a, a).distance_sq == about(0.25, 1e-12));
}

TEST_CASE("the hierarchy finds the same distance as a search through all triangles") {
  std::mt19937 random(5);
  for (const double size : {0.02, 0.3, 2.0}) {
    const TriangleMesh mesh = random_soup(random, 400, size);
    const MeshDistance distance(mesh);
    for (int i = 0; i < 300; ++i) {
      const Vec3 x = random_point(random, bounds(mesh).grown(1));
      const double exact = brute_force_distance(mesh, x);
      const auto y = distance.closest(x);
      REQUIRE(y);
      // The two differ by the rounding of the change of origin.
      CHECK(y->distance == about(exact, 1e-12));
      CHECK((x - y->point).norm() == about(exact, 1e-12));
      const auto t = closest_on_triangle(x, mesh.corner(y->triangle, 0),
                                         mesh.corner(y->triangle, 1), mesh.corner(y->triangle, 2));
      CHECK(std::sqrt(t.distance_sq) == about(exact, 1e-12));
      CHECK(distance.closest(x, exact * (1 + 1e-9)).has_value());
      CHECK_FALSE(distance.closest(x, exact * (1 - 1e-9)).has_value());
      for (const double part : {0.5, 1 - 1e-9, 1 + 1e-9, 2.0, inf})
        CHECK(distance.is_within(x, exact * part) == (part > 1));
    }
  }
}

TEST_CASE("the sign agrees with the winding number on smooth, sharp and reflex surfaces") {
  check_sign(box_mesh(Vec3(1, 0.1, 3)), 3000, 1);
  check_sign(tetrahedron_mesh(1, 0.02, 1), 3000, 2);
  check_sign(torus_mesh(1, 0.4, 30, 15, 0.5), 1000, 3);
  check_sign(saw_tooth(3.5), 3000, 4);
  check_sign(saw_tooth(-0.5), 3000, 5);
  check_sign(prism_mesh(3, 1, 0.01), 3000, 6);
}

TEST_CASE("the sign is right near a needle-sharp tip, where the face normals disagree") {
  const TriangleMesh mesh = tetrahedron_mesh(0.01, 0.01, 10);
  const MeshDistance distance(mesh);
  std::mt19937 random(8);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 x = Vec3(0, 0, 10) + random_point(random, {Vec3(-1, -1, 1e-3), Vec3(1, 1, 1)});
    wrong += distance.signed_distance(x) < 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("triangles without area leave distance and sign alone") {
  // A box whose edge 1-5 is split on one side only: the gap is a triangle without area.
  TriangleMesh mesh = box_mesh();
  mesh.vertices.push_back(0.5 * (mesh.vertices[1] + mesh.vertices[5]));
  const std::uint32_t m = 8;
  std::erase(mesh.triangles, Triangle{1, 3, 5});
  mesh.triangles.insert(mesh.triangles.end(), {{1, 3, m}, {m, 3, 5}, {1, m, 5}});
  REQUIRE(is_closed(mesh));
  check_sign(mesh, 3000, 9);
  const MeshDistance distance(mesh);
  CHECK(distance.signed_distance(Vec3(1, 0.1, -1)) ==
        about(brute_force_distance(mesh, Vec3(1, 0.1, -1)), 1e-12));
}

TEST_CASE("points far away and meshes far from the origin keep their distance") {
  TriangleMesh mesh = sphere_mesh(8, 1);
  for (const double far : {1e3, 1e6, 1e12, 1e20})
    CHECK(MeshDistance(mesh).signed_distance(Vec3(far, 0, 0)) == about(far - 1, 1e-12));
  transform(mesh, {Vec3(1e3, 1e3, -1e3), Quat::Identity()});
  const MeshDistance distance(mesh);
  std::mt19937 random(4);
  for (int i = 0; i < 200; ++i) {
    const Vec3 x = random_point(random, bounds(mesh).grown(0.1));
    CHECK(std::abs(distance.signed_distance(x)) == about(brute_force_distance(mesh, x), 1e-9));
  }
}

TEST_CASE("the normal points outwards and has length one") {
  const TriangleMesh mesh = torus_mesh(1, 0.4, 60, 30);
  const MeshDistance distance(mesh);
  std::mt19937 random(6);
  for (int i = 0; i < 500; ++i) {
    const Vec3 x = random_point(random, bounds(mesh).grown(0.3));
    const auto y = distance.closest(x);
    CHECK(y->normal.norm() == about(1, 1e-12));
    const Vec3 ring = 1.0 * Vec3(y->point[0], y->point[1], 0).normalized();
    // Facets of 6 and 12 degrees: the normal is off by at most about half of that.
    CHECK(y->normal.dot((y->point - ring).normalized()) > std::cos(0.15));
  }
}

TEST_CASE("rays hit what a search through all triangles hits") {
  std::mt19937 random(12);
  const TriangleMesh mesh = random_soup(random, 300, 0.3);
  const MeshDistance distance(mesh);
  int hits = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 x = 3 * random_point(random, {Vec3::Constant(-1), Vec3::Constant(1)});
    const Vec3 d = random_point(random, {Vec3::Constant(-1), Vec3::Constant(1)}) - 0.5 * x;
    double first = inf;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      Mat3 A;
      A << mesh.corner(t, 1) - mesh.corner(t, 0), mesh.corner(t, 2) - mesh.corner(t, 0), -d;
      const Vec3 uvs = A.partialPivLu().solve(x - mesh.corner(t, 0));
      if (uvs[0] >= 0 && uvs[1] >= 0 && uvs[0] + uvs[1] <= 1 && uvs[2] > 0)
        first = std::min(first, uvs[2]);
    }
    const auto hit = distance.raycast(x, d);
    REQUIRE(hit.has_value() == (first < inf));
    if (!hit) continue;
    ++hits;
    CHECK(hit->s == about(first, 1e-9));
    CHECK_FALSE(distance.raycast(x, d, 0, first * (1 - 1e-6)).has_value());
    const auto next = distance.raycast(x, d, first * (1 + 1e-6));
    CHECK((!next || next->s > first));
  }
  CHECK(hits > 100);
}

TEST_CASE("no ray slips through the edges and vertices of a closed mesh") {
  const TriangleMesh mesh = sphere_mesh(12, 1);
  const MeshDistance distance(mesh);
  int missed = 0;
  for (const Vec3& v : mesh.vertices) missed += !distance.raycast(Vec3::Zero(), v).has_value();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    missed += !distance
                   .raycast(Vec3(0.1, 0.2, 0.3),
                            0.5 * (mesh.corner(t, 0) + mesh.corner(t, 1)) - Vec3(0.1, 0.2, 0.3))
                   .has_value();
  for (int axis = 0; axis < 3; ++axis)
    missed += !distance.raycast(-1e6 * Vec3::Unit(axis), Vec3::Unit(axis)).has_value();
  CHECK(missed == 0);
}

TEST_CASE("distance queries survive meshes and points that make no sense") {
  CHECK_THROWS_WITH_AS(MeshDistance(TriangleMesh{}), doctest::Contains("empty mesh"), MeshError);
  const MeshDistance point({{Vec3(1, 2, 3)}, {{0, 0, 0}, {0, 0, 0}}});
  CHECK(point.closest(Vec3(1, 2, 5))->distance == doctest::Approx(2));
  CHECK_FALSE(point.raycast(Vec3::Zero(), Vec3::Zero()).has_value());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(MeshDistance(box_mesh()).signed_distance(Vec3(nan, 0, 0))));
  CHECK_FALSE(MeshDistance(box_mesh()).is_within(Vec3(nan, 0, 0), inf));
  // Many triangles in one place: no split separates them.
  TriangleMesh pile = box_mesh();
  for (int i = 0; i < 8; ++i) append(pile, TriangleMesh(pile));
  CHECK(MeshDistance(pile).closest(Vec3(2, 0, 0))->distance == doctest::Approx(1.5));
}
