// Contacts between bodies: both measures against closed forms, brute force and finite differences.

#include "about.h"
#include "contact_world.h"
#include "core/parallel.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

bool same(const Contacts& x, const Contacts& y) {
  return x.sample == y.sample && x.a == y.a && x.b == y.b && x.gap == y.gap && x.mu == y.mu &&
         x.normal == y.normal && x.normal_point == y.normal_point &&
         x.friction_point == y.friction_point && x.impulse == y.impulse;
}

double gap_by_mesh(const ContactWorld& w, std::uint32_t r, std::uint32_t b) {
  const Vec3 x = w.s.bodies.pose(b).inverse() * w.samples.x[r];
  const auto& surface = *w.m.solids.shapes[w.m.solids.shape_of[b]].distance;
  return surface.signed_distance(x) - w.samples.radius[r];
}

double gap_found(ContactWorld& w, std::uint32_t r, std::uint32_t b) {
  const Contacts& c = w.find(distance(h));
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c.sample[i] == r && c.b[i] == b) return c.gap[i];
  return std::numeric_limits<double>::quiet_NaN();
}

/// V_err of sample r against body b, eq. 3.1, 3.2 and 3.7 of the paper for gamma = 0.7.
double volume_error(const ContactWorld& w, std::uint32_t r, std::uint32_t b) {
  const double S = w.samples.own_sum[r];
  double sum = S;
  for (std::uint32_t k = w.samples.first[b]; k < w.samples.first[b + 1]; ++k)
    sum += w.kernel.value((w.samples.x[r] - w.samples.x[k]).norm());
  return 1 - 0.7 / S * sum;
}

/// Every sample against every other body by the mesh alone. What it sees as near is found; the gap
/// is that of the ball, or less by what the surface comes out of it.
void check_against_brute_force(ContactWorld& w, double margin) {
  const Contacts& c = w.find(distance(margin));
  std::size_t next = 0, as_ball = 0;
  for (std::uint32_t r = 0; r < w.samples.size(); ++r)
    for (std::uint32_t b = 0; b < w.s.bodies.size(); ++b) {
      const std::uint32_t a = w.samples.body[r];
      if (a == b || (w.s.bodies.mass[a] == 0 && w.s.bodies.mass[b] == 0)) continue;
      const double ball = gap_by_mesh(w, r, b);
      const bool found = next < c.size() && c.sample[next] == r && c.b[next] == b;
      // Meshes of round bodies lie h/20 inside them at most, boxes are exact.
      const double faceted = w.m.solids.shapes[w.m.solids.shape_of[b]].mesh.triangles.size() > 12
                                 ? 0.05 * h
                                 : rounding;
      const double phi = ball + w.samples.radius[r];
      if (ball < margin - faceted && phi > faceted - h) REQUIRE(found);
      if (!found) continue;
      CHECK(c.a[next] == a);
      CHECK(phi > -h - faceted);
      CHECK(c.gap[next] <= margin);
      CHECK(c.gap[next] < ball + faceted);
      CHECK(c.gap[next] > ball - 0.6 * h - faceted);
      if (std::abs(c.gap[next] - ball) < rounding) ++as_ball;
      ++next;
    }
  CHECK(next == c.size());
  CHECK(as_ball > 0);
}

std::vector<BodySpec> heap() {
  std::vector<BodySpec> bodies = {ground()};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int i = 0; i < 12; ++i) {
    const Vec3 at(0.15 * u(random), 0.08 + 0.06 * u(random), 0.15 * u(random));
    Shape::Variant kind = BoxShape{Vec3(0.12, 0.08, 0.1)};
    if (i % 3 == 1) kind = SphereShape{0.06};
    if (i % 3 == 2) kind = TorusShape{0.07, 0.03};
    bodies.push_back(body(kind, at));
    bodies.back().pose.orientation = turned(180 * u(random), Vec3(u(random), 1, u(random)));
  }
  return bodies;
}

}  // namespace

