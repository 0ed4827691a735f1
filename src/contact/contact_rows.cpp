#include "contact/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace hydrolith {

namespace {

/// The smallest dynamic body of every body's island; a body alone, or not dynamic, is its own.
void find_islands(const Contacts& contacts, const BodyColumns& bodies,
                  std::vector<std::uint32_t>& root) {
  root.resize(bodies.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!bodies.dynamic[contacts.a[c]] || !bodies.dynamic[contacts.b[c]]) continue;
    const std::uint32_t a = find(contacts.a[c]), b = find(contacts.b[c]);
    root[std::max(a, b)] = std::min(a, b);
  }
  for (std::uint32_t i = 0; i < root.size(); ++i) root[i] = find(i);
}

/// Rows by island, then by pair. A pair of a dynamic body with another is in its island.
void sort_by_pair(const Contacts& contacts, const BodyColumns& bodies, ContactRows& rows) {
  rows.source.resize(contacts.size());
  std::iota(rows.source.begin(), rows.source.end(), 0u);
  const auto key = [&](std::uint32_t c) {
    const auto [lo, hi] = std::minmax(contacts.a[c], contacts.b[c]);
    return std::tuple(rows.island_of[bodies.dynamic[lo] ? lo : hi], lo, hi, c);
  };
  std::sort(rows.source.begin(), rows.source.end(),
            [&](std::uint32_t c, std::uint32_t d) { return key(c) < key(d); });
}

void group_islands(const BodyColumns& bodies, ContactRows& rows) {
  rows.islands.clear();
  rows.island_bodies.clear();
  const auto root = [&](const ContactRows::Pair& p) {
    return rows.island_of[bodies.dynamic[p.lo] ? p.lo : p.hi];
  };
  for (std::uint32_t p = 0; p < rows.pairs.size(); ++p) {
    if (p == 0 || root(rows.pairs[p]) != root(rows.pairs[p - 1]))
      rows.islands.push_back({.pair_begin = p});
    rows.islands.back().pair_end = p + 1;
  }
  for (ContactRows::Island& island : rows.islands) {
    island.body_begin = static_cast<std::uint32_t>(rows.island_bodies.size());
    for (std::uint32_t p = island.pair_begin; p < island.pair_end; ++p)
      for (std::uint32_t body : {rows.pairs[p].lo, rows.pairs[p].hi})
        if (bodies.dynamic[body]) rows.island_bodies.push_back(body);
    const auto first = rows.island_bodies.begin() + island.body_begin;
    std::sort(first, rows.island_bodies.end());
    rows.island_bodies.erase(std::unique(first, rows.island_bodies.end()),
                             rows.island_bodies.end());
    island.body_end = static_cast<std::uint32_t>(rows.island_bodies.size());
  }
}

void group_pairs(const Contacts& contacts, std::size_t bodies, ContactRows& rows) {
  rows.pairs.clear();
  rows.body_first.assign(bodies + 1, 0);
  for (std::uint32_t k = 0; k < rows.source.size(); ++k) {
    const std::uint32_t c = rows.source[k];
    const auto [lo, hi] = std::minmax(contacts.a[c], contacts.b[c]);
    if (rows.pairs.empty() || rows.pairs.back().lo != lo || rows.pairs.back().hi != hi) {
      rows.pairs.push_back({lo, hi, k, k});
      ++rows.body_first[lo + 1];
      ++rows.body_first[hi + 1];
    }
    rows.pairs.back().end = k + 1;
  }
  std::partial_sum(rows.body_first.begin(), rows.body_first.end(), rows.body_first.begin());
  rows.body_entries.resize(2 * rows.pairs.size());
  std::vector<std::uint32_t> next(rows.body_first.begin(), rows.body_first.end() - 1);
  for (std::uint32_t p = 0; p < rows.pairs.size(); ++p) {
    rows.body_entries[next[rows.pairs[p].lo]++] = 2 * p;
    rows.body_entries[next[rows.pairs[p].hi]++] = 2 * p + 1;
  }
}

/// A contact that sticks is asked back to where it began to: q_t = v_t + correction x / dt, x what
/// it has moved meanwhile; never faster than overlaps are undone.
void set_tangent_bias(const Contacts& contacts, const ContactRowOptions& options, ContactRows& r) {
  r.slip_speed = options.slip_speed, r.slop = options.slop;
  r.tangent_bias.resize(contacts.anchor.size());
  parallel_for(r.tangent_bias.size(), [&](std::size_t k) {
    const Vec3 &n = r.normal[k], &x = contacts.anchor[r.source[k]];
    const Vec3 v = options.correction / options.dt * (x - n.dot(x) * n);
    const double speed = v.norm(), most = options.correction_speed;
    r.tangent_bias[k] = speed > most ? Vec3(most / speed * v) : v;
  });
}

/// The mean inverse inertia of the pair stands for all directions: it sets only how fast the
/// solvers are.
void set_spin(const Contacts& contacts, const BodyColumns& bodies, ContactRows& r) {
  const std::size_t n = contacts.spin.size();
  for (auto* column : {&r.spin.torsional, &r.spin.rolling, &r.spin.mass}) column->resize(n);
  r.spin.guess.resize(n);
  parallel_for(n, [&](std::size_t k) {
    const std::uint32_t c = r.source[k];
    r.spin.torsional[k] = contacts.torsional[c];
    r.spin.rolling[k] = contacts.rolling[c];
    r.spin.mass[k] = 3 / (bodies.inverse_inertia[r.a[k]] + bodies.inverse_inertia[r.b[k]]).trace();
    r.spin.guess[k] = contacts.spin[c];
  });
}

}  // namespace

