#include "sampling/surface.h"

#include "hydrolith/error.h"

#include "about.h"
#include "core/parallel.h"
#include "geometry/mesh_distance.h"
#include "shapes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

struct Body {
  const char* name;
  TriangleMesh mesh;
  double h;       // [m]
  double spread;  // [-] of V0; 10 % unless edges make up most of the body
};

std::vector<Body> bodies() {
  std::vector<Body> all = {
      {"box of odd sizes", box({1.03, 0.77, 0.61}), 0.1, 0.1},
      {"box of odd sizes, fine", box({1.03, 0.77, 0.61}), 0.031, 0.1},
      {"sphere of 2 h", icosphere(1, 3), 0.5, 0.1},
      {"sphere of 5 h", icosphere(1, 4), 0.2, 0.1},
      {"sphere of 20 h", icosphere(1, 4), 0.05, 0.1},
      {"torus", torus(1, 0.3, 96, 32), 0.1, 0.1},
      {"fine torus", torus(1, 0.3, 96, 32), 0.05, 0.1},
      {"cylinder", cylinder(0.5, 1.07, 64), 0.1, 0.1},
      {"fine cylinder", cylinder(0.5, 1.07, 64), 0.04, 0.1},
      {"cone", cylinder(0.5, 1, 64, 0), 0.05, 0.1},
      {"L", l_prism(1, 0.43), 0.07, 0.1},
  };
  all.push_back({"tilted box", box({1.03, 0.77, 0.61}), 0.1, 0.1});
  transform(all.back().mesh,
            {Vec3(1, 2, 3), Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()))});
  all.push_back({"container", box({1.03, 0.77, 0.61}), 0.1, 0.1});
  turn_inside_out(all.back().mesh);
  return all;
}

double nearest(const std::vector<Vec3>& points, const Vec3& x) {
  double best_sq = std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) best_sq = std::min(best_sq, (p - x).squaredNorm());
  return std::sqrt(best_sq);
}

Box3 bounds_of(const std::vector<Vec3>& points) {
  Box3 box;
  for (const Vec3& x : points) box.include(x);
  return box;
}

}  // namespace

TEST_CASE("samples are even on every body, on its surface and half a spacing below") {
  for (const Body& body : bodies())
    for (const double inset : {0.0, 0.5}) {
      CAPTURE(std::string(body.name));
      CAPTURE(inset);
      const SurfaceSamples s =
          sample_surface(body.mesh, {.spacing = body.h, .inset = inset * body.h});
      const Evenness e = evenness(s.position, body.h);
      CHECK(e.volume_spread < body.spread);
      CHECK(e.nearest_min >= 0.8 * (1 - 1e-6));
      CHECK(e.nearest_max <= 1.2 * (1 + 1e-6));
      CHECK(s.normal.size() == s.position.size());
      for (const Vec3& n : s.normal) REQUIRE(n.norm() == doctest::Approx(1));
    }
}

TEST_CASE("samples lie on the surface, or as deep below it as asked") {
  for (const Body& body : bodies()) {
    CAPTURE(std::string(body.name));
    const MeshDistance distance(body.mesh);
    for (const double inset : {0.0, 0.5}) {
      const double h = body.h;
      const SurfaceSamples s = sample_surface(body.mesh, {.spacing = h, .inset = inset * h});
      double deepest = 0, highest = -1e30;
      for (const Vec3& x : s.position) {
        const double depth = -distance.signed_distance(x);
        deepest = std::max(deepest, depth);
        highest = std::max(highest, -depth);
      }
      // Facets lie up to 0.07 h below the round surface. Concave edges and corners are mitred:
      // sqrt(2) and sqrt(3) times as deep. The tip of the cone is too thin for the full depth.
      const std::string_view name = body.name;
      const double mitre = name == "container" ? 1.733 : name == "L" ? 1.415 : 1;
      CHECK(deepest < (inset * mitre + 0.07) * h);
      if (name != "cone") CHECK(-highest > (inset - 0.07) * h);
    }
  }
}

TEST_CASE("one sample stands for h^2 of the surface, curved or flat") {
  for (const Body& body : bodies()) {
    CAPTURE(std::string(body.name));
    const SurfaceSamples s = sample_surface(body.mesh, {.spacing = body.h});
    const double per_sample = area(body.mesh) / double(s.position.size()) / (body.h * body.h);
    CHECK(per_sample == about(1, 0.06));  // lengths are rounded to whole spacings
  }
}

TEST_CASE("no part of the surface is left out") {
  for (const Body& body : bodies()) {
    if (body.mesh.triangles.size() < 1000) continue;
    CAPTURE(std::string(body.name));
    const SurfaceSamples s = sample_surface(body.mesh, {.spacing = body.h});
    double farthest = 0;
    for (std::size_t t = 0; t < body.mesh.triangles.size(); t += 3)
      farthest = std::max(farthest, nearest(s.position, body.mesh.corner(t, 0)));
    CHECK(farthest < 0.8 * body.h);  // a larger gap would hold another sample
  }
}

TEST_CASE("a box has samples at its corners, along its edges and on a lattice on its faces") {
  const double h = 0.1;
  const SurfaceSamples s = sample_surface(box({1, 0.8, 0.6}), {.spacing = h});
  CHECK(s.position.size() == 11 * 9 * 7 - 9 * 7 * 5);  // the shell of an 11 x 9 x 7 lattice
  for (const Vec3& x :
       {Vec3(0.5, 0.4, 0.3), Vec3(-0.5, 0.4, 0.3), Vec3(0.1, 0.4, -0.3), Vec3(0.2, 0.1, 0.3)})
    CHECK(nearest(s.position, x) < 1e-9);
}