TEST_CASE("a box above a plane is as far away as its face, at any gap and yaw") {
  ContactWorld w({ground(), body(BoxShape{Vec3(0.2, 0.1, 0.16)}, Vec3(0, 0.05, 0))});
  for (const double gap : {-0.5 * h, -1e-6, 0.0, 1e-9, 0.1 * h})
    for (const double yaw : {0.0, 13.0, 45.0, 90.0}) {
      w.s.bodies.x[1] = Vec3(0.003, 0.05 + gap, 0.007);
      w.s.bodies.q[1] = turned(yaw, Vec3::UnitY());
      const Contacts& c = w.find(distance(0.2 * h));
      // The lower face is 0.18 x 0.14 m between its outermost samples, one for every h^2.
      CHECK(w.between(1, 0).size() >= 63);
      CHECK(w.between(0, 1).size() >= 63);
      for (std::size_t i = 0; i < c.size(); ++i) {
        if (c.a[i] == 0 && c.gap[i] > gap + rounding) continue;  // beside the box
        CHECK(std::abs(c.gap[i] - gap) < rounding);
        CHECK((c.normal[i] - Vec3(0, c.a[i] == 1 ? 1 : -1, 0)).norm() < rounding);
        CHECK(std::abs(c.normal_point[i].y() - 0.5 * gap) < rounding);  // midway
        CHECK(c.friction_point[i] == c.normal_point[i]);
      }
    }
}

TEST_CASE("a box on a box gives contacts in both directions, sorted by sample and other body") {
  ContactWorld w({body(BoxShape{Vec3(0.1, 0.1, 0.1)}, Vec3(0, 0.3, 0)),
                  body(BoxShape{Vec3(0.1, 0.1, 0.1)}, Vec3(0.01, 0.4, 0.02))});
  const Contacts& c = w.find(distance(0.1 * h));
  REQUIRE(w.between(0, 1).size() > 8);
  REQUIRE(w.between(1, 0).size() > 8);
  CHECK(w.between(0, 1).size() + w.between(1, 0).size() == c.size());
  for (std::size_t i = 0; i < c.size(); ++i) {
    CHECK(w.samples.body[c.sample[i]] == c.a[i]);
    CHECK(std::abs(c.gap[i]) < 0.1 * h);
    CHECK(c.normal[i].y() * (c.a[i] == 1 ? 1 : -1) > 0.9);
    if (i > 0) CHECK(std::pair(c.sample[i - 1], c.b[i - 1]) < std::pair(c.sample[i], c.b[i]));
  }
}

TEST_CASE("spheres touch on the line between their centres") {
  const double R = 0.1, gap = 0.002;
  ContactWorld w(
      {body(SphereShape{R}, Vec3(0, 0, 0)), body(SphereShape{R}, Vec3(2 * R + gap, 0, 0))});
  const Contacts& c = w.find(distance(2 * gap));
  REQUIRE(c.size() > 1);
  for (std::size_t i = 0; i < c.size(); ++i) {
    const Vec3 other = w.s.bodies.x[c.b[i]], to_sample = w.samples.x[c.sample[i]] - other;
    const double ball = to_sample.norm() - R - w.samples.radius[c.sample[i]];
    CHECK(c.gap[i] > gap - rounding);
    CHECK(c.gap[i] < ball + rounding);
    // Midway between the surfaces, on the line from the other's centre along the normal.
    const double from_centre = R + 0.5 * c.gap[i];
    CHECK((other + from_centre * c.normal[i] - c.normal_point[i]).norm() < rounding);
    CHECK(c.normal[i].dot(w.s.bodies.x[c.a[i]] - other) > std::cos(0.2) * (2 * R + gap));
  }
}

TEST_CASE("inside a container the walls push inwards") {
  BodySpec room = body(BoxShape{Vec3(0.6, 0.4, 0.6)}, Vec3(0, 0.2, 0), BodyKind::fixed);
  room.shape.inside_out = true;
  const double gap = 0.001;
  ContactWorld w({room, body(BoxShape{Vec3(0.1, 0.1, 0.1)}, Vec3(0.25 - gap, 0.2, 0))});
  for (const double overlap : {-gap, 0.004}) {
    w.s.bodies.x[1].x() = 0.25 + overlap;
    const Contacts& c = w.find(distance(0.1 * h));
    REQUIRE(w.between(1, 0).size() >= 16);
    REQUIRE(w.between(0, 1).size() >= 16);
    for (const std::size_t i : w.between(1, 0)) {
      CHECK(std::abs(c.gap[i] + overlap) < rounding);
      CHECK((c.normal[i] + Vec3::UnitX()).norm() < rounding);
    }
  }
  w.s.bodies.x[1] = Vec3(0, 0.2, 0);
  CHECK(w.find(distance(0.1 * h)).size() == 0);
}

