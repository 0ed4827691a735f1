#pragma once
// The rows of the system that belong to contacts, and the bodies they act on.
//
// Notation: u = (v, omega) of every body, q = J u + bias the relative velocity of a contact
// (normal part n, tangent part t as a vector in the tangent plane), gamma the impulse on body a.
// Signorini and Coulomb together (Probst & Teschner 2023 eq. 3.9, 3.17, 3.18) read, with the shift
// of De Saxce (mu |q_t| added to the normal velocity),
//   K* contains q + (mu |q_t|, 0),  gamma in K,  gamma . (q + (mu |q_t|, 0)) = 0,
// K = {gamma_n >= 0, |gamma_t| <= mu gamma_n}.
//
// Friction that depends on the direction has, with mu the larger and (1 - k.k) mu the smaller
// coefficient, that one along k, the limit |G^-1 gamma_t| <= mu gamma_n, G = 1 - k k^T: an ellipse.
// In scaled tangents, q_t' = G q_t and gamma_t = G gamma_t', maximum dissipation over the ellipse
// is the law above, word for word, for -gamma_t . q_t = -gamma_t' . q_t'. So q_t and gamma_t below
// are the scaled ones; forces and velocities of bodies never are.

#include "contact/contacts.h"
#include "contact/spin_rows.h"
#include "core/parallel.h"
#include "linalg/block_ldu.h"

#include <span>
#include <vector>

namespace hydrolith {

/// Normal and tangential part of an impulse [N s] or of a velocity [m/s]; t lies in the tangent
/// plane, world frame.
struct NormalTangent {
  double n = 0;
  Vec3 t = Vec3::Zero();
};

/// Nearest point of the friction cone K, and how it depends on y.
enum class ConeState : char { open, stick, slip };
struct ConeProjection {
  NormalTangent value;
  ConeState state = ConeState::open;
};
ConeProjection project_on_cone(const NormalTangent& y, double mu);

/// Masses and velocities of all bodies. Bodies that are not dynamic have an infinite mass.
struct BodyColumns {
  std::vector<char> dynamic;
  std::vector<double> inverse_mass;   // [1/kg]
  std::vector<Mat3> inverse_inertia;  // [1/(kg m^2)] world
  std::vector<Mat6> mass;             // [kg], [kg m^2] world
  std::vector<double> reach;          // [m] farthest point from the centre
  std::vector<Vec6> start;            // u*: velocities without pressure, contact and friction
  std::vector<Mat6> whole_inverse;    // M^-1 where liquid goes with bodies; empty: as above

  std::size_t size() const { return dynamic.size(); }
  /// M^-1 w for a wrench or impulse w.
  Vec6 accelerate(std::size_t body, const Vec6& w) const {
    if (!whole_inverse.empty()) return whole_inverse[body] * w;
    Vec6 a;
    a << inverse_mass[body] * w.head<3>(), inverse_inertia[body] * w.tail<3>();
    return a;
  }
};

/// j M^-1 j^T [1/kg] for a unit impulse e with the given arm on a body.
inline double inverse_effective_mass(const BodyColumns& m, std::size_t body, const Vec3& e,
                                     const Vec3& arm) {
  const Vec3 r = arm.cross(e);
  return m.inverse_mass[body] + r.dot(m.inverse_inertia[body] * r);
}

struct ContactRowOptions {
  double dt = 0;                  // [s]
  double correction = 0.2;        // [-] part of an overlap undone in one step
  double correction_speed = 0.5;  // [m/s] but never faster than this
  double slop = 0;                // [m] overlap that is left alone
  double slip_speed = 0;          // [m/s] what is slower may be an error of the solver
};

/// Columns, grouped by pair of bodies so that one thread writes one pair.
struct ContactRows {
  struct Pair {
    std::uint32_t lo = 0, hi = 0;      // bodies
    std::uint32_t begin = 0, end = 0;  // rows
  };
  /// Dynamic bodies that touch each other, directly or through others; fixed and kinematic bodies
  /// do not join islands.
  struct Island {
    std::uint32_t pair_begin = 0, pair_end = 0;
    std::uint32_t body_begin = 0, body_end = 0;  // in island_bodies
  };
  std::vector<Pair> pairs;  // sorted by island
  std::vector<Island> islands;
  std::vector<std::uint32_t> island_bodies;
  std::vector<std::uint32_t> island_of;     // body -> smallest body of its island
  std::vector<std::uint32_t> source;        // row -> contact
  std::vector<std::uint32_t> a, b;          // bodies
  std::vector<Vec3> normal;                 // unit, from b to a
  std::vector<Vec3> arm_a, arm_b;           // [m] of the normal impulse
  std::vector<Vec3> grip_a, grip_b;         // [m] arms of the friction impulse
  std::vector<double> mu;                   // [-]
  std::vector<double> bias;                 // [m/s]
  std::vector<Vec3> tangent_bias;           // [m/s] of anchored contacts; empty: none
  std::vector<Vec3> grain;                  // k of the direction of least friction; empty: none
  double slip_speed = 0, slop = 0;          // [m/s], [m] of ContactRowOptions
  SpinColumns spin;                         // empty: nothing resists turning
  std::vector<double> mass;                 // [kg] 1 / (j_n M^-1 j_n^T)
  std::vector<std::uint32_t> body_first;    // body -> first of its entries below; bodies + 1
  std::vector<std::uint32_t> body_entries;  // 2 * pair + (body is hi)

