#include "particles/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace hydrolith::particles {

namespace {

void sort_by_pair(const Contacts& contacts, ContactRows& rows) {
  rows.source.resize(contacts.size());
  std::iota(rows.source.begin(), rows.source.end(), 0u);
  const auto key = [&](std::uint32_t c) {
    const auto [lo, hi] = std::minmax(contacts.a[c], contacts.b[c]);
    return std::tuple(lo, hi, c);
  };
  std::sort(rows.source.begin(), rows.source.end(),
            [&](std::uint32_t c, std::uint32_t d) { return key(c) < key(d); });
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
  sort_by_pair(contacts, r);
  group_pairs(contacts, bodies.size(), r);
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
    // not turn into speed.
    const double gap = contacts.gap[c];
    r.bias[k] = gap >= 0
                    ? gap / options.dt
                    : std::max(options.correction * gap / options.dt, -options.correction_speed);
    r.mass[k] = 1 / (inverse_effective_mass(columns, a, r.normal[k], r.arm_a[k]) +
                     inverse_effective_mass(columns, b, r.normal[k], r.arm_b[k]));
  });
}

ContactResidual contact_residual(const ContactRows& r, std::span<const NormalTangent> q,
                                 std::span<const NormalTangent> gamma, double speed) {
  struct Sum {
    double sum = 0, max = 0, count = 0;
    Sum operator+(const Sum& o) const {
      return {sum + o.sum, std::max(max, o.max), count + o.count};
    }
  };
  const Sum total = ordered_sum(r.size(), Sum{}, [&](std::size_t c) -> Sum {
    const double m = r.mass[c], shifted = q[c].n + r.mu[c] * q[c].t.norm();
    const ConeProjection p =
        project_on_cone({gamma[c].n - m * shifted, gamma[c].t - m * q[c].t}, r.mu[c]);
    if (p.state == ConeState::open && gamma[c].n == 0) return {};
    const double error = std::hypot(gamma[c].n - p.value.n, (gamma[c].t - p.value.t).norm()) / m;
    return {error / speed, error / speed, 1};
  });
  return {total.count > 0 ? total.sum / total.count : 0, total.max};
}

}  // namespace hydrolith::particles
