#include "core/check.h"
#include "geometry/union_find.h"
#include "particles/step_parts.h"
#include "setup/unknown_forces.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace hydrolith::particles {

namespace {

using Stop = std::function<bool()>;

double largest_compression(const LiquidSystem& l) {
  return l.size() == 0 ? 0 : *std::max_element(l.compression.begin(), l.compression.end());
}

/// A step of the liquid alone around held bodies; `kept` of its velocity remains.
void settle_step(const Model& m, State& s, Workspace& w, double dt, bool weightless, double kept) {
  find_neighbours(m, s, w);
  attempt(m, s, w, dt, weightless);
  if (!std::isfinite(fastest(m, s))) throw SimulationError("settling: " + first_not_finite(m, s));
  for (Vec3& v : s.v) v *= kept;
  s.time = 0;
  s.step = 0;
}

/// How far the worst of the inner cells is from its volume [-].
double largest_volume_error(const State& s, const Cells& cells) {
  double worst = 0;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells.open[i] < 0.02) worst = std::max(worst, std::abs(cells.volume[i] / s.volume[i] - 1));
  return worst;
}

/// The liquid of a room without any opening, and how much room there is [m^d].
struct ClosedRoom {
  double liquid = 0, room = 0;
  std::size_t cells = 0;
  bool open = false;

  /// A few cells are none: a particle may have got into a solid.
  bool counts() const { return !open && cells >= 10; }
};

/// Liquid that fills a closed room to the last corner has to have its volume: a little too much and
/// no velocities take it in, pressure grows without bound and particles fly out. What solids leave
/// of a liquid is known by quadrature, and a lattice shares it out between rooms as it fits; so
/// such liquid is made to fit, with a little room to spare, and that is told. Where most of the
/// liquid is so confined, more than that is a fault of the scene. Whether
/// anything was made to fit.
bool fit_closed_rooms(const Model& m, State& s, Workspace& w) {
  constexpr double open_cell = 1e-3;  // [-] of a flat surface
  constexpr double spare = 1e-4;      // [-] room that is left
  constexpr double most = 0.005;      // [-] too much liquid
  const Cells& cells = w.cells.cells;
  UnionFind rooms(s.particles());
  for (std::uint32_t i = 0; i < s.particles(); ++i)
    for (std::uint32_t e = w.cells.op.first(i); e < w.cells.op.last(i); ++e)
      rooms.join(i, w.cells.op.neighbour(e));
  std::map<std::uint32_t, ClosedRoom> all;
  for (std::uint32_t i = 0; i < s.particles(); ++i) {
    ClosedRoom& r = all[rooms.find(i)];
    r.liquid += s.volume[i];
    r.room += cells.volume[i];
    r.open |= cells.open[i] > open_cell;
    ++r.cells;
  }
  std::erase_if(all, [](const auto& r) { return !r.second.counts(); });
  ClosedRoom sum;
  for (const auto& [first, r] : all)
    sum.liquid += r.liquid, sum.room += r.room, sum.cells += r.cells;
  const auto text = [&](const ClosedRoom& r) {
    const char* unit = m.scene.dimensions == 2 ? "m^2" : "m^3";
    return fmt::format("{:.6g} {} of liquid fill a closed room of {:.6g} {}", r.liquid, unit,
                       r.room, unit);
  };
  if (2 * sum.cells > s.particles() && sum.liquid > (1 + most) * sum.room)
    throw SimulationError(
        fmt::format("{}: {:.3g} % too much. Make the liquid smaller or the room larger", text(sum),
                    100 * (sum.liquid / sum.room - 1)));
  bool any = false;
  for (const auto& [first, r] : all) {
    if (!(r.liquid > (1 - 0.5 * spare) * r.room)) continue;
    any = true;
    const double share = (1 - spare) * r.room / r.liquid;
    for (std::uint32_t i = 0; i < s.particles(); ++i)
      if (rooms.find(i) == first) s.volume[i] *= share;
    w.notes.push_back(fmt::format("{}; its particles are made {:.2g} % smaller, so that they fit",
                                  text(r), 100 * (1 - share)));
  }
  return any;
}

