#include "contact/contact_rows.h"

#include "about.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace hydrolith;
using hydrolith::about;

namespace {

constexpr unsigned seed = 7;

struct Chance {
  std::mt19937 engine{seed};
  double number(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine);
  }
  Vec3 vector(double size = 1) {
    const double x = number(-size, size), y = number(-size, size);
    return {x, y, number(-size, size)};
  }
  Vec6 six() {
    Vec6 v;
    v << vector(), vector();
    return v;
  }
  /// Tangent to the x axis as normal: (n, 0, t_y, t_z).
  NormalTangent impulse() {
    const double n = number(-1, 1);
    return {n, Vec3(0, number(-1, 1), number(-1, 1))};
  }
};

Vec3 tangent_part(const Vec3& v, const Vec3& n) { return v - n.dot(v) * n; }
double distance(const NormalTangent& a, const NormalTangent& b) {
  return std::hypot(a.n - b.n, (a.t - b.t).norm());
}
bool in_cone(const NormalTangent& g, double mu) {
  return g.n >= 0 && g.t.norm() <= mu * g.n * (1 + 1e-12);
}

/// Three bodies, the first fixed, and contacts between all pairs in both orders.
struct SmallSystem {
  RigidBodies bodies;
  BodyColumns columns;
  Contacts contacts;
  ContactRows rows;

  explicit SmallSystem(const ContactRowOptions& options, int copies = 4) {
    Chance chance;
    for (int k = 0; k < 3; ++k) {
      const Inertia inertia = principal_inertia(
          1 + k, (Vec3(0.3, 0.4, 0.5) + 0.1 * k * Vec3::Ones()).asDiagonal().toDenseMatrix());
      add_body(bodies, k == 0 ? BodyKind::fixed : BodyKind::dynamic, inertia,
               {chance.vector(), Quat::Identity()});
      const bool moves = k > 0;
      columns.dynamic.push_back(moves);
      columns.inverse_mass.push_back(moves ? 1 / inertia.mass : 0);
      const Mat3 I = inertia.moments.asDiagonal();
      columns.inverse_inertia.push_back(moves ? Mat3(I.inverse()) : Mat3(Mat3::Zero()));
      Mat6 M = Mat6::Zero();
      if (moves) M.topLeftCorner<3, 3>() = inertia.mass * Mat3::Identity();
      if (moves) M.bottomRightCorner<3, 3>() = I;
      columns.mass.push_back(M);
      columns.reach.push_back(1);
      columns.start.push_back(Vec6::Zero());
    }
    for (int k = 0; k < copies; ++k)
      for (auto [a, b] : {std::pair(2u, 1u), {1u, 0u}, {1u, 2u}, {2u, 0u}}) add(chance, a, b);
    build_rows(contacts, bodies, columns, options, rows);
  }

 private:
  void add(Chance& chance, std::uint32_t a, std::uint32_t b) {
    contacts.sample.push_back(static_cast<std::uint32_t>(contacts.size()));
    contacts.a.push_back(a);
    contacts.b.push_back(b);
    contacts.normal.push_back(chance.vector().normalized());
    contacts.normal_point.push_back(chance.vector());
    contacts.friction_point.push_back(contacts.normal_point.back() + chance.vector(0.05));
    contacts.gap.push_back(chance.number(-0.01, 0.01));
    contacts.mu.push_back(chance.number(0, 1));
    contacts.impulse.push_back(Vec3::Zero());
  }
};

}  // namespace

TEST_CASE("the projection on the friction cone is nearer than any other point of the cone") {
  Chance chance;
  for (int trial = 0; trial < 300; ++trial) {
    const double mu = trial % 10 == 0 ? 0 : chance.number(0.05, 1.5);
    const NormalTangent y = chance.impulse();
    const NormalTangent p = project_on_cone(y, mu).value;
    CHECK(in_cone(p, mu));
    double nearest = distance(y, {});
    for (int k = 0; k < 500; ++k) {  // brute force: anywhere in the cone
      const double n = chance.number(0, 2), part = mu * n * chance.number(-1, 1);
      const double angle = chance.number(0, 3.2);
      nearest = std::min(nearest,
                         distance(y, {n, Vec3(0, part * std::cos(angle), part * std::sin(angle))}));
    }
    CHECK(distance(y, p) <= nearest + 1e-14);
  }
}

TEST_CASE("what is in the friction cone stays, so projecting twice changes nothing") {
  Chance chance;
  for (int trial = 0; trial < 300; ++trial) {
    const double mu = chance.number(0, 1.5);
    const NormalTangent once = project_on_cone(chance.impulse(), mu).value;
    // The second time it may count as slipping by a rounding error, and is moved by that much.
    CHECK(distance(project_on_cone(once, mu).value, once) < 1e-15);
  }
  CHECK(project_on_cone({1, Vec3(0, 0.3, 0)}, 0.5).state == ConeState::stick);
  CHECK(project_on_cone({1, Vec3(0, 0.6, 0)}, 0.5).state == ConeState::slip);
  CHECK(project_on_cone({-1, Vec3(0, 0.6, 0)}, 0.5).state == ConeState::open);
}

