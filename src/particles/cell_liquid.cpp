#include "particles/cell_liquid.h"

#include "core/double4.h"
#include "core/parallel.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

constexpr double one_sided = 1 - 1e-6;    // [-] of facets that all face the same way
constexpr double open_cell = 0.02;        // [-] of a flat surface: a cell of the free surface
constexpr double fastest_undoing = 10;    // [sqrt(g h)] at which a volume error may be undone
constexpr double all_at_once = 0.5;       // [-] room of an open cell that it may lose in a step
constexpr double most_smoothing = 0.4;    // [-] of the roughness in one step; more is not stable
constexpr double most_shift = 0.5;        // [-] of the way to the centroid in one step
constexpr double spring_at_bodies = 0.1;  // [-] of the spring; their reaction is noise
constexpr double smoother_at_rest = 4;    // [-] times the smoothing in a flow
// Surfaces in space have more ways to crumple.
constexpr double smoother_in_space = 2;  // [-] times the smoothing

/// [m/s^2] Sets the rates; without gravity, that of the earth.
double rate_gravity(const Model& m) {
  const double g = m.scene.gravity.norm();
  return g > 0 ? g : 9.81;
}

double face_unit(const LiquidSystem& l) { return l.dimensions == 2 ? l.h : l.h * l.h; }

/// [m^d] The volume that a cell is to have. A flat surface and a lone particle have that of the
/// lattice, whatever an emitter gave its particles: more cannot be had where a cell is open.
double wanted_volume(const State& s, const Cells& cells, std::size_t i, double lattice) {
  const double more = std::max(0.0, s.volume[i] - lattice);
  return s.volume[i] - more * std::min(1.0, cells.open[i]);
}

/// [m/s per h] Norm of the symmetric part of the velocity's gradient.
double strain_rate(const Columns3& gradient) {
  const auto& [x, y, z] = gradient;
  const float xy = x[1] + y[0], yz = y[2] + z[1], zx = z[0] + x[2];
  return std::sqrt(x[0] * x[0] + y[1] * y[1] + z[2] * z[2] + 0.5f * (xy * xy + yz * yz + zx * zx));
}

/// [m/s per h] The mean gradient over a cell and its neighbours: a flow's, without what single
/// particles out of step with it add.
Columns3 mean_gradient(const CellLiquid& c, std::size_t i) {
  auto [x, y, z] = c.op.gradient(i);
  const std::uint32_t first = c.op.first(i), last = c.op.last(i);
  for (std::uint32_t e = first; e < last; ++e) {
    const auto& [fx, fy, fz] = c.op.gradient(c.op.neighbour(e));
    x += fx, y += fy, z += fz;
  }
  const float share = 1 / static_cast<float>(1 + last - first);
  return {share * x, share * y, share * z};
}

/// Whether cell i or a neighbour touches a body that moves: in the narrow gap below a block the
/// centroid is no place to go.
bool near_body(const CellLiquid& c, std::size_t i) {
  bool near = c.op.beside_body(i);
  for (std::uint32_t e = c.op.first(i); e < c.op.last(i); ++e)
    near |= c.op.beside_body(c.op.neighbour(e));
  return near;
}

}  // namespace

CellRates cell_rates(const Model& m) {
  const SolverSpec& spec = m.scene.solver;
  const double rate = std::sqrt(rate_gravity(m) / m.scene.spacing);
  const bool space = m.scene.dimensions == 3;
  return {spec.volume_rate * rate, (space ? smoother_in_space : 1) * spec.smoothing * rate,
          spec.spring * rate * rate, spec.shift * rate, spec.calm_strain * rate};
}