TEST_CASE("all contacts of a heap are found, as by brute force") {
  ContactWorld w(heap());
  for (const double margin : {0.0, 0.1 * h, 0.6 * h}) check_against_brute_force(w, margin);
  CHECK(w.contacts.size() > 500);
}

TEST_CASE("all contacts in curved and composed containers are found, as by brute force") {
  std::vector<BodySpec> bodies = heap();
  bodies[0] = body(SphereShape{0.16}, Vec3(0, 0.08, 0), BodyKind::fixed);
  bodies[0].shape.inside_out = true;
  ContactWorld w(bodies);
  check_against_brute_force(w, 0.1 * h);
  CHECK(w.between(0, 1).size() + w.between(1, 0).size() > 0);
}

TEST_CASE("an open surface carries from its front, a layer of h deep, and not beside its border") {
  World m = build_world(
      ContactWorld::scene({ground(), body(BoxShape{Vec3(0.1, 0.1, 0.1)}, Vec3(0, 0.05, 0))}, 3));
  SolidShape& sheet = m.solids.shapes[m.solids.shape_of[0]];
  sheet.mesh.vertices = {{-0.2, 0, -0.2}, {0.2, 0, -0.2}, {0.2, 0, 0.2}, {-0.2, 0, 0.2}};
  sheet.mesh.triangles = {{0, 2, 1}, {0, 3, 2}};
  sheet.distance.emplace(sheet.mesh);
  ContactWorld w(std::move(m));
  w.s.bodies.x[0].setZero();
  for (const double gap : {0.0, -0.6 * h}) {
    w.s.bodies.x[1] = Vec3(0, 0.05 + gap, 0);
    const Contacts& c = w.find(distance(1e-6));
    REQUIRE(w.between(1, 0).size() >= 16);
    for (const std::size_t i : w.between(1, 0))
      CHECK((c.normal[i] - Vec3::UnitY()).norm() < rounding);
    CHECK(std::abs(c.gap[w.between(1, 0)[0]] - gap) < rounding);
  }
  w.s.bodies.x[1] = Vec3(0, -0.05 - h, 0);  // behind it
  w.find(distance(1e-6));
  for (const std::size_t i : w.between(1, 0)) CHECK(w.contacts.gap[i] >= -1.5 * h - rounding);
  w.s.bodies.x[1] = Vec3(0.25 + 0.01 * h, -0.01, 0);  // beside it
  w.find(distance(1e-6));
  CHECK(w.between(1, 0).empty());
}

TEST_CASE("a third body in the corner changes no gap of the first two") {
  const BoxShape brick{Vec3(0.1, 0.1, 0.1)};
  for (const ContactOptions& options : {distance(0.3 * h), volumes(h)}) {
    ContactWorld w({ground(), body(brick, Vec3(0, 0.05, 0)), body(brick, Vec3(0.1, 0.05, 0))});
    w.find(options);
    const Contacts three = w.contacts;
    w.s.bodies.x[2] = Vec3(5, 5, 5);
    w.find(options);
    const std::vector<std::size_t> alone = w.between(1, 0);
    REQUIRE(alone.size() >= 16);
    std::size_t n = 0;
    for (std::size_t i = 0; i < three.size(); ++i) {
      if (three.a[i] != 1 || three.b[i] != 0) continue;
      REQUIRE(n < alone.size());
      CHECK(three.gap[i] == w.contacts.gap[alone[n++]]);
    }
    CHECK(n == alone.size());
  }
}

