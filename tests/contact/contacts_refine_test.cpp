// Contacts where a body's surface comes out of the balls of its samples: curved bodies and edges
// meet others at their true place.

#include "contact_world.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

struct Deepest {
  double gap = std::numeric_limits<double>::infinity();
  Vec3 point, normal;
};

Deepest deepest(const Contacts& c) {
  Deepest d;
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c.gap[i] < d.gap) d = {c.gap[i], c.normal_point[i], (c.a[i] == 1 ? 1 : -1) * c.normal[i]};
  return d;
}

/// Body 1 against the ground, its lowest point `gap` above it.
Deepest deepest_on_ground(ContactWorld& w, const Quat& q, const Vec3& aside, double lowest,
                          double gap) {
  w.s.bodies.q[1] = q;
  w.s.bodies.x[1] = aside + Vec3(0, lowest + gap, 0);
  return deepest(w.find(distance(0.2 * h)));
}

}  // namespace

TEST_CASE("a ball meets a plane below its centre, however it is turned and placed") {
  const double R = 0.15;
  ContactWorld w({ground(), body(SphereShape{R}, Vec3(0, R, 0))});
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int k = 0; k < 60; ++k) {
    const Vec3 aside(0.1 * u(random), 0, 0.1 * u(random));
    const Quat q = turned(180 * u(random), Vec3(u(random), u(random), u(random)));
    const double gap = 0.1 * h * u(random);
    const Deepest d = deepest_on_ground(w, q, aside, R, gap);
    // Three throws bring a sample's foot, at most 0.75 h from the pole, to within 0.003 h of it.
    CHECK(std::abs(d.gap - gap) < 1e-5 * h);
    CHECK((d.normal - Vec3::UnitY()).norm() < rounding);
    CHECK((d.point - aside).head<3>().cwiseProduct(Vec3(1, 0, 1)).norm() < 0.01 * h);
  }
}

TEST_CASE("a ball rolls over a plane without bumps") {
  const double R = 0.15;
  ContactWorld w({ground(), body(SphereShape{R}, Vec3(0, R, 0))});
  for (int k = 0; k < 100; ++k) {
    const double x = 0.002 * k;
    const Deepest d =
        deepest_on_ground(w, Quat(Eigen::AngleAxisd(-x / R, Vec3::UnitZ())), Vec3(x, 0, 0), R, 0);
    CHECK(std::abs(d.gap) < 1e-5 * h);
  }
}

TEST_CASE("balls touch at the true distance of their surfaces") {
  const double R = 0.1, r = 0.06;
  ContactWorld w({body(SphereShape{R}, Vec3(0, 0, 0)), body(SphereShape{r}, Vec3(0, R + r, 0))});
  std::mt19937 random(11);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int k = 0; k < 40; ++k) {
    const Vec3 to = Vec3(u(random), u(random), u(random)).normalized();
    const double gap = 0.1 * h * u(random);
    w.s.bodies.x[1] = (R + r + gap) * to;
    w.s.bodies.q[1] = turned(180 * u(random), Vec3(u(random), 1, u(random)));
    const Deepest d = deepest(w.find(distance(0.2 * h)));
    // Throws take a point to within 0.1 of its first 0.75 h from the line between the centres:
    // (0.08 h)^2 (1/R + 1/r) / 2 = 0.002 h.
    CHECK(std::abs(d.gap - gap) < 0.002 * h);
    CHECK((d.normal - to).norm() < 0.1);
  }
}

TEST_CASE("a lying cylinder, a cone's and a capsule's side meet a plane along their true line") {
  const double R = 0.12, pi = std::numbers::pi;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> u(-1, 1);
  ContactWorld cylinder({ground(), body(CylinderShape{R, 0.25}, Vec3(0, R, 0))});
  ContactWorld capsule({ground(), body(CapsuleShape{R, 0.4}, Vec3(0, R, 0))});
  for (int k = 0; k < 30; ++k) {
    const Quat lying = turned(90, Vec3::UnitX()) * turned(180 * u(random), Vec3::UnitY());
    const Quat q = turned(180 * u(random), Vec3::UnitY()) * lying;
    const Vec3 aside(0.1 * u(random), 0, 0.1 * u(random));
    const double gap = 0.1 * h * u(random);
    CHECK(std::abs(deepest_on_ground(cylinder, q, aside, R, gap).gap - gap) < 1e-5 * h);
    CHECK(std::abs(deepest_on_ground(capsule, q, aside, R, gap).gap - gap) < 1e-5 * h);
  }
  // A cone of 45 degrees on its side, its centre of mass a quarter of the height above the base.
  ContactWorld cone({ground(), body(ConeShape{0.2, 0.2}, Vec3(0, 0.3, 0))});
  const double lowest = 0.75 * 0.2 * std::sin(pi / 4);
  for (int k = 0; k < 30; ++k) {
    const Quat q = turned(-135, Vec3::UnitZ()) * turned(180 * u(random), Vec3::UnitY());
    const double gap = 0.1 * h * u(random);
    // Its mesh has its centre of mass a little higher than the cone itself.
    CHECK(std::abs(deepest_on_ground(cone, q, Vec3(0, 0, 0), lowest, gap).gap - gap) < 0.01 * h);
  }
}