TEST_CASE("a cone keeps its tip and its rim") {
  const double h = 0.05;
  const SurfaceSamples s = sample_surface(cylinder(0.5, 1, 64, 0), {.spacing = h});
  CHECK(nearest(s.position, Vec3(0, 0.5, 0)) < 0.05 * h);  // the last bit is one thin layer
  int on_rim = 0;
  for (const Vec3& x : s.position)
    on_rim += std::abs(x.y() + 0.5) < 1e-9 && std::hypot(x.x(), x.z()) > 0.499 * 0.998;
  CHECK(on_rim >= 62);  // 2 pi 0.5 / 0.05, rounded
}

TEST_CASE("the inset of a box is the smaller box, of a container the larger one") {
  const double h = 0.1;
  TriangleMesh mesh = box({1, 0.8, 0.6});
  const Box3 inner = bounds_of(sample_surface(mesh, {.spacing = h, .inset = h / 2}).position);
  CHECK((inner.size() - Vec3(0.9, 0.7, 0.5)).norm() < 1e-9);
  turn_inside_out(mesh);
  const Box3 outer = bounds_of(sample_surface(mesh, {.spacing = h, .inset = h / 2}).position);
  CHECK((outer.size() - Vec3(1.1, 0.9, 0.7)).norm() < 1e-9);
}

TEST_CASE("a thin plate becomes one layer in its middle, with its outline inset") {
  const double h = 0.1;
  for (const double thickness : {0.01, 0.03, 0.1, 0.13}) {
    CAPTURE(thickness);
    const SurfaceSamples s =
        sample_surface(box({1, thickness, 1.3}), {.spacing = h, .inset = h / 2});
    const Box3 b = bounds_of(s.position);
    CHECK(b.size().y() < 1e-9);
    CHECK(std::abs(b.centre().y()) < 1e-9);
    CHECK(s.position.size() == 10 * 13);
    const Evenness e = evenness(s.position, h);
    CHECK(e.nearest_min >= 0.8);
    CHECK(e.nearest_max <= 1.2);
  }
}

TEST_CASE("a plate just thick enough for two layers keeps both") {
  const double h = 0.1;
  for (const double thickness : {0.15, 0.17, 0.2}) {
    const SurfaceSamples s =
        sample_surface(box({1, thickness, 1.3}), {.spacing = h, .inset = h / 2});
    const double gap = bounds_of(s.position).size().y() / h;
    CHECK(gap >= 0.8);
    CHECK(gap <= std::max(0.81, thickness / h - 1 + 1e-9));
    CHECK(evenness(s.position, h).nearest_min >= 0.8 * (1 - 1e-6));
  }
}

TEST_CASE("thin rods and rings become one row along their axis") {
  const double h = 0.1;
  const SurfaceSamples rod =
      sample_surface(cylinder(0.04, 1.5, 24), {.spacing = h, .inset = h / 2});
  for (const Vec3& x : rod.position) CHECK(std::hypot(x.x(), x.z()) < 0.02 * h);
  CHECK(bounds_of(rod.position).size().y() > 1.5 - 1.3 * h);  // ends are inset by half a spacing
  CHECK(evenness(rod.position, h).nearest_max <= 1.2);
  const SurfaceSamples ring =
      sample_surface(torus(1, 0.04, 96, 12), {.spacing = h, .inset = h / 2});
  CHECK(ring.position.size() >=
        58);  // 2 pi / 0.1 = 63, no nearer than 0.8 h nor farther than 1.1 h
  CHECK(ring.position.size() <= 66);
  for (const Vec3& x : ring.position) CHECK(std::hypot(x.x(), x.z()) == about(1, 2e-3));
}

TEST_CASE("a sharp wedge keeps its edge as one layer") {
  const double h = 0.05;
  const SurfaceSamples s =
      sample_surface(prism({{0, 0}, {1, 0}, {1, 0.36}}, 0.5), {.spacing = h, .inset = h / 2});
  CHECK(bounds_of(s.position).lo.x() < 2 * h);
  const Evenness e = evenness(s.position, h);
  CHECK(e.nearest_min >= 0.8 * (1 - 1e-6));
  CHECK(e.nearest_max <= 1.2);
}

TEST_CASE("the smallest bodies still have a sample, inside") {
  for (const double size : {1e-6, 0.01, 0.05, 0.09, 0.12}) {
    const SurfaceSamples s =
        sample_surface(box({size, size, size}), {.spacing = 0.1, .inset = 0.05});
    REQUIRE(s.position.size() >= 1);
    for (const Vec3& x : s.position) CHECK(x.cwiseAbs().maxCoeff() <= size / 2);
  }
}

TEST_CASE("samples have the same bits for any number of threads") {
  const TriangleMesh mesh = torus(1, 0.3, 64, 24, 0.05);
  std::vector<std::vector<Vec3>> results;
  for (const int count : {1, 2, 7}) {
    set_threads(count);
    results.push_back(sample_surface(mesh, {.spacing = 0.06, .inset = 0.03}).position);
  }
  set_threads(0);
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}

TEST_CASE("a spacing of zero and a negative inset are refused with the number") {
  CHECK_THROWS_WITH_AS(sample_surface(box({1, 1, 1}), {.spacing = 0}),
                       "surface samples need a spacing above zero, got 0 m", Error);
  CHECK_THROWS_AS(sample_surface(box({1, 1, 1}), {.spacing = 0.1, .inset = -0.1}), Error);
  CHECK(sample_surface({}, {.spacing = 0.1}).position.empty());
}