TEST_CASE("by volumes a face rests at about 0.757 h and a corner at 0.816 h between samples") {
  ContactWorld w({ground(), body(BoxShape{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0.1, 0))});
  const auto rest = [&](std::uint32_t sample, const ContactOptions& options) {
    double low = 0.5 * h, high = 1.2 * h;  // between the planes of samples, each h/2 deep
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (low + high);
      w.s.bodies.x[1].y() = 0.1 + middle - h;
      w.find(options);
      double gap = h;
      for (const std::size_t i : w.between(1, 0))
        if (w.contacts.sample[i] == sample) gap = w.contacts.gap[i];
      (gap > 0 ? high : low) = middle;
    }
    return low / h;
  };
  const auto lowest_near = [&](const Vec3& at) {
    const std::uint32_t first = w.samples.first[1], end = w.samples.first[2];
    std::uint32_t best = first;
    for (std::uint32_t r = first; r < end; ++r)
      if ((w.samples.x[r] - at).norm() < (w.samples.x[best] - at).norm()) best = r;
    return best;
  };
  const std::uint32_t middle = lowest_near(Vec3(0, 0, 0)), corner = lowest_near(Vec3(0.1, 0, 0.1));
  // Measured with both lattices aligned; other offsets of the two move them by a few hundredths.
  CHECK(rest(middle, volumes(h)) == about(0.757, 0.06));
  CHECK(rest(corner, volumes(h)) == about(0.8157, 0.06));
  ContactOptions uniform = volumes(h);
  uniform.uniform_gap = true;
  CHECK(rest(middle, uniform) == about(rest(corner, uniform), 0.04));
}

TEST_CASE("by volumes all contacts of a heap are found, as by sums over all samples") {
  ContactWorld w(heap());
  const double margin = 0.3 * h;
  const Contacts& c = w.find(volumes(margin));
  REQUIRE(c.size() > 100);
  std::size_t next = 0;
  for (std::uint32_t r = 0; r < w.samples.size(); ++r)
    for (std::uint32_t b = 0; b < w.s.bodies.size(); ++b) {
      const std::uint32_t a = w.samples.body[r];
      if (a == b) continue;
      Vec3 G = Vec3::Zero();
      for (std::uint32_t k = w.samples.first[b]; k < w.samples.first[b + 1]; ++k)
        G += w.kernel.gradient(w.samples.x[r] - w.samples.x[k]);
      if (G.norm() <= 1e-6 * w.kernel.sigma() / std::pow(h, 4)) continue;
      const double gap = volume_error(w, r, b) / (0.7 / w.samples.own_sum[r] * G.norm());
      if (gap > margin) continue;
      REQUIRE(next < c.size());
      REQUIRE(std::pair(c.sample[next], c.b[next]) == std::pair(r, b));
      // Sums in another order, divided by |G|, which may nearly cancel deep inside a body.
      CHECK(c.gap[next] == about(gap, 1e-7));
      CHECK((c.normal[next] + G.normalized()).norm() < 1e-7);
      ++next;
    }
  CHECK(next == c.size());
}

TEST_CASE("the normal row is the derivative of gap and volume error along any motion of both") {
  std::vector<BodySpec> bodies = {body(BoxShape{Vec3(0.2, 0.06, 0.2)}, Vec3(0, 0, 0)),
                                  body(SphereShape{0.05}, Vec3(0.01, 0.0795, 0.02))};
  bodies[1].pose.orientation = turned(31, Vec3(1, 2, 3));
  ContactWorld w(bodies);
  const RigidBodies start = w.s.bodies;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  const auto any = [&] { return Vec3(u(random), u(random), u(random)); };
  for (const ContactOptions& options : {distance(0.3 * h), volumes(h)}) {
    const bool by_volumes = options.measure == ContactMeasure::volumes;
    const Vec3 v[2] = {any(), any()}, omega[2] = {10 * any(), 10 * any()};
    const Contacts c = w.find(options);
    REQUIRE(c.size() > 4);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const auto value = [&](double t) {
        for (int k = 0; k < 2; ++k) {
          w.s.bodies.x[k] = start.x[k] + t * v[k];
          w.s.bodies.q[k] =
              Quat(Eigen::AngleAxisd(t * omega[k].norm(), omega[k].normalized())) * start.q[k];
        }
        if (!by_volumes) return gap_found(w, c.sample[i], c.b[i]);
        place_samples(w.m, w.s, w.samples);
        return volume_error(w, c.sample[i], c.b[i]);
      };
      const auto velocity = [&](std::uint32_t k) {
        return Vec3(v[k] + omega[k].cross(c.normal_point[i] - start.x[k]));
      };
      // The volume error is the gap times V0 |G|, about 1/h.
      const double scale = by_volumes ? value(0) / c.gap[i] : 1;
      const double row = scale * c.normal[i].dot(velocity(c.a[i]) - velocity(c.b[i]));
      // Central differences: curvature (v eps / h)^2 = 1e-8 and rounding 1e-16 / eps. The point of
      // the ball that meets the box is found to 0.003 h and travels at 1 m/s.
      const double eps = 1e-6, tolerance = by_volumes || c.a[i] == 0 ? 1e-6 : 1e-3;
      CHECK(std::abs((value(eps) - value(-eps)) / (2 * eps) - row) < tolerance * scale);
      value(0);
    }
  }
}

