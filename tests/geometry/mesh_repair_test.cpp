#include "hydrolith/error.h"

#include "about.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_import.h"
#include "test_meshes.h"

#include <doctest/doctest.h>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

struct Repaired {
  TriangleMesh mesh;
  MeshReport report;
};

Repaired repaired(const TriangleMesh& mesh, const RepairOptions& options = {}) {
  Repaired r;
  r.mesh = repair(mesh, options, r.report);
  CHECK(r.report.closed == is_closed(r.mesh));
  return r;
}

double volume(const TriangleMesh& mesh) { return mass_properties(mesh).volume; }

/// Every triangle with corners of its own, as STL files have it.
TriangleMesh exploded(const TriangleMesh& mesh) {
  TriangleMesh soup;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto first = static_cast<std::uint32_t>(soup.vertices.size());
    for (int k = 0; k < 3; ++k) soup.vertices.push_back(mesh.corner(t, k));
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  return soup;
}

TriangleMesh moved(TriangleMesh mesh, const Vec3& by, double scale = 1) {
  transform(mesh, {by, Quat::Identity()}, Vec3::Constant(scale));
  return mesh;
}

}  // namespace

TEST_CASE("a sound mesh passes through repair unchanged") {
  for (const TriangleMesh& mesh : {box_mesh(), torus_mesh(1, 0.4, 40, 20), sphere_mesh(6, 1)}) {
    const Repaired r = repaired(mesh);
    CHECK(r.mesh.triangles == mesh.triangles);
    CHECK(r.mesh.vertices == mesh.vertices);
    CHECK(r.report.summary() == "nothing to repair; closed");
  }
}

TEST_CASE("vertices that repeat are merged") {
  const Repaired r = repaired(exploded(box_mesh()));
  CHECK(r.report.closed);
  CHECK(r.report.merged_vertices == 36 - 8);
  CHECK(r.mesh.vertices.size() == 8);
  CHECK(volume(r.mesh) == doctest::Approx(1));
  CHECK(r.report.summary() == "merged 28 vertices; closed");
}

TEST_CASE("vertices that almost repeat are merged within the weld distance only") {
  TriangleMesh soup = exploded(torus_mesh(1, 0.4, 30, 15));
  std::mt19937 random(1);
  for (Vec3& x : soup.vertices)
    x += random_point(random, {Vec3::Constant(-1e-7), Vec3::Constant(1e-7)});
  const Repaired r = repaired(soup);
  CHECK(r.report.closed);
  CHECK(r.mesh.vertices.size() == 30 * 15);
  const Repaired strict = repaired(soup, {.weld = 1e-9, .largest_hole = 2});
  CHECK_FALSE(strict.report.closed);
}

TEST_CASE("welding does not depend on where the cells of its grid lie") {
  std::mt19937 random(9);
  for (int i = 0; i < 20; ++i) {
    TriangleMesh soup = exploded(box_mesh(Vec3(1, 2, 3)));
    transform(soup,
              {random_point(random, {Vec3::Zero(), Vec3::Constant(10)}), random_rotation(random)});
    for (Vec3& x : soup.vertices)
      x += random_point(random, {Vec3::Constant(-1e-7), Vec3::Constant(1e-7)});
    CHECK(repaired(soup).mesh.vertices.size() == 8);
  }
}

TEST_CASE("degenerate triangles and unused vertices are dropped") {
  TriangleMesh mesh = box_mesh();
  mesh.triangles.push_back({0, 0, 1});
  mesh.triangles.push_back({3, 3, 3});
  mesh.vertices.push_back(Vec3(7, 7, 7));
  const Repaired r = repaired(mesh);
  CHECK(r.report.closed);
  CHECK(r.report.dropped_degenerate == 2);
  CHECK(r.report.dropped_unreferenced == 1);
  CHECK(r.mesh.triangles == box_mesh().triangles);
  CHECK(r.report.summary() == "dropped 1 unused vertex, removed 2 degenerate triangles; closed");
}

