#include "contact/reduce_contacts.h"

#include "setup/flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace hydrolith {

namespace {

constexpr double same_normal = 0.99;  // [-] cosine
constexpr int directions = 8;

/// Contacts of one pair whose normals agree.
struct Patch {
  Vec3 normal;
  std::vector<std::uint32_t> members;
};

void keep_outermost(const Contacts& c, const Patch& patch, std::vector<char>& keep) {
  if (patch.members.size() <= 4) {
    for (std::uint32_t i : patch.members) keep[i] = 1;
    return;
  }
  const Vec3 e = std::abs(patch.normal.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitZ();
  const Vec3 t1 = (e - patch.normal.dot(e) * patch.normal).normalized();
  const Vec3 t2 = patch.normal.cross(t1);
  double scale = 0;
  const Vec3 origin = c.normal_point[patch.members.front()];
  for (std::uint32_t i : patch.members)
    scale = std::max(scale, (c.normal_point[i] - origin).norm());
  const auto best = [&](auto&& value) {
    std::uint32_t winner = patch.members.front();
    double most = -1e300;
    for (std::uint32_t i : patch.members) {
      const double bonus = c.impulse[i].squaredNorm() > 0 ? 1e-6 * scale : 0;
      const double v = value(i) + bonus;
      if (v > most + 1e-9 * scale) most = v, winner = i;
    }
    keep[winner] = 1;
  };
  best([&](std::uint32_t i) { return -c.gap[i]; });
  for (int k = 0; k < directions; ++k) {
    const double angle = 2 * std::numbers::pi * k / directions;
    const Vec3 along = std::cos(angle) * t1 + std::sin(angle) * t2;
    best([&](std::uint32_t i) { return along.dot(c.normal_point[i] - origin); });
  }
}

}  // namespace

void reduce_contacts(Contacts& c) {
  const std::size_t n = c.size();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  const auto pair_of = [&](std::uint32_t i) {
    return std::pair(std::min(c.a[i], c.b[i]), std::max(c.a[i], c.b[i]));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return pair_of(i) < pair_of(j); });
  std::vector<char> keep(n, 0);
  std::vector<Patch> patches;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    patches.clear();
    for (; end < n && pair_of(order[end]) == pair_of(order[begin]); ++end) {
      const std::uint32_t i = order[end];
      // Both bodies may have the sample: normals as seen from the lower one.
      const Vec3 normal = c.a[i] < c.b[i] ? c.normal[i] : Vec3(-c.normal[i]);
      const auto found = std::find_if(patches.begin(), patches.end(), [&](const Patch& p) {
        return p.normal.dot(normal) > same_normal;
      });
      if (found != patches.end())
        found->members.push_back(i);
      else
        patches.push_back({normal, {i}});
    }
    for (const Patch& p : patches) keep_outermost(c, p, keep);
    begin = end;
  }
  keep_marked(keep, c.sample), keep_marked(keep, c.a), keep_marked(keep, c.b);
  keep_marked(keep, c.normal), keep_marked(keep, c.normal_point);
  keep_marked(keep, c.friction_point), keep_marked(keep, c.gap), keep_marked(keep, c.mu);
  keep_marked(keep, c.impulse);
}

}  // namespace hydrolith