TEST_CASE("without friction the projection keeps the normal part that pushes and nothing else") {
  const ConeProjection push = project_on_cone({2, Vec3(0, 1, 0)}, 0);
  CHECK(push.value.n == 2);
  CHECK(push.value.t == Vec3::Zero());
  const ConeProjection pull = project_on_cone({-2, Vec3(0, 1, 0)}, 0);
  CHECK(pull.value.n == 0);
  CHECK(pull.value.t == Vec3::Zero());
}

// In slip D = e e^T / (1 + mu^2) + (mu gamma_n / |y_t|) s s^T with e = (1, mu t), t = y_t / |y_t|,
// s across; in stick the identity; open zero. Differences of step 1e-6 leave 1e-10 of rounding and
// 1e-12 / |y_t| of curvature.
TEST_CASE("the derivative of the projection is the one that the Newton method uses") {
  Chance chance;
  int slips = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double mu = chance.number(0.05, 1.5);
    const NormalTangent y = chance.impulse();
    const double length = y.t.norm();
    const ConeProjection p = project_on_cone(y, mu);
    // Away from where the state changes, and from the axis.
    if (std::abs(length - mu * y.n) < 1e-3 || std::abs(mu * length + y.n) < 1e-3 || length < 0.05)
      continue;
    Mat3 D = Mat3::Zero();
    if (p.state == ConeState::stick) D.setIdentity();
    if (p.state == ConeState::slip) {
      ++slips;
      const Vec3 t = y.t / length, e(1, mu * t.y(), mu * t.z()), s(0, -t.z(), t.y());
      D = e * e.transpose() / (1 + mu * mu) + mu * p.value.n / length * s * s.transpose();
    }
    for (int k = 0; k < 3; ++k) {
      const auto moved = [&](double by) {
        NormalTangent z = y;
        if (k == 0) z.n += by;
        if (k > 0) z.t[k] += by;
        const NormalTangent v = project_on_cone(z, mu).value;
        return Vec3(v.n, v.t.y(), v.t.z());
      };
      constexpr double step = 1e-6;
      CHECK(((moved(step) - moved(-step)) / (2 * step) - D.col(k)).norm() < 1e-8);
    }
  }
  CHECK(slips > 50);
}

TEST_CASE("relative velocity and impulse belong together: J u . gamma = u . J^T gamma") {
  const SmallSystem system({.dt = 0.001});
  const ContactRows& rows = system.rows;
  Chance chance;
  std::vector<Vec6> u, zero(3, Vec6::Zero());
  for (int k = 0; k < 3; ++k) u.push_back(chance.six());
  std::vector<NormalTangent> gamma;
  double in_rows = 0;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    gamma.push_back({chance.number(-1, 1), tangent_part(chance.vector(), rows.normal[c])});
    const NormalTangent q = relative_velocity(rows, c, u), bias = relative_velocity(rows, c, zero);
    CHECK(bias.n == rows.bias[c]);
    CHECK(std::abs(q.t.dot(rows.normal[c])) < 1e-15);
    in_rows += (q.n - bias.n) * gamma[c].n + q.t.dot(gamma[c].t);
  }
  std::vector<Vec6> wrench(3), scratch;
  sum_impulses(rows, scratch, wrench, [&](std::size_t c) { return gamma[c]; });
  double in_bodies = 0;
  for (std::size_t k = 0; k < 3; ++k) in_bodies += u[k].dot(wrench[k]);
  CHECK(std::abs(in_rows) > 0.1);
  CHECK(in_bodies == about(in_rows, 1e-13));
  // Action and reaction, with moments about the origin.
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    force += wrench[k].head<3>();
    moment += system.bodies.x[k].cross(wrench[k].head<3>()) + wrench[k].tail<3>();
  }
  CHECK(force.norm() < 1e-13);
  CHECK(moment.norm() < 1e-13);
}

TEST_CASE("rows are grouped by pair of bodies and come from every contact once") {
  const SmallSystem system({.dt = 0.001});
  const ContactRows& rows = system.rows;
  REQUIRE(rows.pairs.size() == 3);
  std::vector<int> seen(rows.size());
  for (const ContactRows::Pair& pair : rows.pairs)
    for (std::uint32_t c = pair.begin; c < pair.end; ++c) {
      CHECK(std::min(rows.a[c], rows.b[c]) == pair.lo);
      CHECK(std::max(rows.a[c], rows.b[c]) == pair.hi);
      CHECK(rows.a[c] == system.contacts.a[rows.source[c]]);
      ++seen[rows.source[c]];
    }
  CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<long>(rows.size()));
}

