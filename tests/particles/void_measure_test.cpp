#include "particles/void_measure.h"

#include "about.h"
#include "particles/step_parts.h"
#include "small_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hydrolith;
using namespace hydrolith::particles;
using test::SmallRun;

namespace {

constexpr double h = 0.05;

/// A tank of 24 spacings, filled to 16 of them, with one body in it.
std::string tank(int dimensions, const std::string& body, double settle = 0) {
  const auto box = [&](double w, double y) {
    return dimensions == 2 ? fmt::format("[{}, {}]", w, y) : fmt::format("[{}, {}, {}]", w, y, w);
  };
  return fmt::format(R"(
name: tank
dimensions: {}
spacing: {}
duration: 1
time_step: 2 ms
solver: {{volumes: kernel}}
settle: {}
liquids:
  - {{name: water, viscosity: 0.5, shape: {{box: {}, at: [0, 0.4, 0]}}}}
bodies:
  - {{name: tank, kind: static, shape: {{box: {}, inside_out: true}}, at: [0, 0.75, 0]}}
  - {{name: body, {}}}
)",
                     dimensions, h, settle, box(1.2, 0.8), box(1.2, 1.5), body);
}

VoidReport measured(SmallRun& r) {
  find_neighbours(r.m, r.s, r.w);
  return r.w.voids.measure(r.m, r.s.bodies, r.w.samples, r.w.search);
}

/// Takes the liquid away for which `gone(x)` is true.
template <class F>
void remove_liquid(State& s, F&& gone) {
  for (std::size_t i = s.particles(); i-- > 0;)
    if (gone(s.x[i])) {
      const auto drop = [i](auto& column) { column.erase(column.begin() + i); };
      drop(s.x), drop(s.v), drop(s.volume), drop(s.pressure), drop(s.id), drop(s.liquid);
    }
}

const std::string sunk = "shape: {sphere: 0.2}, density: 1000, at: [0, 0.4, 0]";

}  // namespace

TEST_CASE("around a submerged body at rest nothing is missing") {
  for (int d : {2, 3}) {
    CAPTURE(d);
    SmallRun r(tank(d, sunk));
    CHECK(measured(r).fraction == 0);  // packed liquid has no hole of one spacing
    r.advance(50, 0.002, [](const StepReport& report) {
      CHECK(report.void_fraction < 0.02);  // a sample or two while the liquid finds its place
    });
  }
}

TEST_CASE("bodies that float at their draught miss nothing, whatever the slope of their sides") {
  // A ball of density 200 and a box on its corner overhang the water: the wedge is no void.
  const char* bodies[] = {"shape: {sphere: 0.25}, density: 200, at: [0, 0.92, 0]",
                          "shape: {sphere: 0.25}, density: 500, at: [0, 0.8, 0]",
                          "shape: {box: [0.4, 0.4, 0.4]}, density: 500, at: [0, 0.8, 0]",
                          "shape: {box: [0.4, 0.4, 0.4]}, density: 300, at: [0, 0.9, 0], rotate: "
                          "{axis: [0, 0, 1], angle: 40}"};
  for (int d : {2, 3})
    for (const char* body : bodies) {
      CAPTURE(d);
      CAPTURE(body);
      SmallRun r(tank(d, body, 0.2));
      double sum = 0;
      r.advance(50, 0.002, [&](const StepReport& report) { sum += report.void_fraction; });
      CHECK(sum / 50 < 0.02);
    }
}

TEST_CASE("a body in the air misses nothing, not even just above the water") {
  for (int d : {2, 3})
    for (double above : {0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.6}) {
      CAPTURE(d);
      CAPTURE(above);
      SmallRun r(tank(
          d, fmt::format("shape: {{box: [0.4, 0.2, 0.4]}}, at: [0, {}, 0]", 0.8 + 0.1 + above)));
      CHECK(measured(r).volume == 0);
    }
}

TEST_CASE("where the liquid around a submerged body was taken away, all of it is missing") {
  for (int d : {2, 3})
    for (double gap : {2.5, 4.0}) {
      CAPTURE(d);
      CAPTURE(gap);
      SmallRun r(tank(d, sunk));
      remove_liquid(r.s,
                    [&](const Vec3& x) { return (x - Vec3(0, 0.4, 0)).norm() < 0.2 + gap * h; });
      const VoidReport v = measured(r);
      CHECK(v.fraction == 1);
      if (gap > 2.5) continue;  // there the floor is in the way of the lower samples
      // 2 h times the surface through the samples, half a spacing inside; even to 10 %.
      const double R = 0.2 - h / 2, pi = 3.14159265;
      CHECK(v.volume == about(2 * h * (d == 2 ? 2 * pi * R : 4 * pi * R * R), 0.1));
    }
}

TEST_CASE("a gap beside a floating box counts up to the water level, one below it as well") {
  for (int d : {2, 3}) {
    CAPTURE(d);
    SmallRun r(tank(d, "shape: {box: [0.4, 0.4, 0.4]}, density: 500, at: [0, 0.8, 0]"));
    // 2.5 spacings on the right side, under water: 0.2 of 0.4 m high.
    remove_liquid(r.s, [](const Vec3& x) {
      return x.x() > 0.2 && x.x() < 0.2 + 2.5 * h && x.y() > 0.6 && std::abs(x.z()) < 0.2;
    });
    const VoidReport side = measured(r);
    // Half a side of a square is 1 part in 4 of the wet outline; of a box 1 in 6 of the surface.
    CHECK(side.fraction == about(d == 2 ? 0.25 : 1 / 6.0, 0.4));  // edges belong to either side
    remove_liquid(r.s, [](const Vec3& x) {
      return x.y() < 0.6 && x.y() > 0.6 - 2.5 * h && std::abs(x.x()) < 0.2 && std::abs(x.z()) < 0.2;
    });
    // 3/4 and 1/2 but for samples at the edges, which look past the hollow.
    CHECK(measured(r).fraction == about(d == 2 ? 0.75 : 0.5, 0.3));
  }
}

TEST_CASE("a wall in the way is no liquid: a box near the floor, liquid below the floor") {
  SmallRun r(R"(
name: shelf
dimensions: 2
spacing: 0.05
duration: 1
time_step: 2 ms
liquids:
  - {name: water, shape: {box: [1.2, 0.4], at: [0, -0.25]}}
bodies:
  - {name: tank, kind: static, shape: {box: [1.2, 2], inside_out: true}, at: [0, 0.5]}
  - {name: shelf, kind: static, shape: {box: [1.2, 0.1]}, at: [0, 0]}
  - {name: box, shape: {box: [0.4, 0.4]}, at: [0, 0.26]}
)");
  CHECK(measured(r).volume == 0);
}