// With t = y_t / |y_t|: inside the cone nothing changes; in the polar cone (mu |y_t| <= -y_n) the
// apex is nearest; between them gamma_n = (y_n + mu |y_t|) / (1 + mu^2), gamma_t = mu gamma_n t.
ConeProjection project_on_cone(const NormalTangent& y, double mu) {
  const double length = y.t.norm();
  if (y.n >= 0 && length <= mu * y.n) return {y, ConeState::stick};
  if (mu * length <= -y.n) return {{}, ConeState::open};
  const double n = (y.n + mu * length) / (1 + mu * mu);
  return {{n, length > 0 ? Vec3(mu * n / length * y.t) : Vec3::Zero()}, ConeState::slip};
}

void build_rows(const Contacts& contacts, const RigidBodies& bodies, const BodyColumns& columns,
                const ContactRowOptions& options, ContactRows& r) {
  find_islands(contacts, columns, r.island_of);
  sort_by_pair(contacts, columns, r);
  group_pairs(contacts, bodies.size(), r);
  group_islands(columns, r);
  const std::size_t n = contacts.size();
  r.a.resize(n), r.b.resize(n);
  for (auto* column : {&r.normal, &r.arm_a, &r.arm_b, &r.grip_a, &r.grip_b}) column->resize(n);
  for (auto* column : {&r.mu, &r.bias, &r.mass}) column->resize(n);
  parallel_for(n, [&](std::size_t k) {
    const std::uint32_t c = r.source[k], a = contacts.a[c], b = contacts.b[c];
    r.a[k] = a;
    r.b[k] = b;
    r.normal[k] = contacts.normal[c];
    r.arm_a[k] = contacts.normal_point[c] - bodies.x[a];
    r.arm_b[k] = contacts.normal_point[c] - bodies.x[b];
    r.grip_a[k] = contacts.friction_point[c] - bodies.x[a];
    r.grip_b[k] = contacts.friction_point[c] - bodies.x[b];
    r.mu[k] = contacts.mu[c];
    // A gap may close in the step, v_n >= -gap / dt; an overlap is undone slowly, so that it does
    // not turn into speed, and not to the last: bodies that fit exactly could not be put right.
    const double gap = contacts.gap[c], overlap = std::max(0.0, -gap - options.slop);
    r.bias[k] =
        gap >= 0 ? gap / options.dt
                 : -std::min(options.correction * overlap / options.dt, options.correction_speed);
    r.mass[k] = 1 / (inverse_effective_mass(columns, a, r.normal[k], r.arm_a[k]) +
                     inverse_effective_mass(columns, b, r.normal[k], r.arm_b[k]));
  });
  set_tangent_bias(contacts, options, r);
  r.grain.resize(contacts.grain.size());
  for (std::size_t k = 0; k < r.grain.size(); ++k) r.grain[k] = contacts.grain[r.source[k]];
  set_spin(contacts, columns, r);
}

void add_spins(const ContactRows& r, std::size_t begin, std::size_t end, std::span<const Vec3> spin,
               std::vector<Vec6>& pair_sums) {
  for (std::size_t p = begin; p < end; ++p) {
    Vec3 on_lo = Vec3::Zero();
    for (std::size_t c = r.pairs[p].begin; c < r.pairs[p].end; ++c)
      on_lo += r.a[c] == r.pairs[p].lo ? spin[c] : Vec3(-spin[c]);
    pair_sums[2 * p].tail<3>() += on_lo;
    pair_sums[2 * p + 1].tail<3>() -= on_lo;
  }
}

double spin_error(const ContactRows& r, std::size_t c, double gamma_n, const Vec3& s,
                  std::span<const Vec6> u) {
  const Vec3 y = s - r.spin.mass[c] * relative_spin(u[r.a[c]], u[r.b[c]]);
  const SpinProjection p =
      project_spin(y, r.normal[c], r.spin.torsional[c], r.spin.rolling[c], gamma_n);
  return (s - p.value).norm() / std::sqrt(r.spin.mass[c] * r.mass[c]);
}

ContactResidual contact_residual(const ContactRows& r, std::span<const NormalTangent> q,
                                 std::span<const NormalTangent> gamma, double speed,
                                 std::size_t begin, std::size_t end, std::span<const Vec3> spin,
                                 std::span<const Vec6> u) {
  struct Sum {
    double sum = 0, max = 0, count = 0;
    Sum operator+(const Sum& o) const {
      return {sum + o.sum, std::max(max, o.max), count + o.count};
    }
  };
  const Sum total = ordered_sum(end - begin, Sum{}, [&](std::size_t k) -> Sum {
    const std::size_t c = begin + k;
    const double m = r.mass[c], shifted = q[c].n + r.mu[c] * q[c].t.norm();
    const ConeProjection p =
        project_on_cone({gamma[c].n - m * shifted, gamma[c].t - m * q[c].t}, r.mu[c]);
    if (p.state == ConeState::open && gamma[c].n == 0) return {};
    double error = std::hypot(gamma[c].n - p.value.n, (gamma[c].t - p.value.t).norm()) / m;
    if (!spin.empty()) error = std::hypot(error, spin_error(r, c, gamma[c].n, spin[c], u));
    return {error / speed, error / speed, 1};
  });
  return {total.count > 0 ? total.sum / total.count : 0, total.max};
}

}  // namespace hydrolith
