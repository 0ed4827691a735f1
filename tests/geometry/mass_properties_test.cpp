#include "geometry/mass_properties.h"

#include "hydrolith/error.h"

#include "about.h"
#include "core/parallel.h"
#include "test_meshes.h"

#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

// The integrals are exact, so only the rounding of some hundred operations is left.
constexpr double round_off = 1e-12;

double relative_error(const Mat3& is, const Mat3& should) {
  return (is - should).norm() / should.norm();
}

Mat3 box_inertia(const Vec3& size) {
  const Vec3 sq = size.cwiseAbs2();
  return (size.prod() / 12) * Vec3(sq[1] + sq[2], sq[2] + sq[0], sq[0] + sq[1]).asDiagonal();
}

}  // namespace

TEST_CASE("a box has the mass properties of the textbook") {
  const Vec3 size(1.5, 0.2, 3);
  const MassProperties m = mass_properties(box_mesh(size));
  CHECK(m.volume == about(size.prod(), round_off));
  CHECK(m.centre.norm() < round_off);
  CHECK(relative_error(m.inertia, box_inertia(size)) < round_off);
}

TEST_CASE("a corner tetrahedron has the mass properties of the textbook") {
  // About the corner: Int x^2 = V a^2 / 10, Int xy = V a b / 20; the centre is at (a, b, c) / 4.
  const Vec3 legs(2, 3, 0.5);
  const MassProperties m = mass_properties(tetrahedron_mesh(legs[0], legs[1], legs[2]));
  const double V = legs.prod() / 6;
  Mat3 S = V / 20 * legs * legs.transpose();
  S.diagonal() *= 2;
  S -= V / 16 * legs * legs.transpose();
  CHECK(m.volume == about(V, round_off));
  CHECK((m.centre - legs / 4).norm() < round_off);
  CHECK(relative_error(m.inertia, S.trace() * Mat3::Identity() - S) < round_off);
}

TEST_CASE("a hexagonal prism has the mass properties of the textbook") {
  const double r = 0.7, h = 2;
  const MassProperties m = mass_properties(prism_mesh(6, r, h));
  const double A = 1.5 * std::sqrt(3.0) * r * r, second = 5 * std::sqrt(3.0) / 16 * std::pow(r, 4);
  CHECK(m.volume == about(A * h, round_off));
  const double axial = 2 * second * h, across = second * h + A * std::pow(h, 3) / 12;
  CHECK(relative_error(m.inertia, Vec3(across, across, axial).asDiagonal()) < round_off);
}

TEST_CASE("faceted spheres, cylinders and tori converge to the smooth ones with second order") {
  using std::numbers::pi;
  const auto sphere_error = [](int n) {
    const MassProperties m = mass_properties(sphere_mesh(n, 2));
    const double V = 4 * pi / 3 * 8;
    return std::abs(m.volume / V - 1) + relative_error(m.inertia, 0.4 * V * 4 * Mat3::Identity());
  };
  const auto cylinder_error = [](int n) {
    const MassProperties m = mass_properties(prism_mesh(n, 0.5, 1));
    return std::abs(m.volume / (pi / 4) - 1) + std::abs(m.inertia(2, 2) / (pi / 32) - 1);
  };
  const auto torus_error = [](int n) {
    const double R = 1, r = 0.3, V = 2 * pi * pi * R * r * r;
    const MassProperties m = mass_properties(torus_mesh(R, r, 3 * n, n));
    return std::abs(m.volume / V - 1) +
           std::abs(m.inertia(2, 2) / (V * (R * R + 0.75 * r * r)) - 1);
  };
  // Halving the facets divides the error by four; 10 % for the higher orders.
  for (const auto& error :
       {std::function<double(int)>(sphere_error), {cylinder_error}, {torus_error}})
    CHECK(error(20) / error(40) == about(4, 0.1));
}

TEST_CASE("mass properties turn, move and scale with the body") {
  std::mt19937 random(7);
  const Box3 near{Vec3::Constant(-2), Vec3::Constant(2)};
  for (int i = 0; i < 20; ++i) {
    const Vec3 size = Vec3::Constant(0.5) + random_point(random, {Vec3::Zero(), Vec3::Ones()});
    const Pose pose{random_point(random, near), random_rotation(random)};
    TriangleMesh mesh = box_mesh();
    transform(mesh, pose, size);
    const MassProperties m = mass_properties(mesh);
    const Mat3 R = pose.orientation.toRotationMatrix();
    CHECK(m.volume == about(size.prod(), round_off));
    CHECK((m.centre - pose.position).norm() < round_off);
    CHECK(relative_error(m.inertia, R * box_inertia(size) * R.transpose()) < round_off);
  }
}

