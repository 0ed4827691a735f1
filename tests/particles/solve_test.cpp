// The three solvers on the same systems: one solution, the laws of contact and friction, momentum,
// the same bits for any number of threads.
//
// Compared are velocities. Multipliers of redundant contacts are not unique (a box stands on 25
// samples); nor is, for the same reason, the friction torque of a box that slides and turns at
// once, so no scene here does that.

#include "about.h"
#include "core/parallel.h"
#include "particles/build.h"
#include "particles/step.h"
#include "scene/reader.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>

using namespace hydrolith;
using namespace hydrolith::particles;

namespace {

constexpr double dt = 1e-3;                            // [s]
constexpr double g_dt = 9.81 * dt;                     // [m/s] what gravity adds in a step
constexpr double angle = 10 * std::numbers::pi / 180;  // [rad] of the slope

const std::string column = R"(
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.2, 0.4, 0.2], at: [0, 0.2, 0]}}
bodies:
  - {name: tank, kind: static, shape: {box: [0.2, 0.6, 0.2], inside_out: true}, at: [0, 0.3, 0]}
)";

/// Three boxes on each other on a slope of 10 degrees: tan 10 = 0.176, so they slide at friction
/// 0.1 and stick at 0.3.
std::string slope(double mu) {
  return fmt::format(R"(
spacing: 25 mm
materials:
  stone: {{density: 1000, friction: {}}}
bodies:
  - rotate: {{axis: [0, 0, 1], angle: -10}}
    group:
      - {{name: slope, kind: static, material: stone, shape: {{box: [0.6, 0.1, 0.3]}}, at: [0, -0.05, 0]}}
      - {{name: low, material: stone, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0, 0.05, 0]}}
      - {{name: mid, material: stone, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0.007, 0.15, 0]}}
      - {{name: top, material: stone, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0, 0.25, 0]}}
)",
                     mu);
}

const std::string floating = R"(
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.24, 0.16, 0.24], at: [0, 0.08, 0]}}
bodies:
  - {name: tank, kind: static, shape: {box: [0.24, 0.3, 0.24], inside_out: true}, at: [0, 0.15, 0]}
  - {name: cork, density: 100, shape: {box: [0.12, 0.08, 0.12]}, at: [0.01, 0.16, 0]}
)";

/// Boxes that stand in water on each other, with friction enough to stick.
const std::string standing = R"(
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.24, 0.12, 0.24], at: [0, 0.06, 0]}}
materials:
  stone: {density: 2500, friction: 1}
bodies:
  - {name: tank, kind: static, material: stone, shape: {box: [0.24, 0.3, 0.24], inside_out: true}, at: [0, 0.15, 0]}
  - {name: low, material: stone, shape: {box: [0.08, 0.08, 0.08]}, at: [-0.02, 0.04, 0]}
  - {name: top, material: stone, shape: {box: [0.08, 0.08, 0.08]}, at: [-0.02, 0.12, 0.01]}
)";

/// Nothing is fixed: two boxes meet askew, one of them in a drop.
const std::string free_space = R"(
spacing: 20 mm
gravity: [0, 0, 0]
liquids:
  - {name: water, velocity: [0.5, 0, 0.2], shape: {box: [0.1, 0.1, 0.1], at: [-0.201, 0, 0]}}
bodies:
  - {name: one, friction: 0.4, shape: {box: [0.1, 0.1, 0.1]}, at: [-0.101, 0, 0]}
  - {name: two, friction: 0.4, density: 3000, velocity: [-1, 0.6, 0.1], angular_velocity: [1, 2, 3], shape: {box: [0.1, 0.1, 0.1]}, at: [0, 0.03, 0.01]}
)";

/// The papers' solvers know the kernel's volumes alone.
Scene on_kernel(const std::string& yaml) {
  Scene scene = read_scene_text(yaml, "solve_test.yaml").scene;
  scene.solver.volumes = VolumeMeasure::kernel;
  return scene;
}

/// The system of the last of a few steps, contacts without a guess.
struct Prepared {
  Model m;
  State s;
  Workspace w;

  Prepared(const std::string& yaml, int steps)
      : m(build_model(on_kernel(yaml))), s(initial_state(m)), w(m, s) {
    for (int k = 0; k < steps; ++k) step(m, s, w, dt);
    for (Vec3& impulse : w.system.contacts.impulse) impulse.setZero();
    complete_rest(w.system.liquid, w.solver.a);
  }
  const System& system() const { return w.system; }
};

struct Solved {
  SolveReport report;
  Solution solution;
  std::vector<Vec3> dv;          // [m/s] of the liquid by pressure
  std::vector<NormalTangent> q;  // [m/s] of the contacts
};