/// Before t = 0, on cells: volumes are made equal and particles drawn to the centroids of their
/// cells, by moving positions alone. Each round takes the difference of two steps from rest under
/// gravity, one that undoes errors of volume and one that does not: so the pressure that closes a
/// gap may pull as well as push, being a small part of the weight above it, and a slope or a column
/// that is about to run stays where it was put. False: stopped.
bool spread(const Model& m, State& s, Workspace& w, const Stop& stop) {
  constexpr int rounds = 30, drawn = 8;
  constexpr double even = 5e-3;  // [-] error of volume that is left
  const double g = m.scene.gravity.norm();
  const double dt = 0.35 * std::sqrt(m.scene.spacing / (g > 0 ? g : 9.81));
  w.cells.spreading = true;
  std::vector<Vec3> start, evened;
  for (int k = 0; k < rounds && !stop(); ++k) {
    find_neighbours(m, s, w);
    start = s.x;
    const auto from_rest = [&](double share, double shift) {
      s.x = start;
      std::fill(s.v.begin(), s.v.end(), Vec3::Zero());
      w.cells.spread_share = share;
      w.cells.spread_shift = shift;
      attempt(m, s, w, dt, false);
      if (!std::isfinite(fastest(m, s)))
        throw SimulationError("settling: " + first_not_finite(m, s));
    };
    from_rest(0.5, k < drawn ? 0.3 : 0);
    if (fit_closed_rooms(m, s, w)) from_rest(0.5, k < drawn ? 0.3 : 0);
    const double worst = largest_volume_error(s, w.cells.cells);
    evened = s.x;
    from_rest(0, 0);
    for (std::size_t i = 0; i < s.particles(); ++i) s.x[i] = start[i] + (evened[i] - s.x[i]);
    shift_particles(m, s, w.cells, 0);  // back out of solids
    if (worst < even) break;
  }
  std::fill(s.v.begin(), s.v.end(), Vec3::Zero());
  s.time = 0;
  s.step = 0;
  w.cells.spreading = false;
  return !stop();
}

/// Whether no particle on cells would move by a hundredth of a spacing in the time that is left.
bool at_rest(const Model& m, const State& s, double left) {
  const double still = 0.01 * m.scene.spacing / left;
  return std::all_of(s.v.begin(), s.v.end(),
                     [&](const Vec3& v) { return v.squaredNorm() <= still * still; });
}

}  // namespace

bool settle(const Model& m, State& s, Workspace& w, const std::atomic<bool>* stopped) {
  constexpr int most_steps_apart = 40;
  constexpr double loose = 0.02;  // [-] compression that needs no help
  if (s.particles() == 0 || s.bodies.size() == 0) return true;
  const bool on_cells = m.scene.solver.uses_cells();
  const Stop stop = [stopped] { return stopped && *stopped; };
  w.notes.clear();
  const State as_placed = s;
  const RigidBodies bodies = s.bodies;
  const std::vector<MotionProgress> motion = s.motion;
  place_samples(m, s, w.samples);  // somebody may have put bodies elsewhere
  std::fill(s.bodies.kind.begin(), s.bodies.kind.end(), BodyKind::fixed);
  for (auto* column : {&s.bodies.v, &s.bodies.omega, &s.v})
    std::fill(column->begin(), column->end(), Vec3::Zero());
  bool ended = !on_cells || spread(m, s, w, stop);
  for (int k = 0; k < most_steps_apart && !on_cells && ended; ++k) {
    settle_step(m, s, w, choose_time_step(m, s), true, 0);
    if (largest_compression(w.system.liquid) < loose) break;
    ended = !stop();
  }
  for (double t = 0; t < m.scene.settle && ended;) {
    const double dt = choose_time_step(m, s);
    settle_step(m, s, w, dt, false, 0.8);
    t += dt;
    if (on_cells && at_rest(m, s, m.scene.settle - t)) break;
    ended = !stop();
  }
  if (!ended) {
    s = as_placed;
    return false;
  }
  s.bodies = bodies;
  s.motion = motion;
  s.contacts = {};
  std::fill(s.excess.begin(), s.excess.end(), Vec6::Zero());
  std::fill(s.forces.begin(), s.forces.end(), unknown_forces());
  if (m.scene.settle == 0) std::fill(s.pressure.begin(), s.pressure.end(), 0.0f);
  for (std::size_t i = 0; i < s.particles(); ++i)
    s.v[i] = m.scene.liquids[s.liquid[i]].velocity(s.x[i]);
  return true;
}

}  // namespace hydrolith::particles