TEST_CASE("a triangle that is there twice is dropped once, whichever way it faces") {
  for (const bool flipped : {false, true}) {
    TriangleMesh mesh = box_mesh();
    Triangle again = mesh.triangles[5];
    if (flipped) std::swap(again[0], again[1]);
    mesh.triangles.push_back(again);
    const Repaired r = repaired(mesh);
    CHECK(r.report.closed);
    CHECK(r.report.dropped_duplicate == 1);
    CHECK(volume(r.mesh) == doctest::Approx(1));
  }
}

TEST_CASE("the wall between two boxes that share it goes, and the boxes become one") {
  // The second box is the mirror image of the first, so that their triangles meet.
  TriangleMesh mesh = box_mesh(), mirrored = box_mesh();
  transform(mirrored, {Vec3(1, 0, 0), Quat::Identity()}, Vec3(-1, 1, 1));
  append(mesh, mirrored);
  const Repaired r = repaired(mesh);
  CHECK(r.report.dropped_duplicate == 4);
  CHECK(r.report.closed);
  CHECK(volume(r.mesh) == doctest::Approx(2));
}

TEST_CASE("flipped triangles are turned to agree with their neighbours") {
  for (const std::size_t wrong : {0u, 4u, 11u}) {
    TriangleMesh mesh = box_mesh();
    std::swap(mesh.triangles[wrong][0], mesh.triangles[wrong][1]);
    const Repaired r = repaired(mesh);
    CHECK(r.report.closed);
    CHECK(r.report.flipped_triangles == 1);
    CHECK(volume(r.mesh) == doctest::Approx(1));
  }
}

TEST_CASE("a mesh with random orientations comes out right") {
  std::mt19937 random(3);
  TriangleMesh mesh = torus_mesh(1, 0.4, 40, 20, 0.3);
  const double should = volume(mesh);
  for (Triangle& t : mesh.triangles)
    if (random() % 2 == 0) std::swap(t[0], t[1]);
  const Repaired r = repaired(mesh);
  CHECK(r.report.closed);
  CHECK(volume(r.mesh) == about(should, 1e-12));
}

TEST_CASE("an inside-out mesh is turned right side out") {
  TriangleMesh mesh = box_mesh();
  turn_inside_out(mesh);
  const Repaired r = repaired(mesh);
  CHECK(r.report.turned_inside_out);
  CHECK(r.report.flipped_triangles == 0);
  CHECK(volume(r.mesh) == doctest::Approx(1));
  CHECK(r.report.summary() == "turned the whole mesh right side out; closed");
}

TEST_CASE("one of two components inside out is turned alone") {
  TriangleMesh mesh = box_mesh(), other = moved(box_mesh(), Vec3(3, 0, 0));
  turn_inside_out(other);
  append(mesh, other);
  const Repaired r = repaired(mesh);
  CHECK(r.report.flipped_triangles == 12);
  CHECK_FALSE(r.report.turned_inside_out);
  CHECK(volume(r.mesh) == doctest::Approx(2));
}

TEST_CASE("a cavity stays a cavity, also when everything is inside out") {
  TriangleMesh hollow = moved(box_mesh(), Vec3::Zero(), 0.5);
  turn_inside_out(hollow);
  append(hollow, box_mesh());
  CHECK(volume(repaired(hollow).mesh) == doctest::Approx(1 - 0.125));
  CHECK(repaired(hollow).report.flipped_triangles == 0);
  turn_inside_out(hollow);
  const Repaired r = repaired(hollow);
  CHECK(volume(r.mesh) == doctest::Approx(1 - 0.125));
  CHECK(r.report.turned_inside_out);
}

TEST_CASE("holes are filled with the least area") {
  TriangleMesh mesh = box_mesh();
  mesh.triangles.pop_back();
  mesh.triangles.pop_back();
  CHECK_FALSE(repaired(mesh).report.closed);  // a box without a lid is left as it is
  const Repaired r = repaired(mesh, {.largest_share = 0.25});
  CHECK(r.report.closed);
  CHECK(r.report.filled_holes == 1);
  CHECK(r.report.hole_triangles == 2);
  CHECK(area(r.mesh) == doctest::Approx(6));
  CHECK(volume(r.mesh) == doctest::Approx(1));
  CHECK(r.report.summary() == "filled 1 hole with 2 triangles; closed");
}