Solved solve(const Prepared& p, SolverMethod method, double tolerance, int max_iterations) {
  const SolverOptions options{.method = method,
                              .tolerance = tolerance,
                              .velocity_tolerance = 1e-3,
                              .max_iterations = max_iterations};
  const System& system = p.system();
  SolverWorkspace w;
  Solved r;
  r.solution.x.assign(system.liquid.size(), 0);
  r.report = method == SolverMethod::automatic
                 ? solve_monolith(system, options, p.w.before.x, p.w.before.pressure, w, r.solution)
                 : solve_probst2023(system, options, method == SolverMethod::nncg, w, r.solution);
  r.dv.assign(system.liquid.size(), Vec3::Zero());
  apply_pressure(system.liquid, r.solution.x, r.dv);
  for (std::size_t c = 0; c < system.rows.size(); ++c)
    r.q.push_back(relative_velocity(system.rows, c, r.solution.u));
  return r;
}

constexpr SolverMethod all_methods[] = {SolverMethod::automatic, SolverMethod::nncg,
                                        SolverMethod::jacobi};

std::string name_of(SolverMethod method) {
  return method == SolverMethod::automatic ? "automatic"
         : method == SolverMethod::nncg    ? "nncg"
                                           : "jacobi";
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

/// Of the fastest point of any body.
double largest_difference(const BodyColumns& bodies, const Solution& a, const Solution& b) {
  double largest = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec6 d = a.u[i] - b.u[i];
    largest = std::max(largest, d.head<3>().norm() + bodies.reach[i] * d.tail<3>().norm());
  }
  return largest;
}

/// All solvers, each to the tolerance, end in velocities that differ by less than the two margins.
void check_agreement(const Prepared& p, double tolerance, double liquid_margin,
                     double body_margin) {
  const Solved reference = solve(p, SolverMethod::automatic, tolerance, 20000);
  for (SolverMethod method : all_methods) {
    CAPTURE(name_of(method));
    const Solved other = solve(p, method, tolerance, 20000);
    CAPTURE(other.report.iterations);
    CAPTURE(other.report.residual_mean);
    CHECK(other.report.converged);
    CHECK(largest_difference(reference.dv, other.dv) <= liquid_margin);
    CHECK(largest_difference(p.system().bodies, reference.solution, other.solution) <= body_margin);
  }
}

double along_slope(const Vec6& u) {
  return Vec3(std::cos(angle), -std::sin(angle), 0).dot(u.head<3>());
}

}  // namespace

// A residual of 1e-7 is 2e-6 m/s at one particle or contact (times h / dt = 20 m/s) and 0.0002 g
// dt; columns and stacks sum such errors over tens of layers and contacts. Margins are 0.02 g dt.
TEST_CASE("all solvers find the same velocities in a column of liquid") {
  check_agreement(Prepared(column, 3), 1e-7, 0.02 * g_dt, 0);
}

TEST_CASE("all solvers find the same velocities in a stack that sticks") {
  const Prepared p(slope(0.3), 3);
  REQUIRE(p.system().rows.size() > 0);
  check_agreement(p, 1e-6, 0, 0.02 * g_dt);
}

TEST_CASE("all solvers find the same velocities in a stack that slides") {
  const Prepared p(slope(0.1), 3);
  check_agreement(p, 1e-6, 0, 0.02 * g_dt);
}

TEST_CASE("all solvers find the same velocities of a light floating body") {
  const Prepared p(floating, 3);
  REQUIRE(p.w.solution.push[1].norm() > 1e-3);  // [N s] the water bears it
  check_agreement(p, 1e-7, 0.02 * g_dt, 0.02 * g_dt);
}

TEST_CASE("all solvers find the same velocities of boxes that stand in water") {
  const Prepared p(standing, 2);
  REQUIRE(p.system().liquid.links.size() > 0);
  REQUIRE(p.system().rows.size() > 0);
  check_agreement(p, 1e-6, 0.02 * g_dt, 0.02 * g_dt);
}

TEST_CASE(
    "every solution obeys Signorini and Coulomb: complementarity, cone, maximum dissipation") {
  for (double mu : {0.3, 0.1}) {
    const Prepared p(slope(mu), 3);
    const ContactRows& rows = p.system().rows;
    for (SolverMethod method : all_methods) {
      CAPTURE(mu);
      CAPTURE(name_of(method));
      const Solved r = solve(p, method, 1e-6, 20000);
      const double off = 1e-6 * 25;  // [m/s] largest residual times h / dt
      double sliding = 0;
      for (std::size_t c = 0; c < rows.size(); ++c) {
        const NormalTangent &gamma = r.solution.gamma[c], &q = r.q[c];
        CHECK(gamma.n >= 0);
        CHECK(q.n > -2 * off);
        if (gamma.n > 2 * off * rows.mass[c]) CHECK(q.n < 2 * off);
        CHECK(gamma.t.norm() <= rows.mu[c] * gamma.n * (1 + 1e-12));
        CHECK(std::abs(gamma.t.dot(rows.normal[c])) <= 1e-12 * gamma.n);
        if (q.t.norm() < 20 * off || gamma.n < 20 * off * rows.mass[c]) continue;
        // It slides: friction is at its limit and opposes the motion.
        sliding += gamma.n;
        CHECK(gamma.t.norm() == about(mu * gamma.n, 0.05));
        CHECK(gamma.t.dot(q.t) < -0.99 * gamma.t.norm() * q.t.norm());
      }
      CHECK((sliding > 0) == (mu < std::tan(angle)));
    }
  }
}

