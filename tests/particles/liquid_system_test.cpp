// The pressure operator against its own definition, on liquid that has lost its lattice.

#include "particles/liquid_system.h"

#include "about.h"
#include "small_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <random>

using namespace hydrolith;
using namespace hydrolith::particles;
using hydrolith::about;
using hydrolith::particles::test::SmallRun;

namespace {

constexpr double h = 0.02, dt = 0.001;  // [m], [s]

/// A tank with a heavy and a light body in it; in 2D the same cut at z = 0.
std::string tank(int dimensions, const std::string& more_liquids = "") {
  return fmt::format(R"(
dimensions: {}
spacing: 20 mm
solver: {{volumes: kernel}}
liquids:
  - {{name: water, shape: {{box: [0.24, 0.16, 0.24], at: [0, 0.08, 0]}}}}
{}
bodies:
  - {{name: tank, kind: static, shape: {{box: [0.24, 0.4, 0.24], inside_out: true}}, at: [0, 0.2, 0]}}
  - {{name: stone, density: 2500, shape: {{box: [0.06, 0.06, 0.06]}}, at: [-0.06, 0.06, 0]}}
  - {{name: cork, density: 50, shape: {{box: [0.06, 0.06, 0.06]}}, at: [0.06, 0.1, 0]}}
)",
                     dimensions, more_liquids);
}

struct Assembled : SmallRun {
  LiquidSystem l;

  explicit Assembled(const std::string& yaml, int steps = 20) : SmallRun(yaml) {
    advance(steps, dt);
    w.search.sort_liquid(w.kernel, s);
    place_samples(m, s, w.samples);
    w.search.find(w.kernel, s, w.samples, w.sample_is_static, true, w.near);
    assemble();
  }
  void assemble() {
    assemble_liquid(m, s, w.samples, w.near, true, dt, l);
    load_velocities(s, {.share = 0.2, .speed = 0.1}, l);
    complete_rest(l, w.solver.a);
  }
  std::vector<float> random(unsigned seed) const {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> number(0, 1);
    std::vector<float> x(l.size());
    for (float& v : x) v = number(engine);
    return x;
  }
  /// A x, with bodies that give way freely if asked.
  std::vector<float> apply(const std::vector<float>& x, bool with_bodies) const {
    std::vector<Float4> a(l.size());
    std::vector<float> out(l.size());
    accelerate(l, x, a);
    diverge(l, a, x, out);
    if (!with_bodies) return out;
    std::vector<Vec6> f(s.bodies.size()), u(s.bodies.size());
    push_bodies(l, x, f);
    for (std::size_t k = 0; k < f.size(); ++k) u[k] = w.system.bodies.accelerate(k, f[k]);
    add_body_motion(l, u, out);
    return out;
  }
};

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

constexpr const char* oil =
    "  - {name: oil, density: 700, shape: {box: [0.24, 0.06, 0.24], at: [0, 0.19, 0]}}";

}  // namespace

// Sums of a thousand floats of rounding 6e-8, thirty of them a row: 1e-6 relative is ten times
// that.
TEST_CASE(
    "the pressure operator is symmetric and positive, with bodies and liquids of two densities") {
  for (const std::string& scene : {tank(3), tank(2), tank(3, oil)}) {
    const Assembled r(scene);
    REQUIRE(r.l.links.size() > 10);
    REQUIRE(r.l.wall_links.size() > 10);
    const std::vector<float> x = r.random(1), y = r.random(2);
    for (bool with_bodies : {false, true}) {
      CAPTURE(with_bodies);
      const double xAy = dot(x, r.apply(y, with_bodies)), yAx = dot(y, r.apply(x, with_bodies));
      CHECK(xAy == about(yAx, 1e-6));
      CHECK(dot(x, r.apply(x, with_bodies)) > 0);
    }
    CHECK(dot(x, r.apply(x, true)) > dot(x, r.apply(x, false)));  // bodies only add compliance
  }
}

TEST_CASE("the liquid's push on bodies is adjoint to what their motion does to the liquid") {
  const Assembled r(tank(3));
  const std::vector<float> x = r.random(3);
  std::vector<Vec6> f(r.s.bodies.size()), u(r.s.bodies.size());
  std::mt19937 engine(4);
  std::uniform_real_distribution<double> number(-1, 1);
  for (Vec6& v : u)
    for (int k = 0; k < 6; ++k) v[k] = number(engine);
  push_bodies(r.l, x, f);
  std::vector<float> C(r.l.size(), 0.0f);
  add_body_motion(r.l, u, C);
  double work = 0;
  for (std::size_t k = 0; k < f.size(); ++k) work += f[k].dot(u[k]);
  CHECK(f[0] == Vec6::Zero());  // walls are pushed elsewhere
  // The links are the same floats on both sides; C is rounded to float once.
  CHECK(work == about(r.l.impulse() * r.l.speed() * dot(x, C), 1e-6));
}