  std::size_t size() const { return source.size(); }
  std::size_t row_begin(const Island& island) const { return pairs[island.pair_begin].begin; }
  std::size_t row_end(const Island& island) const { return pairs[island.pair_end - 1].end; }
};

void build_rows(const Contacts& contacts, const RigidBodies& bodies, const BodyColumns& columns,
                const ContactRowOptions& options, ContactRows& rows);

/// G t = t - k (k . t) for a tangent vector t.
inline Vec3 along_grain(const ContactRows& r, std::size_t c, const Vec3& t) {
  return r.grain.empty() ? t : Vec3(t - r.grain[c].dot(t) * r.grain[c]);
}
/// G^-1 t; where there is no friction along k, without that part.
inline Vec3 against_grain(const ContactRows& r, std::size_t c, const Vec3& t) {
  if (r.grain.empty()) return t;
  const Vec3& k = r.grain[c];
  const double rest = 1 - k.squaredNorm();
  return t + (rest > 1e-9 ? 1 / rest : -1.0) * k.dot(t) * k;
}

/// J_t u + tangent_bias of row c [m/s], as it is.
inline Vec3 tangent_velocity(const ContactRows& r, std::size_t c, std::span<const Vec6> u) {
  const Vec6 &ua = u[r.a[c]], &ub = u[r.b[c]];
  const Vec3 va = ua.head<3>(), wa = ua.tail<3>(), vb = ub.head<3>(), wb = ub.tail<3>();
  const Vec3 at_grip = va + wa.cross(r.grip_a[c]) - vb - wb.cross(r.grip_b[c]);
  const Vec3 t = at_grip - r.normal[c].dot(at_grip) * r.normal[c];
  return r.tangent_bias.empty() ? t : Vec3(t + r.tangent_bias[c]);
}

/// q = J u + (bias, tangent_bias) of row c, tangents scaled.
inline NormalTangent relative_velocity(const ContactRows& r, std::size_t c,
                                       std::span<const Vec6> u) {
  const Vec6 &ua = u[r.a[c]], &ub = u[r.b[c]];
  const Vec3 va = ua.head<3>(), wa = ua.tail<3>(), vb = ub.head<3>(), wb = ub.tail<3>();
  const Vec3 at_normal = va + wa.cross(r.arm_a[c]) - vb - wb.cross(r.arm_b[c]);
  return {r.bias[c] + r.normal[c].dot(at_normal), along_grain(r, c, tangent_velocity(r, c, u))};
}

struct ContactResidual {
  double mean = 0, max = 0;  // [-] over contacts that touch: error of the natural map over `speed`
};

/// Error of gamma and q in the exact complementarity, in units of `speed` [m/s]:
///   |gamma - P_K(gamma - m (q + (mu |q_t|, 0)))| / m,   m the effective mass of the normal row,
/// over rows from `begin` to `end`; with `spin`, their angular impulses for velocities `u`, the
/// error of spin_error() too.
ContactResidual contact_residual(const ContactRows& rows, std::span<const NormalTangent> q,
                                 std::span<const NormalTangent> gamma, double speed,
                                 std::size_t begin, std::size_t end,
                                 std::span<const Vec3> spin = {}, std::span<const Vec6> u = {});
inline ContactResidual contact_residual(const ContactRows& rows, std::span<const NormalTangent> q,
                                        std::span<const NormalTangent> gamma, double speed) {
  return contact_residual(rows, q, gamma, speed, 0, rows.size());
}

/// Adds the impulse of row c to the sums of its pair.
inline void add_impulse(const ContactRows& r, std::size_t c, const NormalTangent& gamma,
                        bool a_is_lo, Vec6& lo, Vec6& hi) {
  const Vec3 N = gamma.n * r.normal[c], T = along_grain(r, c, gamma.t);
  Vec6 on_a, on_b;
  on_a << N + T, r.arm_a[c].cross(N) + r.grip_a[c].cross(T);
  on_b << -(N + T), -(r.arm_b[c].cross(N) + r.grip_b[c].cross(T));
  lo += a_is_lo ? on_a : on_b;
  hi += a_is_lo ? on_b : on_a;
}

/// J^T gamma of pairs `begin` to `end`, two sums a pair; gamma(c) is given by a function that may
/// compute it on the way.
template <class F>
void sum_impulses(const ContactRows& r, std::size_t begin, std::size_t end,
                  std::vector<Vec6>& pair_sums, F&& gamma) {
  parallel_for(
      end - begin,
      [&](std::size_t k) {
        const ContactRows::Pair& pair = r.pairs[begin + k];
        Vec6 lo = Vec6::Zero(), hi = Vec6::Zero();
        for (std::size_t c = pair.begin; c < pair.end; ++c)
          add_impulse(r, c, gamma(c), r.a[c] == pair.lo, lo, hi);
        pair_sums[2 * (begin + k)] = lo;
        pair_sums[2 * (begin + k) + 1] = hi;
      },
      8);
}

/// Adds the angular impulses `spin` of pairs `begin` to `end` to their sums.
void add_spins(const ContactRows& r, std::size_t begin, std::size_t end, std::span<const Vec3> spin,
               std::vector<Vec6>& pair_sums);

/// Error of a row's angular impulse in the natural map, as a speed [m/s] of its effective masses:
///   |s - P(s - m_s w)| / sqrt(m_s m).
double spin_error(const ContactRows& r, std::size_t c, double gamma_n, const Vec3& s,
                  std::span<const Vec6> u);

/// Sum over the pairs of a body, ordered.
inline Vec6 pair_total(const ContactRows& r, const std::vector<Vec6>& pair_sums, std::size_t body) {
  Vec6 total = Vec6::Zero();
  for (std::uint32_t k = r.body_first[body]; k < r.body_first[body + 1]; ++k)
    total += pair_sums[r.body_entries[k]];
  return total;
}

/// wrench = J^T gamma of all bodies, and of angular impulses `spin` if there are any.
template <class F>
void sum_impulses(const ContactRows& r, std::vector<Vec6>& pair_sums, std::span<Vec6> wrench,
                  F&& gamma, std::span<const Vec3> spin = {}) {
  pair_sums.resize(2 * r.pairs.size());
  sum_impulses(r, 0, r.pairs.size(), pair_sums, gamma);
  if (!spin.empty()) add_spins(r, 0, r.pairs.size(), spin, pair_sums);
  for (std::size_t body = 0; body < wrench.size(); ++body)
    wrench[body] = pair_total(r, pair_sums, body);
}

}  // namespace hydrolith
