#include "geometry/machine_parts.h"

#include "about.h"
#include "geometry/build_mesh.h"
#include "geometry/sdf.h"
#include "shape_cases.h"

using namespace hydrolith;
using namespace hydrolith::test;
using std::numbers::pi;

namespace {

Quat about_y(double angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())); }

// Least signed distance from `body` of the corners and centres of the triangles of `mesh`.
double least_distance(const Sdf& body, const TriangleMesh& mesh) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& x : mesh.vertices) least = std::min(least, body(x));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    least = std::min(least, body((mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2)) / 3));
  return least;
}

double gap(const Shape& a, const Shape& b, double resolution) {
  const SdfPtr sdf_a = make_sdf(a, resolution), sdf_b = make_sdf(b, resolution);
  return std::min(least_distance(*sdf_a, build_mesh(b, {.resolution = resolution})),
                  least_distance(*sdf_b, build_mesh(a, {.resolution = resolution})));
}

}  // namespace

TEST_CASE("a nut turns on its bolt and cannot be pulled off") {
  const BoltShape bolt;
  const NutShape nut;
  const Shape fixed = shape_of(bolt);
  for (const double turn : {0.0, 0.37, 1.5, -2.25}) {
    const double climb = bolt.pitch * turn;
    CAPTURE(turn);
    CHECK(gap(fixed, shape_of(nut, {0, climb, 0}, about_y(2 * pi * turn)), 0.01) > 0);
    // Pulled by a quarter of the pitch without turning: flank through flank. Less the clearance
    // of 0.1 pitch, on flanks at 30 degrees, they overlap by about 0.1 pitch; distances are bounds
    // that may show half of it.
    const Shape pulled = shape_of(nut, {0, climb + 0.25 * bolt.pitch, 0}, about_y(2 * pi * turn));
    CHECK(gap(fixed, pulled, 0.01) < -0.02 * bolt.pitch);
  }
}

TEST_CASE("a thread has the ISO profile") {
  const Thread thread{.major = 0.05, .pitch = 0.02};
  CHECK(thread.depth() == about(0.54127 * 0.02, 1e-4));
  CHECK(thread.radius(0, 0) == about(0.05, 1e-12));
  CHECK(thread.radius(0.01, 0) == about(0.05 - thread.depth(), 1e-12));
  CHECK(thread.radius(0.005, pi / 2) == about(0.05, 1e-12));  // right-handed
  // 60 degrees between the flanks: half an angle of 30 degrees to the radius.
  const double rise = thread.radius(0.003, 0) - thread.radius(0.004, 0);
  CHECK(std::atan2(0.001, rise) == doctest::Approx(pi / 6));
}

TEST_CASE("a bolt's volume is that of its head and of the mean section of its thread") {
  const BoltShape bolt;
  const double volume = volume_of(build_mesh(shape_of(bolt), {.resolution = 0.005}));
  // Section of the thread averaged over a pitch: half the integral of R^2 over the angle.
  const Thread thread = thread_of(bolt);
  double mean_sq = 0;
  for (int i = 0; i < 1000; ++i) mean_sq += std::pow(thread.radius(bolt.pitch * i / 1000, 0), 2);
  const double shank = pi * mean_sq / 1000 * bolt.length;
  const double head = std::sqrt(3.0) / 2 * 0.16 * 0.16 * bolt.head_height;
  // The chamfers take off about 2 %.
  CHECK(volume < shank + head);
  CHECK(volume > 0.97 * (shank + head));
}

TEST_CASE("gears of equal module mesh without touching") {
  const GearShape wheel{.teeth = 16, .radius = 0.5};
  const GearShape pinion{.teeth = 12, .radius = 0.375, .thickness = 0.1};  // not flush with it
  for (const double angle : {0.0, 0.05, 0.11, 0.17, 0.29}) {
    CAPTURE(angle);
    // At angle 0 the wheel has a tooth towards +z, the pinion a gap towards -z.
    const Shape a = shape_of(wheel, Vec3::Zero(), about_y(angle));
    const double turned = -angle * 16 / 12 + (12 % 2 == 0 ? pi / 12 : 0);
    const Shape b = shape_of(pinion, {0, 0, 0.875}, about_y(turned));
    const double clear = gap(a, b, 0.02);
    CHECK(clear > 0);
    // Play is 2 % of the tooth's arc of radius pi/teeth = 0.098 m on each side.
    CHECK(clear < 0.005);
  }
}

TEST_CASE("two chain links hang in each other without touching") {
  const ChainLinkShape link;
  const Quat upright(Eigen::AngleAxisd(pi / 2, Vec3::UnitX()));
  // Outer length less two wires of 0.05 m: the bends touch at a pitch of 0.2 m.
  const double taut = link.length - 4 * link.wire;
  const auto gap_at = [&](double pitch) {
    return gap(shape_of(link), shape_of(link, {pitch, 0, 0}, upright), 0.02);
  };
  CHECK(gap_at(taut - 0.005) == about(0.005, 0.05));
  CHECK(gap_at(taut + 0.005) < -0.004);
}

TEST_CASE("a tetrapod stands on three legs and is as high as asked") {
  const Box3 box = bounds(
      build_mesh(shape_of(TetrapodShape{.size = 2, .leg_radius = 0.3}), {.resolution = 0.1}));
  CHECK(box.size().y() == about(2, 1e-3));  // tips are sharp circles
}

TEST_CASE("a duck is as long as asked and symmetric") {
  const TriangleMesh duck = build_mesh(shape_of(DuckShape{2}), {.resolution = 0.1});
  CHECK(bounds(duck).size().x() == about(2, 0.01));
  const MassProperties mass = mass_properties(duck);
  CHECK(std::abs(mass.centre.z()) < 1e-3);  // the grid is not symmetric, the duck is
  CHECK(mass.centre.y() < bounds(duck).centre().y());
}

TEST_CASE("text is set in capitals with the asked height and depth") {
  const TriangleMesh upper = build_mesh(shape_of(TextShape{"HI 5"}), {.resolution = 0.02});
  const TriangleMesh lower = build_mesh(shape_of(TextShape{"hi 5"}), {.resolution = 0.02});
  CHECK(upper.vertices == lower.vertices);
  CHECK(bounds(upper).size().y() == about(0.2, 1e-3));
  CHECK(bounds(upper).size().z() == about(0.05, 1e-5));  // normals: differences of 1e-5 cells
}