TEST_CASE("the diagonal is what the operator does to one particle alone") {
  for (const std::string& scene : {tank(3), tank(2), tank(3, oil)}) {
    const Assembled r(scene);
    for (std::size_t i = 0; i < r.l.size(); i += 37) {
      std::vector<float> e(r.l.size(), 0.0f);
      e[i] = 1;
      CHECK(r.apply(e, false)[i] == about(r.l.diagonal[i], 1e-5));  // 30 floats
    }
  }
}

TEST_CASE(
    "velocities by pressure are those of the operator, and push walls as much as the liquid") {
  const Assembled r(tank(3));
  const std::vector<float> x = r.random(5);
  std::vector<Float4> a(r.l.size());
  accelerate(r.l, x, a);
  std::vector<Vec3> v(r.l.size(), Vec3::Zero());
  apply_pressure(r.l, x, v);
  std::vector<Vec6> f(r.s.bodies.size(), Vec6::Zero());
  push_bodies(r.l, x, f);
  push_walls(r.l, x, f);
  Vec3 liquid = Vec3::Zero(), bodies = Vec3::Zero();
  for (std::size_t i = 0; i < v.size(); ++i) {
    // The float sum inside accelerate cancels terms of order one: 30 roundings of 6e-8.
    CHECK((v[i] + r.l.speed() * a[i].xyz()).norm() < 1e-5 * r.l.speed());
    liquid += r.l.mass / r.l.mass_ratio[i] * v[i];
  }
  for (const Vec6& wrench : f) bodies += wrench.head<3>();
  CHECK(bodies.norm() > 1e-3 * r.l.impulse());
  // Added in double, one particle after another: a thousand roundings of 1e-16 of the impulse.
  CHECK((liquid + bodies).norm() < 1e-11 * r.l.impulse());
}

TEST_CASE("liquid that moves as a whole with its walls is not compressed") {
  Assembled r(tank(3));
  const Vec3 all(0.3, -0.2, 0.1);
  std::fill(r.s.v.begin(), r.s.v.end(), Vec3::Zero());
  r.assemble();
  const std::vector<float> at_rest = r.l.rest;
  std::fill(r.s.v.begin(), r.s.v.end(), all);
  r.assemble();
  std::vector<float> change(r.l.size());
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = r.l.rest[i] - at_rest[i];
  const double size = all.norm() * dt / h;
  SUBCASE("away from walls whatever they do") {
    std::vector<char> linked(r.l.size());
    for (const auto* links : {&r.l.links, &r.l.wall_links})
      for (const BodyLink& link : *links) linked[link.particle] = 1;
    int inside = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      if (linked[i]) continue;
      ++inside;
      CHECK(std::abs(change[i]) < 1e-5 * size);  // thirty floats that cancel
    }
    CHECK(inside > 50);
  }
  SUBCASE("at bodies that move along") {
    Vec6 u;
    u << all, Vec3::Zero();
    add_body_motion(r.l, std::vector<Vec6>(r.s.bodies.size(), u), change);
    for (const BodyLink& link : r.l.wall_links)
      change[link.particle] += static_cast<float>(dt / h * link.dot(u));
    for (float c : change) CHECK(std::abs(c) < 1e-5 * size);
  }
}

TEST_CASE("liquid that spreads gains room at the rate of its divergence") {
  Assembled r(R"(
spacing: 20 mm
liquids: [{name: water, shape: {box: [0.2, 0.2, 0.2]}}]
)",
              0);
  const double rate = 2;  // [1/s] along each axis
  const std::vector<float> at_rest = r.l.rest;
  for (std::size_t i = 0; i < r.l.size(); ++i) r.s.v[i] = rate * r.s.x[i];
  r.assemble();
  int inside = 0;
  for (std::size_t i = 0; i < r.l.size(); ++i) {
    if (r.s.x[i].cwiseAbs().maxCoeff() > 0.06) continue;  // the kernel is complete
    ++inside;
    // 1/3 of the lattice sum of r |W'| is 1.00 to two per cent, as the sum of W is.
    CHECK(r.l.rest[i] - at_rest[i] == about(3 * rate * dt, 0.03));
  }
  CHECK(inside == 216);
}
