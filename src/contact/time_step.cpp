#include "contact/time_step.h"

#include "contact/bodies_step.h"
#include "core/parallel.h"
#include "setup/flow.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace hydrolith {

namespace {

struct Fast {
  double speed = 0;  // [m/s]
  std::size_t i = 0;
};

/// Particles faster than `enough`, the fastest first.
std::vector<Fast> fast_particles(std::span<const Vec3> v, double enough) {
  std::vector<Fast> fast;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double sq = v[i].squaredNorm();
    if (!(sq <= enough * enough)) fast.push_back({sq >= 0 ? std::sqrt(sq) : unlimited, i});
  }
  std::sort(fast.begin(), fast.end(), [](const Fast& a, const Fast& b) {
    return a.speed > b.speed || (a.speed == b.speed && a.i < b.i);
  });
  return fast;
}

/// Whether one of the next particles in memory is that near; liquid is sorted, so it mostly is.
bool has_company_nearby(std::span<const Vec3> x, std::size_t i, double distance) {
  constexpr std::size_t look = 8;
  for (std::size_t j = i < look ? 0 : i - look; j < std::min(x.size(), i + look + 1); ++j)
    if (j != i && (x[j] - x[i]).squaredNorm() <= distance * distance) return true;
  return false;
}

/// Marks the particles of `fast` that have liquid within within(f), which is largest for the first:
/// they are entered into the 27 cells around them, and every particle looks into its own.
template <class F>
std::vector<char> with_company(std::span<const Vec3> x, std::span<const Fast> fast, F&& within) {
  const double distance = within(fast.front());
  const auto key = [&](const Vec3& p, int i, int j, int k) {
    const auto part = [&](int a, int offset) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(p[a] / distance)) +
                                        offset) &
             0x1fffff;
    };
    return part(0, i) | part(1, j) << 21 | part(2, k) << 42;
  };
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells;
  for (std::uint32_t f = 0; f < fast.size(); ++f)
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = -1; k <= 1; ++k) cells[key(x[fast[f].i], i, j, k)].push_back(f);
  std::vector<char> company(fast.size(), 0);
  for (std::size_t p = 0; p < x.size(); ++p) {
    const auto cell = cells.find(key(x[p], 0, 0, 0));
    if (cell == cells.end()) continue;
    for (const std::uint32_t f : cell->second)
      if (fast[f].i != p && (x[p] - x[fast[f].i]).norm() <= within(fast[f])) company[f] = 1;
  }
  return company;
}

/// Whether the surface of a body is within reach [m] of x and what the body moves in dt.
bool meets_body(const World& w, const WorldState& s, const Vec3& x, double reach, double dt) {
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    const std::uint32_t shape = w.solids.shape_of[i];
    const double within = reach + body_speed(w, s, i) * dt;
    const Vec3 d = x - s.bodies.x[i];
    if (d.norm() > w.reach[shape] + within) continue;
    const Pose pose = s.bodies.pose(i);
    const auto& distance = w.solids.shapes[shape].distance;
    if (!distance || distance->is_within(pose.orientation.conjugate() * d, within)) return true;
  }
  return false;
}

}  // namespace

double ruling_speed(const World& w, const WorldState& s, const MovingLiquid& liquid, double dt,
                    double enough) {
  const double h = w.scene.spacing, body = fastest_body(w, s);
  const auto& x = liquid.x;
  const std::vector<Fast> fast = fast_particles(liquid.v, enough);
  if (fast.empty()) return std::max(body, enough);
  const auto reach = [&](const Fast& f) { return 2 * h + f.speed * dt; };
  const auto company_within = [&](const Fast& f) { return 2 * h + 2 * f.speed * dt; };
  const auto outside = [&](const Fast& f) { return w.container && !w.container->contains(x[f.i]); };
  if (!std::isfinite(fast.front().speed)) return unlimited;
  if (!outside(fast.front()) && has_company_nearby(x, fast.front().i, company_within(fast.front())))
    return std::max(body, fast.front().speed);

  const std::vector<char> company = with_company(x, fast, company_within);
  const double share = w.scene.time_step.cfl / liquid.lone_travel;
  double speed = std::max(body, enough);
  for (std::size_t f = 0; f < fast.size() && fast[f].speed > speed; ++f) {
    const bool rules =
        !outside(fast[f]) && (company[f] || meets_body(w, s, x[fast[f].i], reach(fast[f]), dt));
    speed = std::max(speed, fast[f].speed * (rules ? 1 : std::min(1.0, share)));
  }
  return speed;
}

double choose_time_step(const World& w, const WorldState& s, const MovingLiquid& liquid) {
  const TimeStepSpec& spec = w.scene.time_step;
  if (!spec.adaptive) return spec.fixed;
  const double h = w.scene.spacing, longest = longest_step(w.scene);
  // What gravity adds within the step counts too: v + g dt with dt at its longest.
  const double fall = w.scene.gravity.norm() * longest;
  const double enough = spec.cfl * h / longest - fall;  // up to this the longest step will do
  double speed = ruling_speed(w, s, liquid, longest, std::max(0.0, enough));
  for (const Emitter& e : w.emitters) speed = std::max(speed, emitter_speed(e, s.time));
  if (speed <= enough) return longest;
  return std::clamp(spec.cfl * h / std::max(speed + fall, 1e-12), spec.min, longest);
}

}  // namespace hydrolith