CellLiquid::CellLiquid(const Model& m) : film(m) {
  if (!m.scene.solver.uses_cells()) return;
  for (const SolidShape& shape : m.solids.shapes) {
    if (m.scene.dimensions == 2) {
      shapes.emplace_back(shape.outline_to_cut_by());
      edges.push_back(sharp_edges(shape.outline_to_cut_by(), m.scene.spacing));
    } else {
      shapes.emplace_back(shape.mesh_to_cut_by());
      edges.push_back(sharp_edges(shape.mesh_to_cut_by(), m.scene.spacing));
    }
  }
}

namespace {

/// Facets of a cell come body by body, so that every run of one body is a touch.
void find_touches(const State& s, double h, CellLiquid& c) {
  const std::vector<CellFacet>& facets = c.cells.facets;
  c.touches.clear();
  c.touch_first.clear();
  for (std::uint32_t f = 0; f < facets.size(); ++f) {
    const CellFacet& facet = facets[f];
    const bool next = f == 0 || facet.particle != facets[f - 1].particle;
    if (next) c.touch_first.push_back(static_cast<std::uint32_t>(c.touches.size()));
    if (next || facet.surface != facets[f - 1].surface)
      c.touches.push_back({facet.particle, facet.surface, f, f});
    c.touches.back().last = f + 1;
  }
  c.touch_first.push_back(static_cast<std::uint32_t>(c.touches.size()));
  parallel_for(
      c.touches.size(),
      [&](std::size_t k) {
        Touch& touch = c.touches[k];
        const CellSurface& surface = c.surfaces[touch.solid];
        SurfaceIndex::Nearest near;
        if (surface.index->nearest(surface.pose.inverse() * s.x[touch.particle], 2 * h, near))
          touch.distance = near.distance;
      },
      32);
}

}  // namespace

void assemble_cells(const Model& m, const State& s, double dt, CellLiquid& c,
                    LiquidSystem& system) {
  const double h = m.scene.spacing;
  const int d = m.scene.dimensions;
  const std::size_t n = s.particles();
  system.h = h;
  system.dt = dt;
  system.dimensions = d;
  system.mass = (d == 2 ? h * h : h * h * h) *
                (m.scene.liquids.empty() ? 1000 : m.scene.liquids.front().density);
  system.cells = &c.op;
  system.v.resize(n);
  for (auto* column : {&system.still, &system.compression, &system.diagonal}) column->resize(n);
  c.surfaces.resize(s.bodies.size());
  for (std::size_t k = 0; k < s.bodies.size(); ++k)
    c.surfaces[k] = {&c.shapes[m.solids.shape_of[k]], s.bodies.pose(k)};
  CellOptions options{.dimensions = d, .h = h};
  if (d == 3) options.near = 0.88;
  if (c.spreading) options.inner = 2.2, options.outer = 2.4;  // gaps are to be closed, not open
  c.op.start(s, h, d);
  c.builder.build(options, s.x, c.surfaces, c.cells, &c.op);
  fill_film(m, s, options, c);
  c.op.assemble(m, s, c.cells, system);
  if (!c.spreading) c.op.mend_edges(m, s, c.cells, c.builder, c.edges, system);
  find_touches(s, h, c);
  c.wall_start.resize(c.op.walls());
  for (std::size_t k = 0; k < c.op.walls(); ++k)
    c.wall_start[k] = s.v[c.touches[c.touch_first[k]].particle];
  link_film(s, c.film, system);
  const double lattice = std::pow(h, d);
  parallel_for(n, [&](std::size_t i) {
    const double compression = 1 - c.cells.volume[i] / wanted_volume(s, c.cells, i, lattice);
    system.compression[i] =
        static_cast<float>(c.cells.open[i] > 0 ? std::min(0.0, compression) : compression);
  });
}

