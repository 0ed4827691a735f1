#include "geometry/build_mesh.h"

#include "hydrolith/error.h"

#include "about.h"
#include "geometry/sdf.h"
#include "geometry/section.h"
#include "shape_cases.h"

using namespace hydrolith;
using namespace hydrolith::test;
using std::numbers::pi;

namespace {

const Quat tilted(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));

TriangleMesh mesh_of(const ShapeCase& c) {
  return build_mesh(shape_of(c.kind), {.resolution = c.resolution});
}

std::string error_of(Shape::Variant kind) {
  try {
    build_mesh(shape_of(std::move(kind)), {.resolution = 0.05});
  } catch (const MeshError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every shape is a closed solid without degenerate triangles") {
  for (const ShapeCase& c : all_shapes()) {
    CAPTURE(c.name);
    const TriangleMesh mesh = mesh_of(c);
    REQUIRE(is_closed(mesh));
    CHECK(volume_of(mesh) > 0);
    // Far above round-off, far below any triangle that is meant.
    CHECK(smallest_triangle(mesh) > 1e-9 * c.resolution * c.resolution);
    CHECK(mesh.triangles.size() < 500000);
  }
}

TEST_CASE("volume and area of shapes with a formula are right within 0.5 %") {
  for (const ShapeCase& c : all_shapes()) {
    if (c.volume == 0) continue;
    CAPTURE(c.name);
    const TriangleMesh mesh = mesh_of(c);
    CHECK(volume_of(mesh) == about(c.volume, 0.005));
    if (c.area > 0) CHECK(area(mesh) == about(c.area, 0.005));
  }
}

TEST_CASE("facets follow the resolution and stop at a sensible number") {
  for (const double resolution : {1.0, 0.05, 1e-6}) {
    const auto count =
        build_mesh(shape_of(SphereShape{1}), {.resolution = resolution}).triangles.size();
    CHECK(count >= 3000);
    CHECK(count <= 500000);
  }
  CHECK(build_mesh(shape_of(TorusShape{}), {.resolution = 1e-6}).triangles.size() <= 500000);
}

TEST_CASE("placement scales, turns and moves a shape, and turns it inside out") {
  for (const ShapeCase& c : all_shapes()) {
    CAPTURE(c.name);
    const double v = volume_of(mesh_of(c));
    Shape shape = shape_of(c.kind, {1, -2, 3}, tilted);
    shape.scale = {1.5, 0.8, 1.2};
    const MeshingOptions options{.resolution = c.resolution};
    const TriangleMesh mesh = build_mesh(shape, options);
    REQUIRE(is_closed(mesh));
    // Facets are affine images; contours are made anew at the scaled size, hence within 1 %.
    CHECK(volume_of(mesh) == about(1.44 * v, 0.01));
    shape.inside_out = true;
    CHECK(volume_of(build_mesh(shape, options)) == doctest::Approx(-volume_of(mesh)));
    shape.inside_out = false;
    shape.scale.x() = -1.5;
    CHECK(volume_of(build_mesh(shape, options)) == about(1.44 * v, 0.01));
  }
}

TEST_CASE("the same shape in another pose has the same mesh") {
  for (const ShapeCase& c : all_shapes()) {
    CAPTURE(c.name);
    TriangleMesh here = mesh_of(c);
    const TriangleMesh there =
        build_mesh(shape_of(c.kind, {0.3, 1, 2}, tilted), {.resolution = c.resolution});
    transform(here, {{0.3, 1, 2}, tilted});
    REQUIRE(here.triangles == there.triangles);
    double worst = 0;
    for (std::size_t i = 0; i < here.vertices.size(); ++i)
      worst = std::max(worst, (here.vertices[i] - there.vertices[i]).norm());
    CHECK(worst < 1e-14 * 10);  // round-off of one rotation
  }
}

TEST_CASE("bounds of a shape are those of its mesh, placed or not") {
  for (const ShapeCase& c : all_shapes())
    for (const Quat& rotate : {Quat::Identity(), tilted}) {
      CAPTURE(c.name);
      const Shape shape = shape_of(c.kind, {1, 2, 3}, rotate);
      const Box3 mesh = bounds(build_mesh(shape, {.resolution = c.resolution})),
                 box = bounds(shape);
      const double size = mesh.size().maxCoeff();
      // Facets stay inside by their sagitta, compositions within cells of 1/128 of a looser box;
      // the cut corners of a tilted nut are not counted.
      CHECK((mesh.lo - box.lo).minCoeff() > -1e-3 * size);
      CHECK((box.hi - mesh.hi).minCoeff() > -1e-3 * size);
      CHECK((mesh.lo - box.lo).maxCoeff() < 0.05 * size);
      CHECK((box.hi - mesh.hi).maxCoeff() < 0.05 * size);
    }
}

TEST_CASE("bounds are infinite where a shape is") {
  const Box3 half = bounds(shape_of(HalfSpaceShape{}));
  CHECK(half.hi.y() == 0);
  CHECK(half.lo.y() == -std::numeric_limits<double>::infinity());
  CHECK(half.hi.x() == std::numeric_limits<double>::infinity());
  Shape container = shape_of(BoxShape{});
  container.inside_out = true;
  CHECK(bounds(container).hi.x() == std::numeric_limits<double>::infinity());
}

TEST_CASE("vertices lie on the zero set of the signed distance") {
  for (const ShapeCase& c : all_shapes()) {
    CAPTURE(c.name);
    const SdfPtr sdf = make_sdf(shape_of(c.kind), c.resolution);
    double worst = 0;
    std::size_t off = 0;
    const TriangleMesh mesh = mesh_of(c);
    for (const Vec3& x : mesh.vertices) {
      const double d = std::abs((*sdf)(x));
      worst = std::max(worst, d);
      off += d > 1e-6 * c.resolution;
    }
    if (c.contoured) {
      // Vertices of sharp edges outside their cell keep back by up to 0.008 cells, and a few cells
      // at creases hold more than one feature and settle for a point between them.
      CHECK(off < 0.03 * double(mesh.vertices.size()));
      CHECK(worst < 0.02 * c.resolution);
    } else {
      CHECK(worst < 1e-14);
    }
  }
}

TEST_CASE("every shape has a clean section at z = 0") {
  for (const ShapeCase& c : all_shapes()) {
    CAPTURE(c.name);
    const SectionProperties section = section_properties(cut_at_z0(mesh_of(c)));
    CHECK(section.area > 0);
  }
  const auto area_at_z0 = [](Shape::Variant kind) {
    return section_properties(
               cut_at_z0(build_mesh(shape_of(std::move(kind)), {.resolution = 0.02})))
        .area;
  };
  CHECK(area_at_z0(SphereShape{0.5}) == about(pi / 4, 0.005));
  CHECK(area_at_z0(CylinderShape{}) == about(1, 0.005));
  CHECK(area_at_z0(TorusShape{}) == about(2 * pi * 0.0225, 0.005));
  CHECK(area_at_z0(WedgeShape{}) == doctest::Approx(0.5));
}

TEST_CASE("a half space is the part of the clip box on its side") {
  const Box3 clip{Vec3(-1, -2, -3), Vec3(1, 2, 3)};  // volume 48
  Shape half = shape_of(HalfSpaceShape{});
  const auto volume = [&] {
    const TriangleMesh mesh = build_mesh(half, {.resolution = 0.1, .clip = clip});
    REQUIRE(is_closed(mesh));
    return volume_of(mesh);
  };
  CHECK(volume() == doctest::Approx(24));
  half.at = {0, 1, 0};
  CHECK(volume() == doctest::Approx(36));
  half.inside_out = true;
  CHECK(volume() == doctest::Approx(12));
  half = shape_of(HalfSpaceShape{{1, 1, 1}});
  CHECK(volume() == doctest::Approx(24));
  half = shape_of(HalfSpaceShape{{1, 2, 3}}, {1, 0, 0}, tilted);
  const double one_side = volume();
  half.inside_out = true;
  CHECK(one_side + volume() == doctest::Approx(48));
  half = shape_of(HalfSpaceShape{}, {0, 2, 0});  // the plane of a face
  CHECK(volume() == doctest::Approx(48));
  half = shape_of(HalfSpaceShape{{1, 0.5, 0}}, {1, 2, 0});  // through an edge, nothing beyond
  CHECK(volume() == doctest::Approx(48));
  half = shape_of(HalfSpaceShape{}, {0, -2, 0});
  CHECK_THROWS_AS(build_mesh(half, {.clip = clip}), MeshError);
}

TEST_CASE("shapes that cannot be say why") {
  CHECK(contains(error_of(BoxShape{{1, 0, 1}}), "box: size must be positive"));
  CHECK(contains(error_of(SphereShape{-1}), "sphere: radius must be positive"));
  CHECK(contains(error_of(CapsuleShape{1, 1}), "includes both caps"));
  CHECK(contains(error_of(ConeShape{0, 1, 0}), "not both zero"));
  CHECK(contains(error_of(TorusShape{0.1, 0.2}), "the hole closes"));
  CHECK(contains(error_of(RoundedBoxShape{{1, 1, 0.1}, 0.2}), "half the smallest edge, 0.05 m"));
  CHECK(contains(error_of(HalfSpaceShape{Vec3::Zero()}), "normal must not be zero"));
  CHECK(contains(error_of(ChainLinkShape{0.1, 0.2, 0.02}), "length 0.1 m must not be less"));
  CHECK(contains(error_of(ChainLinkShape{0.3, 0.1, 0.03}), "next link does not fit"));
  CHECK(contains(error_of(GearShape{.bore = 0.45}), "root radius"));
  CHECK(contains(error_of(GearShape{.teeth = 16, .tooth_height = 0.3}), "come to a point"));
  CHECK(contains(error_of(BoltShape{.pitch = 0.06}), "too coarse"));
  CHECK(contains(error_of(NutShape{.clearance = 0.005}), "a tenth of the pitch"));
  CHECK(contains(error_of(TextShape{"A#B"}), "no '#'"));
  CHECK(contains(error_of(TextShape{"  "}), "nothing to show"));
  CHECK(contains(error_of(TetrapodShape{.leg_radius = 0.5}), "the legs merge"));
  CHECK(contains(error_of(UnionShape{}), "union: has no shapes"));
  Shape flat = shape_of(BoxShape{});
  flat.scale = {1, 0, 1};
  CHECK_THROWS_WITH_AS(build_mesh(flat, {}), "scale [1, 0, 1]: no factor may be zero.", MeshError);
}

TEST_CASE("thin walls and plates of compositions are not lost") {
  const auto volume = [](const Shape::Variant& kind) {
    return volume_of(build_mesh(shape_of(kind), {.resolution = 0.05}));
  };
  // Walls and plates of a third or a fifth of the resolution; contours of such walls are right
  // within some per cent.
  const DifferenceShape tube{{shape_of(CylinderShape{0.5, 1}), shape_of(CylinderShape{0.485, 2})}};
  CHECK(volume(tube) == about(pi * (0.25 - 0.485 * 0.485), 0.03));
  const DifferenceShape open_box{
      {shape_of(BoxShape{{1, 1, 1}}), shape_of(BoxShape{{0.97, 1, 0.97}}, {0, 0.015, 0})}};
  CHECK(volume(open_box) == about(1 - 0.97 * 0.97 * 0.985, 0.03));
  const UnionShape fin{{shape_of(BoxShape{{1, 0.01, 1}}), shape_of(SphereShape{0.1})}};
  const double cap = 4.0 / 3 * pi * 1e-3 - pi * (0.01 * 0.01 - 2e-6 / 24);
  CHECK(volume(fin) == about(0.01 + cap, 0.03));
}

TEST_CASE("walls too thin for their size are refused, not lost") {
  const DifferenceShape foil{{shape_of(SphereShape{5}), shape_of(SphereShape{4.9995})}};
  CHECK(contains(error_of(foil), "they would be lost"));
}