TEST_CASE("contacts do not depend on the number of threads, by either measure") {
  for (const ContactOptions& options : {distance(0.3 * h), volumes(0.3 * h)}) {
    const int before = threads();
    set_threads(1);
    ContactWorld w(heap());
    const Contacts one = w.find(options);
    REQUIRE(one.size() > 100);
    for (const int n : {2, 7}) {
      set_threads(n);
      ContactFinder finder;
      Contacts c;
      finder.find(w.m, w.s, w.samples, w.kernel, options, dt, c);
      CHECK(same(c, one));
    }
    set_threads(before);
  }
}

TEST_CASE("the impulse of a contact that stays is the next guess, a new contact starts at zero") {
  const BoxShape brick{Vec3(0.1, 0.1, 0.1)};
  ContactWorld w({ground(), body(brick, Vec3(0, 0.05, 0)), body(brick, Vec3(0.3, 0.05 + h, 0))});
  w.find(distance(0.1 * h));
  REQUIRE(w.contacts.size() > 16);
  const auto mark = [&](std::size_t i) { return Vec3(w.contacts.sample[i], w.contacts.b[i], 1); };
  for (std::size_t i = 0; i < w.contacts.size(); ++i) {
    CHECK(w.contacts.impulse[i] == Vec3::Zero());
    w.contacts.impulse[i] = mark(i);
  }
  w.s.bodies.x[1].x() += 0.5 * h;  // some of the ground's samples come, some go
  w.s.bodies.x[2].y() = 0.05;      // all new
  w.find(distance(0.1 * h));
  std::size_t kept = 0, fresh = 0;
  for (std::size_t i = 0; i < w.contacts.size(); ++i) {
    const bool is_new = w.contacts.impulse[i] == Vec3::Zero();
    if (w.contacts.a[i] == 2 || w.contacts.b[i] == 2) CHECK(is_new);
    if (w.contacts.a[i] == 1) CHECK(w.contacts.impulse[i] == mark(i));
    if (!is_new) CHECK(w.contacts.impulse[i] == mark(i));
    (is_new ? fresh : kept) += 1;
  }
  CHECK(kept > 16);
  CHECK(fresh > 32);
}

TEST_CASE("what the speeds can close within the step is kept beyond the margin") {
  ContactWorld w({ground(), body(BoxShape{Vec3(0.1, 0.1, 0.1)}, Vec3(0, 0.05 + 0.5 * h, 0))});
  CHECK(w.find(distance(0.4 * h)).size() == 0);
  w.s.bodies.v[1] = Vec3(0, -0.11 * h / dt, 0);
  CHECK(w.find(distance(0.4 * h)).size() > 32);
  w.s.bodies.v[1] = Vec3::Zero();
  w.s.bodies.omega[1] = Vec3(0, 0, 0.2 * h / dt / 0.0866);  // reach: half a diagonal
  CHECK(w.find(distance(0.4 * h)).size() > 32);
}

TEST_CASE("however hard a body is pushed, no contact is farther than a step may travel") {
  const auto count = [](double height, double push) {
    ContactWorld w({ground(), body(BoxShape{Vec3(0.1, 0.1, 0.1)}, Vec3(0, 0.05 + height, 0))});
    const std::vector<double> pushed = {0, push};
    ContactOptions options = distance(0.1 * h);
    options.pushed = pushed;
    return w.find(options).size();
  };
  // Default max_travel: 4 spacings, and half of one that may lie behind; the ground stays.
  CHECK(count(4 * h, 4 * h) > 0);
  CHECK(count(4 * h, 1000) > 0);
  CHECK(count(5 * h, 1000) == 0);
}

