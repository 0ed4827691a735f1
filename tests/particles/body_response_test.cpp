// The bodies' answer to impulses: its derivative, its exactness, its independence of guess.

#include "contact/body_response.h"

#include "small_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

using namespace hydrolith;
using namespace hydrolith::particles;
using hydrolith::particles::test::SmallRun;

namespace {

constexpr double dt = 1e-3;  // [s]

/// Two boxes on each other on a floor, pushed along x or not.
std::string pile(double mu, double push) {
  return fmt::format(R"(
spacing: 25 mm
bodies:
  - {{name: floor, kind: static, friction: {0}, shape: {{box: [0.6, 0.1, 0.3]}}, at: [0, -0.05, 0]}}
  - {{name: low, friction: {0}, shape: {{box: [0.2, 0.1, 0.1]}}, at: [0, 0.05, 0], loads: [{{force: [{1}, 0, 0]}}]}}
  - {{name: top, friction: {0}, density: 500, shape: {{box: [0.1, 0.1, 0.1]}}, at: [0.01, 0.15, 0]}}
)",
                     mu, push);
}

struct Pile : SmallRun {
  BodyResponse response;
  std::vector<Vec6> f;

  Pile(double mu, double push, int steps) : SmallRun(pile(mu, push)), f(3, Vec6::Zero()) {
    advance(steps, dt);
    start(w.system.contacts.impulse);
  }
  void start(const std::vector<Vec3>& guess) {
    response.start(w.system.bodies, w.system.rows, guess, 1e-13);
  }
  /// To the solution of the contact problem.
  void solve() {
    for (int k = 0; k < 60; ++k) {
      response.respond(f);
      if (response.residual(25).max < 1e-9) return;
      response.raise_multipliers();
    }
  }
};

}  // namespace

// While no contact changes its state the answer is linear: u(f + df) - u(f) = H^-1 df. Sticking
// contacts have a constant H. In slip H is that of friction held, so only pushes that leave the
// normal forces alone are answered so; across the slip the factor may be 5 % old
// (BodyResponse::is_stale).
TEST_CASE("compliance is the derivative of the bodies' answer") {
  const auto check = [](Pile& p, double margin, std::initializer_list<int> pushes) {
    REQUIRE(p.w.system.rows.size() > 10);
    p.solve();
    p.response.ensure_factored();
    for (int k : pushes) {
      std::vector<Vec6> df(3, Vec6::Zero()), moved = p.f;
      df[static_cast<std::size_t>(1 + k / 6)][k % 6] = k % 6 < 3 ? 1e-7 : 1e-9;
      CAPTURE(k);
      p.response.respond(p.f);
      const std::vector<Vec6> before(p.response.velocity().begin(), p.response.velocity().end());
      for (std::size_t i = 0; i < 3; ++i) moved[i] += df[i];
      REQUIRE(p.response.respond(moved));
      p.response.comply(df);
      double size = 0, off = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const Vec6 du = p.response.velocity()[i] - before[i];
        size += df[i].norm();
        off += (du - df[i]).norm();
      }
      CHECK(size > 0);
      CHECK(off < margin * size);
    }
  };
  SUBCASE("sticking") {
    Pile p(0.8, 2, 3);
    check(p, 0.01, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  }
  SUBCASE("sliding") {
    Pile p(0.2, 30, 20);
    check(p, 0.06, {0, 4, 6, 10});
  }
  SUBCASE("free") {
    Pile p(0.8, 0, 3);
    p.w.system.rows = ContactRows{};
    p.w.system.rows.body_first.assign(4, 0);
    p.start({});
    p.response.respond(p.f);
    p.response.ensure_factored();
    std::vector<Vec6> df(3, Vec6::Ones());
    p.response.comply(df);
    CHECK(df[0] == Vec6::Zero());  // the floor gives way to nothing
    for (std::size_t i : {1u, 2u})
      CHECK((df[i] - p.w.system.bodies.accelerate(i, Vec6::Ones())).norm() < 1e-10 * df[i].norm());
  }
}

TEST_CASE("the end does not depend on the guess of the multipliers") {
  for (double mu : {0.8, 0.2}) {
    CAPTURE(mu);
    Pile p(mu, 30, 5);
    p.solve();
    CHECK(p.response.residual(25).max < 1e-9);
    const std::vector<Vec6> warm(p.response.velocity().begin(), p.response.velocity().end());
    p.start(std::vector<Vec3>(p.w.system.contacts.size(), Vec3::Zero()));
    p.solve();
    CHECK(p.response.residual(25).max < 1e-9);
    // A residual of 1e-9 is 2.5e-8 m/s at a contact, and a pile adds up a few.
    for (std::size_t i = 0; i < 3; ++i) CHECK((p.response.velocity()[i] - warm[i]).norm() < 5e-7);
  }
}

TEST_CASE("final velocities are those that the impulses give, whatever the residual") {
  Pile p(0.5, 5, 3);
  p.start(std::vector<Vec3>(p.w.system.contacts.size(), Vec3::Zero()));
  p.f[2] << 0.01, -0.02, 0.003, 0.0001, 0, 0;
  p.response.respond(p.f);
  p.response.finish(p.f);
  const BodyColumns& bodies = p.w.system.bodies;
  std::vector<Vec6> wrench(3), scratch;
  sum_impulses(p.w.system.rows, scratch, wrench,
               [&](std::size_t c) { return p.response.multipliers()[c]; });
  for (std::size_t i : {1u, 2u}) {
    const Vec6 gained = bodies.mass[i] * (p.response.velocity()[i] - bodies.start[i]);
    CHECK((gained - p.f[i] - wrench[i]).norm() < 1e-14);  // rounding of 0.01 N s
  }
}

// R q of an answer that was not found is no impulse: raised, it would grow by as much every time.
TEST_CASE("multipliers stay where Newton's steps are used up") {
  Pile p(0.5, 5, 3);
  p.start(std::vector<Vec3>(p.w.system.contacts.size(), Vec3::Zero()));
  int answers = 0;
  for (; !p.response.exhausted() && answers < 2000; ++answers) {
    p.f[2] << (answers % 2 ? 0.1 : -0.1), (answers % 3 ? -0.05 : 0.02), 0, 0, 0, 0;
    p.response.respond(p.f);
  }
  REQUIRE(p.response.exhausted());
  p.f[2] << 0.1, -0.2, 0, 0, 0, 0;
  REQUIRE_FALSE(p.response.respond(p.f));
  p.response.finish(p.f);
  const std::vector<Vec6> before(p.response.velocity().begin(), p.response.velocity().end());
  for (int k = 0; k < 20; ++k) {
    p.response.raise_multipliers();
    CHECK_FALSE(p.response.respond(p.f));
  }
  p.response.finish(p.f);
  for (std::size_t i = 0; i < 3; ++i) CHECK(p.response.velocity()[i] == before[i]);
}