/// C = (dt / h^d) (D' v - t). t undoes a share of the volume's error, whichever sign. Open cells
/// may have much room: of that they may lose the more at once.
void load_cell_velocities(const Model& m, const State& s, const CellLiquid& c,
                          LiquidSystem& system) {
  const double h = system.h, scale = system.dt / h, face = face_unit(system), cell = face * h;
  const double share =
      c.spreading ? c.spread_share : std::min(1.0, cell_rates(m).volume * system.dt);
  const double speed = scale * std::sqrt(rate_gravity(m) * h);
  const double most = fastest_undoing * speed;
  parallel_for(system.size(), [&](std::size_t i) {
    const double open = c.cells.open[i];
    const double error = (wanted_volume(s, c.cells, i, cell) - c.cells.volume[i]) / cell;
    double part = share;
    if (error < 0 && open > open_cell) part = std::clamp(-error / all_at_once, share, 1.0);
    const double target =
        std::clamp(part * error, open > open_cell ? std::min(error, -most) : -most, most);
    system.still[i] = static_cast<float>(-target);
    system.v[i] = Float4(Vec3(scale * s.v[i]));
  });
  add_wall_motion(s, system);
  release_film(c.film.film, c.start, system);
  system.rest.clear();
}

namespace {

/// By how calm the liquid is. The spring acts at the free surface too, and is weak beside bodies
/// that move, because to them it is noise. Open cells are not shifted, and near bodies that move no
/// cell is by the flow.
void measure_calm(const Model& m, const State& s, CellLiquid& c, double dt) {
  const CellRates rates = cell_rates(m);
  const double h = m.scene.spacing;
  c.op.gradients(s.v);
  c.evening.resize(s.particles());
  c.shifts.resize(s.particles());
  parallel_for(s.particles(), [&](std::size_t i) {
    const bool at_body = c.op.beside_body(i);
    const double strain = strain_rate(mean_gradient(c, i)) / h, flow_calm = rates.calmness(strain);
    const double open = std::min(1.0, 2 * c.cells.open[i]);
    const double share =
        std::min(most_smoothing, rates.smoothing * dt * (1 + (smoother_at_rest - 1) * flow_calm));
    const double stiffness = rates.spring * (at_body ? spring_at_bodies * flow_calm
                                                     : flow_calm + open * (1 - flow_calm));
    c.evening[i] = {at_body ? -1 : static_cast<float>(share), static_cast<float>(stiffness),
                    static_cast<float>(m.scene.liquids[s.liquid[i]].density), c.op.lightness(i)};
    c.shifts[i].setZero();
    if (c.cells.open[i] > open_cell) return;
    const double in_flow =
        near_body(c, i) ? 0 : m.scene.solver.flow_shift * (1 - flow_calm) * strain;
    c.shifts[i] = std::min(most_shift, (rates.shift + in_flow) * dt) * c.cells.centroid[i];
  });
}

/// Before t = 0 nothing has speed.
void plan_spreading(CellLiquid& c, double most_open) {
  c.shifts.resize(c.cells.size());
  parallel_for(c.cells.size(), [&](std::size_t i) {
    c.shifts[i].setZero();
    if (c.cells.open[i] <= most_open) c.shifts[i] = c.spread_shift * c.cells.centroid[i];
  });
}

/// [kg m/s] of a facet's spring on its particle; the opposite acts on the solid.
Vec3 pull_of(const CellLiquid& c, const CellFacet& f, double rest, double dt) {
  const Evening& own = c.evening[f.particle];
  return 0.5 * dt * own.stiffness * own.density * (f.spread - rest * f.area) * f.normal;
}

/// Springs and smoothing, sums over pairs of forces that are exactly opposite.
///
/// The spring is the gradient of E = 1/2 k rho sum_i of the integral over cell i of
/// |y - x_i|^2 - r^2: by Gauss V_i (centroid - x_i) = 1/2 sum of the boundary's integrals of
/// |y - x_i|^2 n, and these are the same seen from both sides of a face. So
///   F_ij = 1/2 k rho (spread_ij - r^2 A_ij) n_ij
/// are central forces of pairs: momentum and angular momentum stay. Solids feel the reaction of
/// their facets. What is open pushes nobody; r^2, that of a square lattice, makes up for it at the
/// free surface.
///
/// Smoothing takes what is rough from the velocities and leaves linear fields alone:
///   m_i v_i += sum_j s_ij w_ij m_ij / (2 d) [v_j - v_i - (L_i + L_j) / 2 (x_j - x_i)],
/// s the mean of both particles' shares, m the harmonic mean of their masses, L = grad v. Not
/// beside bodies that move: the flow round their edges is rough by nature.
void hold_together(const Model& m, State& s, CellLiquid& c, double dt) {
  const double h = m.scene.spacing;
  const int d = m.scene.dimensions;
  const double rest = h * h * (d == 2 ? 1.0 / 3 : 5.0 / 12);
  const auto spring = static_cast<float>(0.125 * dt * std::pow(h, d + 1));
  parallel_for(s.particles(), [&](std::size_t i) {
    const Evening own = c.evening[i];
    const Columns3& L = c.op.gradient(i);
    Double4 pull, smoothed;
    for (std::uint32_t e = c.op.first(i); e < c.op.last(i); ++e) {
      if (!(c.op.weight(e) > 0)) continue;
      const std::uint32_t j = c.op.neighbour(e);
      const Evening other = c.evening[j];
      const Float4 way = c.op.way(i, j);
      const float k = (own.stiffness + other.stiffness) * (own.density + other.density);
      pull += Double4(spring * k * c.op.excess(e) / std::sqrt(dot(way, way)) * way);
      if (own.share < 0 || other.share < 0) continue;
      const Columns3& M = c.op.gradient(j);
      const Columns3 both{L.x + M.x, L.y + M.y, L.z + M.z};
      const float share =
          (own.share + other.share) * c.op.weight(e) / (own.lightness + other.lightness);
      smoothed += Double4(share * (c.op.velocity(j) - c.op.velocity(i) - 0.5f * (both * way)));
    }
    Vec3 impulse = pull.xyz();
    for (const CellFacet& f : c.cells.facets_of(i)) impulse += pull_of(c, f, rest, dt);
    const Vec3 smoother = 0.5 / d * own.lightness * smoothed.xyz();
    s.v[i] += c.op.change_of_velocity(i, impulse) + smoother;
    if (c.op.wall_of(i) >= 0) c.wall_start[static_cast<std::size_t>(c.op.wall_of(i))] += smoother;
  });
  for (const CellFacet& f : c.cells.facets) {
    const Vec3 impulse = -pull_of(c, f, rest, dt);
    const Vec3 turn = (s.x[f.particle] - s.bodies.x[f.surface]).cross(impulse);
    c.pulled[f.surface].head<3>() += impulse;
    c.pulled[f.surface].tail<3>() += turn;
    if (s.bodies.kind[f.surface] == BodyKind::dynamic)
      apply_impulse(s.bodies, f.surface, impulse, turn);
  }
}

/// grad p dt / rho / speed beside a wall: the push on the neighbours that touch none, where it is
/// exact for linear pressure; the particle's own where there are none.
Vec3 mean_push(const CellLiquid& c, std::size_t i, std::span<const Float4> a) {
  Float4 sum;
  float weights = 0;
  for (std::uint32_t e = c.op.first(i); e < c.op.last(i); ++e) {
    const std::uint32_t j = c.op.neighbour(e);
    if (c.op.wall_of(j) >= 0) continue;
    sum += c.op.weight(e) * a[j];
    weights += c.op.weight(e);
  }
  return (weights > 0 ? (1 / weights) * sum : a[i]).xyz();
}

/// [m^d] A d_t: the facet's area times the way from below the particle to its centre.
Vec3 across_of(const CellFacet& f) {
  return f.area * (f.centre - f.normal.dot(f.centre) * f.normal);
}

}  // namespace