TEST_CASE("a body far from the origin keeps its inertia") {
  TriangleMesh mesh = torus_mesh(1, 0.3, 40, 20, 0.2);
  const MassProperties here = mass_properties(mesh);
  transform(mesh, {Vec3(1e3, -1e3, 1e3), Quat::Identity()});
  const MassProperties there = mass_properties(mesh);
  // At 1e3 m a coordinate is rounded to 1e-13 m; the integrals add no more than that.
  CHECK(there.volume == about(here.volume, 1e-11));
  CHECK(relative_error(there.inertia, here.inertia) < 1e-11);
}

TEST_CASE("the inertia of two bodies follows from the parallel-axis theorem") {
  TriangleMesh left = box_mesh(Vec3(1, 2, 3)), right = box_mesh(Vec3(1, 2, 3));
  const Vec3 d(3, 1, -2);
  transform(left, {-d, Quat::Identity()});
  transform(right, {d, Quat::Identity()});
  append(left, right);
  const MassProperties m = mass_properties(left);
  const Mat3 shift = 6 * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  CHECK(relative_error(m.inertia, 2 * (box_inertia(Vec3(1, 2, 3)) + shift)) < round_off);
}

TEST_CASE("the inertia of a solid is positive definite and obeys the triangle inequality") {
  std::mt19937 random(11);
  for (int i = 0; i < 20; ++i) {
    TriangleMesh mesh = torus_mesh(1, 0.3, 24, 12, 0.8 * i / 20);
    transform(mesh, {Vec3::Zero(), random_rotation(random)},
              Vec3(0.1, 0.1, 0.1) + random_point(random, {Vec3::Zero(), Vec3::Ones()}));
    const Vec3 principal =
        Eigen::SelfAdjointEigenSolver<Mat3>(mass_properties(mesh).inertia).eigenvalues();
    CHECK(principal[0] > 0);
    CHECK(principal[2] <= principal[0] + principal[1]);
  }
}

TEST_CASE("a mesh turned inside out has negative volume and the same centre") {
  TriangleMesh mesh = tetrahedron_mesh(1, 2, 3);
  const MassProperties m = mass_properties(mesh);
  turn_inside_out(mesh);
  const MassProperties hole = mass_properties(mesh);
  CHECK(hole.volume == -m.volume);
  CHECK((hole.centre - m.centre).norm() < round_off);
}

TEST_CASE("mirroring a mesh keeps its outside outside") {
  TriangleMesh mesh = tetrahedron_mesh();
  transform(mesh, {}, Vec3(-1, 1, 1));
  CHECK(mass_properties(mesh).volume > 0);
}

TEST_CASE("mass properties have the same bits for any number of threads") {
  const TriangleMesh mesh = torus_mesh(1, 0.3, 120, 60, 0.2);
  set_threads(1);
  const MassProperties one = mass_properties(mesh);
  set_threads(0);
  const MassProperties all = mass_properties(mesh);
  CHECK(one.volume == all.volume);
  CHECK(one.inertia == all.inertia);
}

TEST_CASE("a mesh that encloses nothing is refused with the reason") {
  TriangleMesh open = box_mesh();
  open.triangles.pop_back();
  CHECK_THROWS_WITH_AS(mass_properties(open), doctest::Contains("3 open edges"), MeshError);
  CHECK_THROWS_WITH_AS(mass_properties(open), doctest::Contains("A density needs a closed mesh"),
                       MeshError);
  CHECK_THROWS_WITH_AS(mass_properties({}), doctest::Contains("no triangles"), MeshError);
  TriangleMesh flat = box_mesh(Vec3(1, 1, 0));
  CHECK_THROWS_WITH_AS(mass_properties(flat), doctest::Contains("no volume"), MeshError);
  TriangleMesh flipped = box_mesh();
  std::swap(flipped.triangles[0][0], flipped.triangles[0][1]);
  CHECK_THROWS_WITH_AS(mass_properties(flipped),
                       doctest::Contains("3 edges where triangles disagree"), MeshError);
}