TEST_CASE("a hole in the shape of a star is filled without folding over") {
  // A prism over a star, without its lid: the least area is the area of the star.
  const std::uint32_t n = 14;
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double a = 2 * std::numbers::pi * i / n, r = i % 2 == 0 ? 1 : 0.3;
    mesh.vertices.push_back({r * std::cos(a), r * std::sin(a), 0});
    mesh.vertices.push_back({r * std::cos(a), r * std::sin(a), 1});
  }
  mesh.vertices.push_back(Vec3::Zero());
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t j = (i + 1) % n;
    mesh.triangles.push_back({2 * i, 2 * j, 2 * i + 1});
    mesh.triangles.push_back({2 * j, 2 * j + 1, 2 * i + 1});
    mesh.triangles.push_back({2 * n, 2 * j, 2 * i});
  }
  const double star = n * 0.5 * 0.3 * std::sin(2 * std::numbers::pi / n);
  const Repaired r = repaired(mesh);
  CHECK(r.report.closed);
  CHECK(r.report.hole_triangles == n - 2);
  CHECK(volume(r.mesh) == about(star, 1e-12));
}

TEST_CASE("holes that touch at a vertex are filled one by one") {
  TriangleMesh mesh = sphere_mesh(4, 1);
  const double whole = volume(mesh);
  const std::uint32_t v = mesh.triangles[20][0];
  std::vector<std::size_t> around;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t k : mesh.triangles[t])
      if (k == v) around.push_back(t);
  REQUIRE(around.size() >= 4);
  // Two triangles around v that share no edge.
  const Triangle first = mesh.triangles[around[0]];
  for (const std::size_t t : around) {
    int shared = 0;
    for (const std::uint32_t k : mesh.triangles[t])
      shared += std::find(first.begin(), first.end(), k) != first.end();
    if (shared != 1) continue;
    const Triangle second = mesh.triangles[t];
    std::erase(mesh.triangles, first);
    std::erase(mesh.triangles, second);
    break;
  }
  const Repaired r = repaired(mesh);
  CHECK(r.report.closed);
  CHECK(r.report.filled_holes == 2);
  CHECK(r.report.hole_triangles == 2);
  CHECK(volume(r.mesh) == about(whole, 1e-12));
}

TEST_CASE("holes larger than asked for are left and reported") {
  TriangleMesh mesh = prism_mesh(80, 1, 1);
  const std::uint32_t top = 161;
  std::erase_if(mesh.triangles, [&](const Triangle& t) { return t[0] == top; });
  const Repaired left = repaired(mesh);
  CHECK_FALSE(left.report.closed);
  CHECK(left.report.boundary_edges == 80);
  CHECK(left.report.summary() == "dropped 1 unused vertex; not closed: 80 open edges left");
  CHECK(repaired(mesh, {.largest_hole = 80, .largest_share = 0.5}).report.closed);
}

TEST_CASE("an open sheet is not a hole: it stays open") {
  TriangleMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const Repaired r = repaired(sheet);
  CHECK_FALSE(r.report.closed);
  CHECK(r.report.filled_holes == 0);
  CHECK(r.report.boundary_edges == 4);
  CHECK(describe_defects(r.mesh) == "4 open edges in 1 hole, the largest near (0.5, 0.5, 0)");
}

TEST_CASE("a gap beside an edge that is split on one side only is closed") {
  TriangleMesh mesh = box_mesh();
  mesh.vertices.push_back(0.5 * (mesh.vertices[1] + mesh.vertices[5]));
  std::erase(mesh.triangles, Triangle{1, 3, 5});
  mesh.triangles.push_back({1, 3, 8});
  mesh.triangles.push_back({8, 3, 5});
  const Repaired r = repaired(mesh);
  CHECK(r.report.closed);
  CHECK(volume(r.mesh) == about(1, 1e-12));
  for (std::size_t t = 0; t < r.mesh.triangles.size(); ++t)
    CHECK((r.mesh.corner(t, 1) - r.mesh.corner(t, 0))
              .cross(r.mesh.corner(t, 2) - r.mesh.corner(t, 0))
              .norm() > 0.1);
}