void lean_on_walls(const Model& m, State& s, std::span<const Float4> a, CellLiquid& c, double dt) {
  const std::vector<CellFacet>& facets = c.cells.facets;
  const double speed = m.scene.spacing / dt;
  c.lean.resize(facets.size());
  parallel_for(
      c.op.walls(),
      [&](std::size_t k) {
        const std::uint32_t first = c.touches[c.touch_first[k]].first;
        const std::uint32_t last = c.touches[c.touch_first[k + 1] - 1].last;
        const std::uint32_t i = facets[first].particle;
        const double density = m.scene.liquids[s.liquid[i]].density;
        const Vec3 push = density * speed * mean_push(c, i, a);
        for (std::uint32_t f = first; f < last; ++f) {
          const CellFacet& facet = facets[f];
          const Vec3& n = facet.normal;
          const Vec3 across = across_of(facet);
          const double half = 0.5 * c.op.slant(facet.surface);
          c.lean[f] = half * across.dot(push) * n - (1 - half) * n.dot(push) * across;
        }
      },
      32);
  c.lent.assign(s.bodies.size(), Vec3::Zero());
  c.touched.assign(s.bodies.size(), 0);
  for (const Touch& touch : c.touches) ++c.touched[touch.solid];
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const std::uint32_t body = facets[f].surface;
    if (s.bodies.kind[body] == BodyKind::dynamic) c.lent[body] += c.lean[f];
  }
  parallel_for(
      c.op.walls(),
      [&](std::size_t k) {
        Vec3 impulse = Vec3::Zero();
        for (std::uint32_t t = c.touch_first[k]; t < c.touch_first[k + 1]; ++t) {
          const Touch& touch = c.touches[t];
          for (std::uint32_t f = touch.first; f < touch.last; ++f) impulse += c.lean[f];
          impulse -= c.lent[touch.solid] / c.touched[touch.solid];
        }
        const std::uint32_t i = c.touches[c.touch_first[k]].particle;
        s.v[i] += c.op.change_of_velocity(i, impulse);
      },
      32);
}