TEST_CASE("a gap may close within the step, an overlap is undone in part and never too fast") {
  const ContactRowOptions options{.dt = 0.001, .correction = 0.2, .correction_speed = 0.5};
  const SmallSystem system(options);
  bool gap = false, slow = false, fast = false;
  for (std::size_t c = 0; c < system.rows.size(); ++c) {
    const double size = system.contacts.gap[system.rows.source[c]], bias = system.rows.bias[c];
    if (size >= 0) CHECK(bias == about(size / 0.001, 1e-14));
    if (size < 0) CHECK(bias == about(std::max(0.2 * size / 0.001, -0.5), 1e-14));
    gap = gap || size >= 0;
    slow = slow || (size < 0 && bias > -0.5);
    fast = fast || bias == -0.5;
  }
  CHECK((gap && slow && fast));
}

TEST_CASE("a unit normal impulse changes the normal velocity by one over the effective mass") {
  const SmallSystem system({.dt = 0.001});
  const ContactRows& rows = system.rows;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    std::vector<Vec6> u(3, Vec6::Zero());
    Vec6 lo = Vec6::Zero(), hi = Vec6::Zero();
    add_impulse(rows, c, {1, Vec3::Zero()}, true, lo, hi);  // lo: on a
    u[rows.a[c]] = system.columns.accelerate(rows.a[c], lo);
    u[rows.b[c]] = system.columns.accelerate(rows.b[c], hi);
    const double gained = relative_velocity(rows, c, u).n - rows.bias[c];
    CHECK(gained * rows.mass[c] == about(1, 1e-12));
  }
}

TEST_CASE("the residual of contacts is zero for a solution and the error in speed otherwise") {
  const SmallSystem system({.dt = 0.001}, 1);
  const ContactRows& rows = system.rows;
  std::vector<NormalTangent> q(rows.size()), gamma(rows.size());
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const Vec3 t = rows.normal[c].unitOrthogonal();
    if (c % 3 == 0) q[c] = {0.5, 0.3 * t};                                     // open: parts
    if (c % 3 == 1) gamma[c] = {2, 0.5 * rows.mu[c] * 2 * t};                  // sticks
    if (c % 3 == 2) q[c] = {0, 0.3 * t}, gamma[c] = {2, -rows.mu[c] * 2 * t};  // slides
  }
  CHECK(contact_residual(rows, q, gamma, 2).max < 1e-14);
  q[1].n = -0.25;  // a sticking contact that approaches, in units of 2 m/s
  CHECK(contact_residual(rows, q, gamma, 2).max == about(0.125, 1e-9));
}

// Two stacks of two on one floor, and a body alone.
TEST_CASE("bodies that touch form islands, which fixed bodies do not join") {
  SmallSystem one({.dt = 1e-3});
  REQUIRE(one.rows.islands.size() == 1);
  CHECK(one.rows.island_bodies == std::vector<std::uint32_t>{1, 2});
  CHECK(one.rows.row_begin(one.rows.islands[0]) == 0);
  CHECK(one.rows.row_end(one.rows.islands[0]) == one.rows.size());

  BodyColumns columns;
  RigidBodies bodies;
  Contacts contacts;
  for (int k = 0; k < 6; ++k) {
    const bool moves = k > 0;
    const Inertia inertia = principal_inertia(1, Mat3::Identity());
    add_body(bodies, moves ? BodyKind::dynamic : BodyKind::fixed, inertia,
             {Vec3::Zero(), Quat::Identity()});
    columns.dynamic.push_back(moves);
    columns.inverse_mass.push_back(moves);
    columns.inverse_inertia.push_back(moves * Mat3::Identity());
  }
  for (auto [a, b] : {std::pair(5u, 1u), {4u, 2u}, {0u, 2u}, {1u, 0u}}) {
    contacts.sample.push_back(0);
    contacts.a.push_back(a), contacts.b.push_back(b);
    contacts.normal.push_back(Vec3::UnitY());
    contacts.normal_point.push_back(Vec3::Zero()), contacts.friction_point.push_back(Vec3::Zero());
    contacts.gap.push_back(0), contacts.mu.push_back(0), contacts.impulse.push_back(Vec3::Zero());
  }
  ContactRows rows;
  build_rows(contacts, bodies, columns, {.dt = 1e-3}, rows);
  REQUIRE(rows.islands.size() == 2);
  CHECK(rows.island_bodies == std::vector<std::uint32_t>{1, 5, 2, 4});
  CHECK(rows.islands[1].body_begin == 2);
  CHECK(rows.islands[1].pair_end == rows.pairs.size());
}

TEST_CASE("overlaps are undone in part, slowly, and but for a rest") {
  const ContactRowOptions options{
      .dt = 1e-3, .correction = 0.2, .correction_speed = 0.5, .slop = 1e-3};
  const SmallSystem s(options);
  for (std::size_t k = 0; k < s.rows.size(); ++k) {
    const double gap = s.contacts.gap[s.rows.source[k]];
    const double wanted = gap >= 0      ? gap / 1e-3
                          : gap > -1e-3 ? 0
                                        : -std::min(0.2 * (-gap - 1e-3) / 1e-3, 0.5);
    CHECK(s.rows.bias[k] == doctest::Approx(wanted).epsilon(1e-12));
  }
}