// A link lying flat, standing on its side, and on its end.
TEST_CASE("a chain link meets a plane with its round wire, straight parts and bends") {
  const double length = 0.3, width = 0.18, wire = 0.03;
  ContactWorld w({ground(), body(ChainLinkShape{length, width, wire}, Vec3(0, 0.3, 0))});
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int k = 0; k < 30; ++k) {
    const double gap = 0.1 * h * u(random);
    const Vec3 aside(0.1 * u(random), 0, 0.1 * u(random));
    const Quat spun = turned(180 * u(random), Vec3::UnitY());
    const Quat side = spun * turned(90, Vec3::UnitX()), end = spun * turned(90, Vec3::UnitZ());
    CHECK(std::abs(deepest_on_ground(w, spun, aside, wire, gap).gap - gap) < 1e-5 * h);
    CHECK(std::abs(deepest_on_ground(w, side, aside, 0.5 * width, gap).gap - gap) < 1e-5 * h);
    CHECK(std::abs(deepest_on_ground(w, end, aside, 0.5 * length, gap).gap - gap) < 1e-5 * h);
  }
}

TEST_CASE("a box stands on its edge or corner at the true place") {
  const Vec3 half(0.1, 0.05, 0.08);
  ContactWorld w({ground(), body(BoxShape{2 * half}, Vec3(0, 0.05, 0))});
  for (const double tilt : {0.5, 2.0, 10.0, 30.0, 45.0, 60.0})
    for (const Vec3& axis : {Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(1, 0.3, 0.7)})
      for (const double gap : {-0.1 * h, 0.0, 0.1 * h}) {
        const Quat q = turned(tilt, axis);
        const double lowest = (q.toRotationMatrix().cwiseAbs() * half).y();
        const Deepest d = deepest_on_ground(w, q, Vec3(0.003, 0, 0.007), lowest, gap);
        CAPTURE(tilt);
        CAPTURE(axis.transpose());
        CHECK(std::abs(d.gap - gap) < 1e-3 * h);
        CHECK((d.normal - Vec3::UnitY()).norm() < rounding);
      }
}

TEST_CASE("an edge that comes nearer is seen before it touches") {
  const double side = 0.1, half = side / std::numbers::sqrt2;
  ContactWorld w({ground(), body(BoxShape{Vec3(side, side, side)}, Vec3(0, half, 0))});
  const Quat q = turned(45, Vec3::UnitZ());
  for (const double gap : {-0.05 * h, 0.05 * h, 0.19 * h})
    CHECK(std::abs(deepest_on_ground(w, q, Vec3::Zero(), half, gap).gap - gap) < 1e-3 * h);
  CHECK(deepest_on_ground(w, q, Vec3::Zero(), half, 0.21 * h).gap > 0.2 * h);
}

TEST_CASE("the deepest gap is a continuous function of the tilt of a box") {
  const Vec3 half(0.1, 0.05, 0.08);
  ContactWorld w({ground(), body(BoxShape{2 * half}, Vec3(0, 0.05, 0))});
  const double step = 0.01;  // [deg]
  for (const double from : {0.0, 0.3, 3.0, 3.5, 10.0, 44.5}) {
    double last = 0;
    for (int k = 0; k < 60; ++k) {
      const Quat q = turned(from + k * step, Vec3(0.4, 0, 1));
      const double lowest = (q.toRotationMatrix().cwiseAbs() * half).y();
      const double gap = deepest_on_ground(w, q, Vec3::Zero(), lowest, 0).gap;
      // What edge and foot differ by while the foot of a sample is on its way to the edge.
      CHECK(std::abs(gap) < 2e-3 * h);
      if (k > 0) CHECK(std::abs(gap - last) < 2e-4 * h);
      last = gap;
    }
  }
}

TEST_CASE("in two dimensions discs roll and edges are sharp") {
  BodySpec floor = body(BoxShape{Vec3(0.8, 0.1, 1)}, Vec3(0, -0.05, 0), BodyKind::fixed);
  const double R = 0.12, side = 0.1;
  ContactWorld disc({floor, body(SphereShape{R}, Vec3(0, R, 0))}, 2);
  ContactWorld box({floor, body(BoxShape{Vec3(side, side, 1)}, Vec3(0, side, 0))}, 2);
  for (const double angle : {0.0, 1.3, 10.0, 30.0, 45.0, 77.0}) {
    const Quat q = turned(angle, Vec3::UnitZ());
    CHECK(std::abs(deepest_on_ground(disc, q, Vec3(0.004, 0, 0), R, 0.001).gap - 0.001) < 1e-5 * h);
    const double lowest = 0.5 * side * (q.toRotationMatrix().cwiseAbs() * Vec3(1, 1, 0)).y();
    const Deepest d = deepest_on_ground(box, q, Vec3(0.004, 0, 0), lowest, 0.001);
    CHECK(std::abs(d.gap - 0.001) < 1e-3 * h);
    CHECK(d.point.z() == 0);
  }
}