void let_go_of_walls(const Model& m, State& s, CellLiquid& c, double dt) {
  if (c.spreading) return;  // nothing leans
  c.lent.assign(s.bodies.size(), Vec3::Zero());
  c.held.assign(s.bodies.size(), 0);
  for (std::size_t k = 0; k < c.op.walls(); ++k)
    for (std::uint32_t t = c.touch_first[k]; t < c.touch_first[k + 1]; ++t) {
      const Touch& touch = c.touches[t];
      if (s.bodies.kind[touch.solid] == BodyKind::dynamic) continue;
      const std::size_t i = touch.particle;
      const Vec3 q = c.op.wall_density(k) * (s.v[i] - c.wall_start[k] - dt * m.scene.gravity);
      c.held[touch.solid] += s.volume[i] * m.scene.liquids[s.liquid[i]].density;
      for (std::uint32_t f = touch.first; f < touch.last; ++f) {
        const Vec3& n = c.cells.facets[f].normal;
        const Vec3 across = across_of(c.cells.facets[f]);
        c.lent[touch.solid] += c.lean[f] + 0.5 * (n.dot(q) * across - across.dot(q) * n);
      }
    }
  for (const Touch& touch : c.touches)
    if (c.held[touch.solid] > 0) s.v[touch.particle] -= c.lent[touch.solid] / c.held[touch.solid];
}

