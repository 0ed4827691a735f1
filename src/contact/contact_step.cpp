#include "contact/contact_step.h"

#include "contact/bodies_step.h"
#include "core/parallel.h"

#include <algorithm>

namespace hydrolith {

namespace {

/// [h] Overlap of bodies that is not undone. Without it bodies that fit each other exactly, as
/// links of a chain may, are asked to move apart both ways at once.
constexpr double overlap_slop = 0.005;

/// The part of dt for which bodies are moved ahead: all of it, but fast ones go only half of what
/// the finest body resolves, lest they jump over thin ones.
double time_ahead(const World& m, const WorldState& s, double dt) {
  const double travel = fastest_body(m, s) * dt;  // [m]
  const double part = std::min(1.0, 0.5 * m.finest / std::max(travel, 1e-300));
  return part * dt;
}

/// Bodies and their samples as they would be after tau if nothing touched.
void move_ahead(const World& m, const WorldState& s, double tau, WorldState& ahead,
                Samples& samples) {
  ahead.bodies = s.bodies;
  ahead.time = s.time;
  RigidBodies& b = ahead.bodies;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b.kind[i] == BodyKind::fixed) continue;
    b.x[i] += tau * b.v[i];
    const double angle = tau * b.omega[i].norm();
    if (angle > 0) b.q[i] = Quat(Eigen::AngleAxisd(angle, b.omega[i].normalized())) * b.q[i];
  }
  place_samples(m, ahead, samples);
}

/// Last step's forces as impulses of this one; anchors turn with the other body.
void recall_contacts(const WorldState& s, double dt, Contacts& c) {
  c.sample = s.contacts.sample;
  c.b = s.contacts.body;
  c.impulse.resize(s.contacts.force.size());
  for (std::size_t k = 0; k < c.impulse.size(); ++k) c.impulse[k] = dt * s.contacts.force[k];
  c.spin.resize(s.contacts.torque.size());
  for (std::size_t k = 0; k < c.spin.size(); ++k) c.spin[k] = dt * s.contacts.torque[k];
  c.anchor.resize(s.contacts.anchor.size());
  for (std::size_t k = 0; k < c.anchor.size(); ++k)
    c.anchor[k] = s.bodies.q[c.b[k]] * s.contacts.anchor[k];
}

/// Gaps and points found ahead, back to the start of the step. Both bodies of a contact are pushed
/// at the same point, so that angular momentum is kept; it moves with the lighter body, whose arm
/// is then exactly the one ahead.
void bring_back(const RigidBodies& ahead, const BodyColumns& bodies, double tau, Contacts& c) {
  const auto velocity = [&](std::uint32_t body, const Vec3& p) -> Vec3 {
    return ahead.v[body] + ahead.omega[body].cross(p - ahead.x[body]);
  };
  parallel_for(c.size(), [&](std::size_t k) {
    const std::uint32_t A = c.a[k], B = c.b[k];
    const Vec3& p = c.normal_point[k];
    c.gap[k] -= tau * c.normal[k].dot(velocity(A, p) - velocity(B, p));
    const double wa = bodies.inverse_mass[A], wb = bodies.inverse_mass[B];
    const Vec3 back = tau / (wa + wb) * (wa * ahead.v[A] + wb * ahead.v[B]);
    c.normal_point[k] -= back;
    c.friction_point[k] -= back;
  });
}

}  // namespace

// Contacts are looked for where the bodies would be at the end of the step if nothing touched: a
// distance is convex near edges, so a linearisation at the start would see edges ahead as
// obstacles.
void find_contacts(const World& m, const WorldState& s, double margin, double dt,
                   ContactWorkspace& w, ContactSystem& system) {
  const SolverSpec& spec = m.scene.solver;
  const double tau = time_ahead(m, s, dt);
  move_ahead(m, s, tau, w.ahead, w.samples_ahead);
  recall_contacts(s, dt, system.contacts);
  w.finder.find(m, w.ahead, w.samples_ahead, {m.scene.spacing, m.scene.dimensions},
                {.measure = spec.contact,
                 .gamma = spec.gamma,
                 .uniform_gap = spec.uniform_gap,
                 .margin = margin,
                 .pushed = w.pushed,
                 .anchored = spec.anchor},
                dt - tau, system.contacts);
  bring_back(w.ahead.bodies, system.bodies, tau, system.contacts);
}

void build_contact_rows(const World& m, const WorldState& s, double dt, ContactSystem& system) {
  const SolverSpec& spec = m.scene.solver;
  const double h = m.finest;
  build_rows(system.contacts, s.bodies, system.bodies,
             {.dt = dt,
              .correction = spec.correction,
              .correction_speed = spec.correction_speed,
              .slop = overlap_slop * h,
              .slip_speed = spec.tolerance * h / dt},
             system.rows);
}