TEST_CASE("a plank that slides over an edge of another body is not held by it") {
  // Tilted and flat, the plank rests on the edge of the block: all normals are at right angles to
  // the plank or to the block, none along the plank.
  ContactWorld w({body(BoxShape{Vec3(0.2, 0.2, 0.2)}, Vec3(0, -0.1, 0), BodyKind::fixed),
                  body(BoxShape{Vec3(0.4, 0.04, 0.1)}, Vec3(0, 0, 0))});
  for (const double tilt : {1.0, 3.0, 8.0, 20.0}) {
    const Quat q = turned(-tilt, Vec3::UnitZ());  // its end sinks along +x
    w.s.bodies.q[1] = q;
    for (int k = 0; k < 20; ++k) {
      const Vec3 edge(0.1, 0, 0);
      w.s.bodies.x[1] = edge + q * Vec3(0.001 * k - 0.05, 0.02, 0);
      const Contacts& c = w.find(distance(0.02 * h));
      REQUIRE(c.size() > 0);
      for (std::size_t i = 0; i < c.size(); ++i)
        CHECK(std::abs(c.normal[i].dot(q * Vec3::UnitX())) < std::sin(0.35 + tilt * 0.01745));
    }
  }
}

namespace {

/// A drop with an ear, no wider than 3 h: no closed form, and all of it near the size of h.
Shape small_odd_body() {
  const Shape drop{.kind = SphereShape{0.8 * h}};
  const Shape ear{.kind = CylinderShape{0.3 * h, 2.4 * h}, .at = Vec3(0.4 * h, 0.5 * h, 0)};
  return {.kind = UnionShape{{drop, ear}}};
}

/// [h] root mean square of the errors of the deepest gap to the ground, over poses.
double gap_error(const std::optional<double>& resolution) {
  BodySpec odd = body(small_odd_body().kind, Vec3(0, 0.1, 0));
  odd.resolution = resolution;
  ContactWorld w({ground(), odd});
  BodySpec true_one = odd;
  true_one.resolution = h / 24;
  const World fine = build_world(ContactWorld::scene({ground(), true_one}, 3));
  const std::vector<Vec3>& surface = fine.solids.shapes[fine.solids.shape_of[1]].mesh.vertices;
  const Vec3 shift = w.m.solids.shapes[w.m.solids.shape_of[1]].shape_origin -
                     fine.solids.shapes[fine.solids.shape_of[1]].shape_origin;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  double sum_sq = 0;
  const int poses = 60;
  for (int k = 0; k < poses; ++k) {
    const Quat q = turned(180 * u(random), Vec3(u(random), u(random), u(random)));
    double lowest = 0;
    for (const Vec3& x : surface) lowest = std::max(lowest, -(q * (x + shift)).y());
    const double error = deepest_on_ground(w, q, Vec3(0, 0, 0), lowest, 0.02 * h).gap - 0.02 * h;
    sum_sq += error * error;
  }
  return std::sqrt(sum_sq / poses) / h;
}

}  // namespace

TEST_CASE("a small body with a resolution of its own meets others where its surface is") {
  const double with_spacing = gap_error({}), fine = gap_error(h / 4);
  MESSAGE("gap error [h] " << with_spacing << " " << fine);
  CHECK(fine < 0.003);
  CHECK(fine < 0.3 * with_spacing);
}

TEST_CASE("samples of a body are as far apart as its resolution, those of others as the spacing") {
  const Shape::Variant box = BoxShape{Vec3(4 * h, 4 * h, 4 * h)};
  BodySpec fine = body(box, Vec3(1, 0, 0));
  fine.resolution = h / 4;
  for (const int dimensions : {2, 3}) {
    ContactWorld w({body(box, Vec3(0, 0, 0)), fine}, dimensions);
    REQUIRE(w.m.solids.shapes.size() == 2);  // the same shape, but not the same samples
    const auto deep = [&](std::size_t i) {
      const auto [lo, hi] = std::minmax_element(w.samples.radius.begin() + w.samples.first[i],
                                                w.samples.radius.begin() + w.samples.first[i + 1]);
      return Vec2(*lo, *hi);
    };
    CHECK(deep(0).isApprox(Vec2(0.5 * h, 0.5 * h), 1e-6));
    CHECK(deep(1).isApprox(Vec2(0.125 * h, 0.125 * h), 1e-6));
    const auto count = [&](std::size_t i) { return w.samples.first[i + 1] - w.samples.first[i]; };
    const double finer = dimensions == 2 ? 4 : 16;  // inset by half a resolution: 3.75 for 3 h
    CHECK(count(1) > finer * count(0));
    CHECK(count(1) < 1.7 * finer * count(0));
    CHECK(w.m.finest == h / 4);
  }
}