namespace {

/// A cell that reaches from one solid to another is as large wherever between them its particle is,
/// and no pressure pushes it across the gap: it would fall freely. It goes with the solids, at a
/// velocity linear from one to the other, and they feel the impulse.
void go_with_walls(double h, State& s, CellLiquid& c) {
  for (std::size_t k = 0; k < c.op.walls(); ++k) {
    const std::uint32_t i = c.touches[c.touch_first[k]].particle;
    const auto [share, axis] = c.op.squeeze(i);
    if (!(share > 0)) continue;
    const std::span<const CellFacet> facets = c.cells.facets_of(i);
    const auto weight = [&](const CellFacet& f) {
      const double along = f.normal.dot(axis), d = std::abs(f.normal.dot(f.centre));
      return std::max(0.0, f.area) * along * along / std::max(d, least_distance * h);
    };
    const auto arm = [&](const CellFacet& f) {
      return Vec3(s.x[i] + f.centre - s.bodies.x[f.surface]);
    };
    double weights = 0, u = 0, sum = 0, size = 0;
    for (const CellFacet& f : facets) {
      const double w = weight(f);
      sum += f.area * f.normal.dot(axis);
      size += f.area * std::abs(f.normal.dot(axis));
      weights += w;
      u += w * axis.dot(s.bodies.v[f.surface] + s.bodies.omega[f.surface].cross(arm(f)));
    }
    const bool between = std::abs(sum) < one_sided * size;  // not just flat on one of them
    if (!between || !(weights > 0)) continue;
    const double change = share * (u / weights - axis.dot(s.v[i]));
    const Vec3 impulse = change / axis.dot(c.op.change_of_velocity(i, axis)) * axis;
    const Vec3 gained = c.op.change_of_velocity(i, impulse);
    s.v[i] += gained;
    c.wall_start[k] += gained;
    for (const CellFacet& f : facets) {
      const Vec3 back = -weight(f) / weights * impulse, turn = arm(f).cross(back);
      c.pulled[f.surface].head<3>() += back;
      c.pulled[f.surface].tail<3>() += turn;
      if (s.bodies.kind[f.surface] == BodyKind::dynamic)
        apply_impulse(s.bodies, f.surface, back, turn);
    }
  }
}

}  // namespace

void even_out(const Model& m, State& s, std::span<const Float4> a, CellLiquid& c, double dt) {
  c.pulled.assign(s.bodies.size(), Vec6::Zero());
  if (c.spreading) return plan_spreading(c, open_cell);
  measure_calm(m, s, c, dt);
  hold_together(m, s, c, dt);
  lean_on_walls(m, s, a, c, dt);
  go_with_walls(m.scene.spacing, s, c);
}

namespace {

/// Whether particle i has come nearer to solid k than it may, and where.
bool too_near(std::size_t i, std::size_t k, double h, const State& s, const CellLiquid& c,
              SurfaceIndex::Nearest& near) {
  const CellSurface& surface = c.surfaces[k];
  return surface.index->nearest(surface.pose.inverse() * s.x[i], 2 * h, near) &&
         near.distance < least_distance * h;
}

/// Calls f(k) for the solids that particle i may have reached: those that its cell touched, or all
/// if it moves too fast for that.
template <class F>
void for_each_reached(std::size_t i, double h, double dt, const State& s, const CellLiquid& c,
                      F&& f) {
  if (s.v[i].norm() * dt > 0.4 * h) {
    for (std::size_t k = 0; k < c.surfaces.size(); ++k) f(k);
    return;
  }
  for (const Touch& touch : touches_of(c, i)) {
    const bool still = s.bodies.kind[touch.solid] == BodyKind::fixed;
    if (still && touch.distance > (c.op.moved(i, s.x[i]) + 2 * least_distance) * h) continue;
    f(touch.solid);
  }
}

/// Particle and solid go on at one speed along n: an inelastic impact, which feeds no energy
/// however light the solid is.
void stop_at(const Model& m, std::size_t i, std::size_t k, const Vec3& n, double dt, State& s) {
  const Vec3 arm = s.x[i] - s.bodies.x[k];
  const double closing = n.dot(s.bodies.v[k] + s.bodies.omega[k].cross(arm) - s.v[i]);
  if (!(closing > 0)) return;
  const double lightness = 1 / (s.volume[i] * m.scene.liquids[s.liquid[i]].density);
  const Vec3 impulse = closing / (lightness + lightness_at(s.bodies, k, arm, n)) * n;
  const Vec3 turn = arm.cross(impulse);
  s.v[i] += lightness * impulse;
  s.forces[k].pressure.force -= impulse / dt;
  s.forces[k].pressure.torque -= turn / dt;
  if (s.bodies.kind[k] == BodyKind::dynamic) apply_impulse(s.bodies, k, -impulse, -turn);
}

}  // namespace