bool widen(const BodyColumns& bodies, std::span<const Vec6> u, double covered, double dt,
           std::vector<double>& pushed) {
  bool any = false;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec6 du = u[i] - bodies.start[i];
    const double moved = dt * (du.head<3>().norm() + du.tail<3>().norm() * bodies.reach[i]);
    if (!(moved > covered + pushed[i])) continue;
    pushed[i] = 1.25 * moved;
    any = true;
  }
  return any;
}

namespace {

/// Contacts go on counting how far they move until they slide. A box stands on more contacts than
/// it needs, so single ones may be open or at their limit while the box sticks: they slide only if
/// they are also faster than the solver's error, or farther than overlaps that are left alone.
void move_anchors(const ContactRows& rows, const ContactSolution& solution, double dt,
                  std::vector<Vec3>& anchor) {
  constexpr double within = 1 - 1e-6;  // [-] of the limit: rounding of a projection, and to spare
  parallel_for(rows.tangent_bias.size(), [&](std::size_t c) {
    const NormalTangent& gamma = solution.gamma[c];
    const Vec3 v = tangent_velocity(rows, c, solution.u) - rows.tangent_bias[c];
    Vec3& x = anchor[rows.source[c]];
    x += dt * v;
    const bool holds = gamma.t.norm() < within * rows.mu[c] * gamma.n;
    if (!holds && (v.norm() > rows.slip_speed || x.norm() > rows.slop)) x.setZero();
  });
}

/// What the next step starts from.
void remember_contacts(const Contacts& c, double dt, WorldState& s) {
  s.contacts.sample = c.sample;
  s.contacts.body = c.b;
  s.contacts.force.resize(c.size());
  for (std::size_t k = 0; k < c.size(); ++k) s.contacts.force[k] = c.impulse[k] / dt;
  s.contacts.torque.resize(c.spin.size());
  for (std::size_t k = 0; k < c.spin.size(); ++k) s.contacts.torque[k] = c.spin[k] / dt;
  s.contacts.anchor.resize(c.anchor.size());
  for (std::size_t k = 0; k < c.anchor.size(); ++k)
    s.contacts.anchor[k] = s.bodies.q[c.b[k]].conjugate() * c.anchor[k];
}

}  // namespace

void apply_contacts(const ContactSolution& solution, double dt, WorldState& s, ContactWorkspace& w,
                    ContactSystem& system) {
  const ContactRows& rows = system.rows;
  const std::span<const NormalTangent> gamma = solution.gamma;
  w.wrench.resize(s.bodies.size());
  const auto sum = [&](auto&& part, std::span<const Vec3> turning) {
    sum_impulses(rows, w.pair_sums, w.wrench, part, turning);
  };
  sum([&](std::size_t c) { return NormalTangent{gamma[c].n, Vec3::Zero()}; }, {});
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    s.forces[i].contact = {w.wrench[i].head<3>() / dt, w.wrench[i].tail<3>() / dt};
  sum([&](std::size_t c) { return NormalTangent{0, gamma[c].t}; }, solution.spin);
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    s.forces[i].friction = {w.wrench[i].head<3>() / dt, w.wrench[i].tail<3>() / dt};
  sum([&](std::size_t c) { return gamma[c]; }, solution.spin);
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (s.bodies.kind[i] != BodyKind::dynamic) continue;
    const Vec6 total = w.wrench[i] + solution.push[i];
    apply_impulse(s.bodies, i, total.head<3>(), total.tail<3>());
  }
  Contacts& contacts = system.contacts;
  for (std::size_t c = 0; c < rows.size(); ++c)
    contacts.impulse[rows.source[c]] =
        gamma[c].n * rows.normal[c] + along_grain(rows, c, gamma[c].t);
  for (std::size_t c = 0; c < solution.spin.size(); ++c)
    contacts.spin[rows.source[c]] = solution.spin[c];
  move_anchors(rows, solution, dt, contacts.anchor);
  remember_contacts(contacts, dt, s);
}

double deepening_overlap(const ContactSystem& system, std::span<const Vec6> u, double dt) {
  const ContactRows& rows = system.rows;
  double deepest = 0;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const double start = system.contacts.gap[rows.source[c]];
    const double end = start + dt * (relative_velocity(rows, c, u).n - rows.bias[c]);
    if (end < start) deepest = std::max(deepest, -end);
  }
  return deepest;
}

}  // namespace hydrolith