TEST_CASE("a stack on a slope sticks, or slides with g (sin - mu cos), by every solver") {
  for (SolverMethod method : all_methods) {
    CAPTURE(name_of(method));
    const Prepared rough(slope(0.3), 3), smooth(slope(0.1), 3);
    const Solved stick = solve(rough, method, 1e-6, 20000),
                 slide = solve(smooth, method, 1e-6, 20000);
    CHECK(std::abs(along_slope(stick.solution.u[1])) < 0.02 * g_dt);
    const double before = along_slope(smooth.system().bodies.start[1]) - std::sin(angle) * g_dt;
    const double gained = (std::sin(angle) - 0.1 * std::cos(angle)) * g_dt;
    CHECK(std::abs(along_slope(slide.solution.u[1]) - before - gained) < 0.02 * g_dt);
  }
}

TEST_CASE("in free space the impulses of contact, friction and pressure cancel to round-off") {
  const Prepared p(free_space, 3);
  const System& system = p.system();
  REQUIRE(system.rows.size() > 0);
  REQUIRE(system.liquid.links.size() > 0);
  for (SolverMethod method : all_methods) {
    CAPTURE(name_of(method));
    const Solved r = solve(p, method, 1e-5, 2000);
    Vec3 contact = Vec3::Zero(), contact_turn = Vec3::Zero(), push = Vec3::Zero(), liquid = push;
    double size = 0;
    for (std::size_t i = 0; i < system.bodies.size(); ++i) {
      const Vec6 gained = system.bodies.mass[i] * (r.solution.u[i] - system.bodies.start[i]);
      const Vec6 by_contact = gained - r.solution.push[i];
      contact += by_contact.head<3>();
      contact_turn += p.w.before.bodies.x[i].cross(by_contact.head<3>()) + by_contact.tail<3>();
      push += r.solution.push[i].head<3>();
      size += by_contact.norm();
    }
    for (std::size_t i = 0; i < r.dv.size(); ++i)
      liquid += system.liquid.mass / system.liquid.mass_ratio[i] * r.dv[i];
    CHECK(size > 0.01);  // [N s] they do hit each other
    CHECK(contact.norm() < 1e-12 * size);
    CHECK(contact_turn.norm() < 1e-12 * size);
    CHECK(push.norm() > 1e-4);
    CHECK((push + liquid).norm() < 1e-12);  // sums of a hundred terms of order 0.01 N s, in double
  }
}

TEST_CASE("every solver gives the same bits with 1, 2 and 7 threads") {
  const auto same = [](const auto& a, const auto& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
  };
  const Prepared p(standing, 2);
  const int before = threads();
  for (SolverMethod method : all_methods) {
    CAPTURE(name_of(method));
    set_threads(1);
    const Solved one = solve(p, method, 1e-6, 100);
    for (int count : {2, 7}) {
      CAPTURE(count);
      set_threads(count);
      const Solved many = solve(p, method, 1e-6, 100);
      CHECK(many.report.iterations == one.report.iterations);
      CHECK(many.report.residual_mean == one.report.residual_mean);
      CHECK(same(many.solution.x, one.solution.x));
      CHECK(same(many.solution.u, one.solution.u));
      CHECK(same(many.solution.gamma, one.solution.gamma));
    }
  }
  set_threads(before);
}

TEST_CASE("a solver that may not iterate enough says so, with its residual") {
  const Prepared p(standing, 2);
  for (SolverMethod method : all_methods) {
    CAPTURE(name_of(method));
    const Solved r = solve(p, method, 1e-6, 3);
    CHECK_FALSE(r.report.converged);
    CHECK(r.report.iterations >= 3);
    CHECK(r.report.residual_mean > 1e-6);
    for (float x : r.solution.x) CHECK(x >= 0);
  }
}

TEST_CASE("bodies and liquid without contact and pressure keep their velocities in every solver") {
  const Prepared p(R"(
spacing: 20 mm
liquids:
  - {name: water, shape: {box: [0.06, 0.06, 0.06], at: [0, 0, 0]}}
bodies:
  - {name: box, shape: {box: [0.1, 0.1, 0.1]}, at: [1, 0, 0]}
)",
                   1);
  for (SolverMethod method : all_methods) {
    CAPTURE(name_of(method));
    const Solved r = solve(p, method, 1e-6, 500);
    CHECK(r.report.converged);
    CHECK(r.solution.u[0] == p.system().bodies.start[0]);
    CHECK(largest_difference(r.dv, std::vector<Vec3>(r.dv.size(), Vec3::Zero())) < 1e-3 * g_dt);
  }
}