TEST_CASE("boxes that touch along an edge or at a corner are taken apart") {
  for (const Vec3& offset : {Vec3(1, 1, 0), Vec3(1, 1, 1)}) {
    TriangleMesh mesh = box_mesh();
    append(mesh, moved(box_mesh(), offset));
    const Repaired r = repaired(mesh);
    CHECK(r.report.closed);
    CHECK(r.report.separated_vertices == r.report.merged_vertices);
    CHECK(r.report.separated_vertices > 0);
    CHECK(volume(r.mesh) == doctest::Approx(2));
  }
}

TEST_CASE("a fin on an edge is reported as what it is") {
  TriangleMesh mesh = box_mesh();
  mesh.vertices.push_back(Vec3(0, -1, -1));
  mesh.triangles.push_back({0, 1, 8});
  CHECK(describe_defects(mesh) ==
        "2 open edges; 1 edge with more than two triangles, the first near (0, -0.5, -0.5)");
  const Repaired r = repaired(mesh);
  CHECK_FALSE(r.report.closed);
  CHECK(r.report.boundary_edges == 3);
}

TEST_CASE("without repair the mesh is only welded and its defects are counted") {
  TriangleMesh mesh = exploded(box_mesh());
  mesh.triangles.pop_back();
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  const Repaired r = repaired(mesh, {.repair = false});
  CHECK_FALSE(r.report.closed);
  CHECK(r.report.boundary_edges == 3);
  CHECK(r.report.non_manifold_edges == 3);
  CHECK(r.mesh.triangles.size() == 11);
  CHECK(describe_defects(r.mesh).find("3 open edges in 1 hole") == 0);
  CHECK(describe_defects(r.mesh).find("disagree about the outside") != std::string::npos);
}

TEST_CASE("meshes that cannot be used are refused with the reason") {
  MeshReport report;
  const auto refuse = [&](const TriangleMesh& mesh, const char* reason) {
    CHECK_THROWS_WITH_AS(repair(mesh, {}, report), doctest::Contains(reason), MeshError);
  };
  refuse({}, "no triangles");
  TriangleMesh mesh = box_mesh();
  mesh.vertices[3][1] = std::numeric_limits<double>::quiet_NaN();
  refuse(mesh, "vertex 3 of the mesh is not a number: (0.5, nan, -0.5)");
  mesh = box_mesh();
  mesh.vertices[2][0] = 1e20;
  refuse(mesh, "vertex 2 of the mesh is 1e+20 m away");
  mesh = box_mesh();
  mesh.triangles[4][1] = 8;
  refuse(mesh, "triangle 4 of the mesh uses vertex 8, but there are only 8");
  refuse({{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}, {{0, 1, 2}}},
         "no triangle of the mesh has an area");
}

TEST_CASE("repair gives the same mesh every time and once repaired changes nothing more") {
  std::mt19937 random(17);
  for (int round = 0; round < 30; ++round) {
    TriangleMesh mesh = exploded(torus_mesh(1, 0.4, 12, 8, 0.3));
    for (int i = 0; i < 20; ++i) {
      const std::size_t t = random() % mesh.triangles.size();
      switch (random() % 4) {
        case 0:
          std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
          break;
        case 1:
          mesh.triangles.erase(mesh.triangles.begin() + std::ptrdiff_t(t));
          break;
        case 2:
          mesh.triangles.push_back(mesh.triangles[t]);
          break;
        default:
          mesh.triangles[t][0] = mesh.triangles[t][1];
          break;
      }
    }
    const Repaired once = repaired(mesh), again = repaired(mesh);
    CHECK(once.mesh.triangles == again.mesh.triangles);
    CHECK(once.report.closed);
    CHECK(volume(once.mesh) > 0);
    const Repaired twice = repaired(once.mesh);
    CHECK(twice.report.closed);
    CHECK(twice.mesh.triangles.size() == once.mesh.triangles.size());
  }
}