void shift_particles(const Model& m, State& s, CellLiquid& c, double dt) {
  const double h = m.scene.spacing;
  for (std::size_t k = 0; k < s.bodies.size(); ++k) c.surfaces[k].pose = s.bodies.pose(k);
  c.astray.resize(s.particles());
  parallel_for(s.particles(), [&](std::size_t i) {
    s.x[i] += c.shifts[i];
    c.astray[i] = 0;
    SurfaceIndex::Nearest near;
    for_each_reached(i, h, dt, s, c,
                     [&](std::size_t k) { c.astray[i] |= too_near(i, k, h, s, c, near); });
  });
  c.pushed_out = 0;
  for (std::size_t i = 0; i < s.particles(); ++i) {
    if (!c.astray[i]) continue;
    bool inside = false;
    for_each_reached(i, h, dt, s, c, [&](std::size_t k) {
      SurfaceIndex::Nearest near;
      if (!too_near(i, k, h, s, c, near)) return;
      const Vec3 n = c.surfaces[k].pose.orientation * near.normal;
      s.x[i] += (least_distance * h - near.distance) * n;
      inside |= near.distance < 0;
      // A cell with room takes no pressure that would stop it.
      if (dt > 0 && c.cells.open[i] > open_cell) stop_at(m, i, k, n, dt, s);
    });
    c.pushed_out += inside;
  }
}

double mean_compression(const State& s, const Cells& cells) {
  struct Volumes {
    double rest = 0, now = 0;  // [m^3]
    Volumes operator+(const Volumes& o) const { return {rest + o.rest, now + o.now}; }
  };
  const Volumes all = ordered_sum(cells.size(), Volumes{}, [&](std::size_t i) -> Volumes {
    return cells.open[i] > 0 ? Volumes{} : Volumes{s.volume[i], cells.volume[i]};
  });
  return all.rest > 0 ? std::max(0.0, 1 - all.now / all.rest) : 0;
}

void hand_over(const State& s, CellLiquid& c) {
  c.op.find_excess(s, c.cells, c.handed);
  for (std::size_t k = 0; k < c.handed.size(); ++k) c.handed[k] -= s.excess[k];
}

void entrain(const Model& m, const CellLiquid& c, double dt, BodyColumns& b) {
  const std::span<const Mat6> added = c.op.entrained();
  b.whole_inverse.assign(b.size(), Mat6::Zero());
  Vec6 g = Vec6::Zero();
  g.head<3>() = dt * m.scene.gravity;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (!b.dynamic[k]) continue;
    Vec6 given = b.mass[k] * (b.start[k] - c.start[k]) + added[k] * g + c.handed[k];
    if (!c.film.film.loads().empty()) given += dt * c.film.film.loads()[k];
    b.mass[k] += added[k];
    b.whole_inverse[k] = b.mass[k].inverse();
    b.start[k] = c.start[k] + b.whole_inverse[k] * given;
  }
}

void give_back(const Model& m, const State& s, const CellLiquid& c, double dt,
               std::span<const Vec6> u, std::span<Vec6> push) {
  const std::span<const Mat6> added = c.op.entrained();
  Vec6 g = Vec6::Zero();
  g.head<3>() = dt * m.scene.gravity;
  for (std::size_t k = 0; k < s.bodies.size(); ++k) {
    const bool dynamic = s.bodies.kind[k] == BodyKind::dynamic;
    Vec6 change = Vec6::Zero();
    if (dynamic) change = u[k] - c.start[k];
    push[k] += added[k] * (g - change) + c.handed[k];
    if (!c.film.film.loads().empty()) push[k] += dt * c.film.film.loads()[k];
  }
}

}  // namespace hydrolith::particles