// The list is made anew, wider, within a step; pairs that did not change are not measured again.
TEST_CASE("contacts found a second time are those of a finder that sees them first") {
  const std::vector<BodySpec> bodies = {
      ground(), body(BoxShape{Vec3(0.1, 0.1, 0.1)}, Vec3(0, 0.05 + 0.3 * h, 0)),
      body(SphereShape{0.06}, Vec3(0.12, 0.06, 0)), body(SphereShape{0.06}, Vec3(0, 0.17, 0.01))};
  ContactWorld again(bodies);
  const std::vector<double> none(4, 0), some = {0, 0, 0, h}, more = {0, h, 0, h};
  const auto check = [&] {
    for (const std::vector<double>* pushed : {&none, &some, &more, &none}) {
      ContactWorld first(bodies);
      first.s = again.s;
      ContactOptions options = distance(0.5 * h);
      options.pushed = *pushed;
      first.find(options);
      again.find(options);
      CHECK(first.contacts.size() > 0);
      CHECK(same(first.contacts, again.contacts));
    }
  };
  check();
  again.s.bodies.x[3].x() += 0.1 * h;
  check();
  again.s.bodies.q[1] = turned(3, Vec3::UnitY());
  check();
}

TEST_CASE("friction comes from the pair, and nonsense counts as none") {
  std::vector<BodySpec> bodies = {ground(), body(BoxShape{Vec3(0.1, 0.1, 0.1)}, Vec3(0, 0.05, 0))};
  bodies[0].friction = TimeFunction(0.4);
  bodies[1].friction = TimeFunction({0, 1}, {0.9, 0.1}, Interpolation::linear);
  ContactWorld w(bodies);
  REQUIRE(w.find(distance(1e-6)).size() > 16);
  for (const double mu : w.contacts.mu) CHECK(mu == about(0.6, 1e-12));
  w.s.time = 1;
  w.find(distance(1e-6));
  for (const double mu : w.contacts.mu) CHECK(mu == about(0.2, 1e-12));
  w.s.time = std::numeric_limits<double>::quiet_NaN();
  w.find(distance(1e-6));
  for (const double mu : w.contacts.mu) CHECK(mu >= 0);
}

TEST_CASE("in two dimensions contacts lie in the plane, in the open and in a container") {
  BodySpec room = body(BoxShape{Vec3(0.6, 0.4, 1)}, Vec3(0, 0.2, 0), BodyKind::fixed);
  room.shape.inside_out = true;
  const double gap = 0.05 * h;
  ContactWorld w({room, body(BoxShape{Vec3(0.2, 0.1, 1)}, Vec3(0, 0.05 + gap, 0)),
                  body(BoxShape{Vec3(0.1, 0.1, 1)}, Vec3(0.01, 0.15 + 2 * gap, 0))},
                 2);
  const Contacts& c = w.find(distance(0.1 * h));
  for (const auto& [a, b] :
       {std::pair(0u, 1u), std::pair(1u, 0u), std::pair(1u, 2u), std::pair(2u, 1u)}) {
    CAPTURE(a);
    CAPTURE(b);
    const double up = b == 0 || (a == 2 && b == 1) ? 1 : -1;
    std::size_t exact = 0;
    for (const std::size_t i : w.between(a, b))
      if ((c.normal[i] - up * Vec3::UnitY()).norm() < rounding &&
          std::abs(c.gap[i] - gap) < rounding)
        ++exact;
    CHECK(exact >= 4);
  }
  CHECK(w.between(0, 2).empty());
  for (std::size_t i = 0; i < c.size(); ++i) {
    CHECK(c.normal[i].z() == 0);
    CHECK(c.normal_point[i].z() == 0);
  }
  CHECK(w.find(volumes(h)).size() > 8);
  for (std::size_t i = 0; i < c.size(); ++i) CHECK(c.normal[i].z() == 0);
}
