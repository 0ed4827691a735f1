#include "geometry/sdf.h"

#include "about.h"
#include "geometry/build_mesh.h"
#include "geometry/mesh_distance.h"
#include "geometry/sdf_compose.h"
#include "shape_cases.h"

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

// Every single shape, and compositions of them.
std::vector<std::pair<std::string, Shape>> all_trees() {
  std::vector<std::pair<std::string, Shape>> trees;
  for (const ShapeCase& c : all_shapes()) trees.emplace_back(c.name, shape_of(c.kind));
  const Quat turn(Eigen::AngleAxisd(0.9, Vec3(1, -1, 2).normalized()));
  Shape stretched = shape_of(TorusShape{}, {0.2, 0, 0.1}, turn);
  stretched.scale = {1.5, 0.6, -1};
  Shape room = shape_of(BoxShape{{2, 2, 2}});
  room.inside_out = true;
  const Shape ball = shape_of(SphereShape{0.4}, {0.3, 0.1, 0});
  trees.emplace_back("stretched torus", stretched);
  trees.emplace_back("room", room);
  trees.emplace_back("union", shape_of(UnionShape{{stretched, ball, room}}));
  trees.emplace_back("difference", shape_of(DifferenceShape{{shape_of(BoxShape{}), ball}}));
  trees.emplace_back("blend", shape_of(BlendShape{0.2, {shape_of(BoxShape{}), ball, stretched}}));
  return trees;
}

Box3 box_around(const Sdf& sdf) {
  const Box3 box = surface_bounds(sdf);
  return box.grown(0.1 * box.size().maxCoeff());
}

}  // namespace

TEST_CASE("no signed distance changes faster than space") {
  for (const auto& [name, shape] : all_trees()) {
    CAPTURE(name);
    const SdfPtr sdf = make_sdf(shape, 0.1);
    const Box3 box = box_around(*sdf);
    const auto a = points_around(box, 600, 1), b = points_around(box, 600, 2);
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (const double reach : {1.0, 0.01}) {  // far pairs and near ones
        const Vec3 y = a[i] + reach * (b[i] - a[i]);
        worst = std::max(worst, std::abs((*sdf)(a[i]) - (*sdf)(y)) / (a[i] - y).norm());
      }
    CHECK(worst <= 1 + 1e-9);
  }
}

TEST_CASE("gradients are no longer than 1, and 1 where the distance is exact") {
  for (const auto& [name, shape] : all_trees()) {
    CAPTURE(name);
    const SdfPtr sdf = make_sdf(shape, 0.1);
    double longest = 0;
    for (const Vec3& x : points_around(box_around(*sdf), 300))
      longest = std::max(longest, gradient(*sdf, x, 1e-6).norm());
    CHECK(longest <= 1 + 1e-6);  // round-off of differences over 1e-6 m
  }
  const SdfPtr ellipsoid = make_sdf(shape_of(EllipsoidShape{}), 0.1);
  for (const Vec3& x : points_around(box_around(*ellipsoid), 100))
    CHECK(gradient(*ellipsoid, x, 1e-6).norm() == about(1, 1e-5));
}

TEST_CASE("exact distances agree with those to a fine mesh") {
  const std::vector<std::string> exact = {"box",        "sphere",         "ellipsoid",
                                          "cylinder",   "capsule",        "cone",
                                          "frustum",    "torus",          "wedge",
                                          "plate",      "rounded box",    "box rounded to a pill",
                                          "chain link", "cone on its tip"};
  for (const ShapeCase& c : all_shapes()) {
    if (std::find(exact.begin(), exact.end(), c.name) == exact.end()) continue;
    CAPTURE(c.name);
    const SdfPtr sdf = make_sdf(shape_of(c.kind), 0.1);
    const MeshDistance mesh(build_mesh(shape_of(c.kind), {.resolution = 0.005}));
    double worst = 0;
    for (const Vec3& x : points_around(box_around(*sdf), 300))
      worst = std::max(worst, std::abs((*sdf)(x)-mesh.signed_distance(x)));
    CHECK(worst < 5e-4);  // sagitta of the facets: 1 % of the resolution or 64 to the circle
  }
}

TEST_CASE("bounds tell inside from outside but are right in sign everywhere") {
  for (const ShapeCase& c : all_shapes()) {
    CAPTURE(c.name);
    const SdfPtr sdf = make_sdf(shape_of(c.kind), c.resolution);
    const MeshDistance mesh(build_mesh(shape_of(c.kind), {.resolution = c.resolution}));
    for (const Vec3& x : points_around(box_around(*sdf), 400)) {
      const double d = (*sdf)(x), true_distance = mesh.signed_distance(x);
      if (std::abs(true_distance) < 0.2 * c.resolution) continue;  // facets are not the surface
      CHECK((d < 0) == (true_distance < 0));
      CHECK(std::abs(d) <= std::abs(true_distance) + 0.2 * c.resolution);
    }
  }
}

TEST_CASE("the distance to an ellipsoid is right on its axes and at its centre") {
  const SdfPtr sdf = make_sdf(shape_of(EllipsoidShape{{0.5, 0.3, 0.4}}), 0.1);
  CHECK((*sdf)(Vec3::Zero()) == doctest::Approx(-0.3));
  CHECK((*sdf)({2, 0, 0}) == doctest::Approx(1.5));
  CHECK((*sdf)({0, -1, 0}) == doctest::Approx(0.7));
  CHECK((*sdf)({0, 0, 0.4}) == doctest::Approx(0));
  CHECK((*sdf)({0, 0.2, 0}) == doctest::Approx(-0.1));
  // Beyond the evolute's cusp the tip is nearest: 0.5 - 0.3^2 / 0.5 = 0.32 m from the centre.
  CHECK((*sdf)({0.4, 0, 0}) == doctest::Approx(-0.1));
}

TEST_CASE("operations on sets are minima, maxima and signs") {
  const SdfPtr a = make_sdf(shape_of(BoxShape{}), 0.1);
  const SdfPtr b = make_sdf(shape_of(SphereShape{0.6}, {0.2, 0, 0}), 0.1);
  const SdfPtr blend = blend_of({a, b}, 0.2);
  for (const Vec3& x : points_around({Vec3::Constant(-1), Vec3::Constant(1)}, 200)) {
    const double da = (*a)(x), db = (*b)(x);
    CHECK((*union_of({a, b}))(x) == doctest::Approx(std::min(da, db)));
    CHECK((*intersection_of({a, b}))(x) == std::max(da, db));
    CHECK((*complement(a))(x) == -da);
    CHECK((*blend)(x) <= std::min(da, db) + 1e-15);
    CHECK((*blend)(x) >= std::min(da, db) - 0.05 - 1e-15);  // radius / 4
    if (std::abs(da - db) > 0.2) CHECK((*blend)(x) == std::min(da, db));
  }
}

TEST_CASE("surface bounds hold the surface of unbounded solids too") {
  Shape room = shape_of(BoxShape{{2, 3, 4}}, {1, 0, 0});
  room.inside_out = true;
  const SdfPtr sdf = make_sdf(shape_of(UnionShape{{room, shape_of(SphereShape{})}}), 0.1);
  CHECK(surface_bounds(*sdf).lo == Vec3(0, -1.5, -2));
  CHECK(surface_bounds(*sdf).hi == Vec3(2, 1.5, 2));
  CHECK_FALSE(solid_bounds(*sdf).hi.allFinite());
}
