#include "particles/cell_liquid.h"

#include "core/parallel.h"

#include <algorithm>
#include <cmath>

namespace hydrolith::particles {

namespace {

constexpr double open_cell = 0.02;        // [h^(d-1)] of cap: a cell of the free surface
constexpr double fastest_undoing = 10;    // [sqrt(g h)] at which a volume error may be undone
constexpr double undoing_open = 0.25;     // [sqrt(g h)] the same at the free surface
constexpr double most_smoothing = 0.4;    // [-] of the roughness in one step; more is not stable
constexpr double most_shift = 0.5;        // [-] of the way to the centroid in one step
constexpr double spring_at_bodies = 0.1;  // [-] of the spring; their reaction is noise
constexpr double spring_at_surface_2d = 0.25;  // [-] and where a cell is open, in space all of it
constexpr double smoother_at_rest = 4;         // [-] times the smoothing in a flow
// Surfaces in space have more ways to crumple.
constexpr double stiffer_in_space = 2, smoother_in_space = 4;  // [-] times spring and smoothing
constexpr double into_gaps = 0.2;  // [-] of the rate where a gap with a film has room for liquid

/// [m/s^2] Sets the rates; without gravity, that of the earth.
double rate_gravity(const Model& m) {
  const double g = m.scene.gravity.norm();
  return g > 0 ? g : 9.81;
}

double face_unit(const LiquidSystem& l) { return l.dimensions == 2 ? l.h : l.h * l.h; }

/// [m/s per h] Norm of the symmetric part of the velocity's gradient.
double strain_rate(const CellOperator& op, std::size_t i) {
  return (0.5 * (op.gradient(i) + op.gradient(i).transpose())).norm();
}

/// Whether cell i or a neighbour touches a body that moves: in the narrow gap below a block the
/// centroid is no place to go.
bool near_body(const CellLiquid& c, std::size_t i) {
  const std::span<const CellFace> faces = c.cells.faces_of(i);
  return c.op.beside_body(i) || std::any_of(faces.begin(), faces.end(), [&](const CellFace& f) {
           return c.op.beside_body(f.neighbour);
         });
}

}  // namespace

Vec3 open_area(const State& s, const Cells& cells, std::size_t i) {
  Vec3 covered = Vec3::Zero();
  for (const CellFace& f : cells.faces_of(i))
    covered += f.area * (s.x[f.neighbour] - s.x[i]).normalized();
  for (const CellFacet& f : cells.facets_of(i)) covered += f.area;
  return -covered;
}

CellRates cell_rates(const Model& m) {
  const SolverSpec& spec = m.scene.solver;
  const double rate = std::sqrt(rate_gravity(m) / m.scene.spacing);
  const bool space = m.scene.dimensions == 3;
  return {spec.volume_rate * rate, (space ? smoother_in_space : 1) * spec.smoothing * rate,
          (space ? stiffer_in_space : 1) * spec.spring * rate * rate, spec.shift * rate,
          spec.calm_strain * rate};
}

CellLiquid::CellLiquid(const Model& m) : film(m) {
  if (!m.scene.solver.uses_cells()) return;
  for (const SolidShape& shape : m.solids.shapes) {
    if (m.scene.dimensions == 2)
      shapes.emplace_back(shape.outline);
    else
      shapes.emplace_back(shape.mesh);
  }
}

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
    c.surfaces[k] = {&c.shapes[m.solids.shape_of[k]], s.bodies.pose(k),
                     s.bodies.kind[k] != BodyKind::fixed};
  CellOptions options{.dimensions = d, .h = h};
  if (d == 3) options.cap = 1.2;
  options.cap_at_solids = d == 2 ? 2 : 2.5;
  if (d == 3) options.fully_open = 0.5;
  if (c.spreading) options.cap = options.cap_at_solids = 2.5;  // gaps are to be closed, not open
  c.builder.build(options, s.x, c.surfaces, c.cells);
  close_slits(m, s, c);
  c.op.assemble(m, s, c.cells, system);
  add_film(m, s, c, system);
  parallel_for(n, [&](std::size_t i) {
    const double compression = 1 - c.cells.volume[i] / s.volume[i];
    system.compression[i] =
        static_cast<float>(c.cells.open[i] > 0 ? std::min(0.0, compression) : compression);
  });
}

/// C = (dt / h^d) (D' v - t). Inner cells: t undoes a share of the volume's error, whichever sign.
/// Open cells that have room (V > V_0) may use it up; where they have not, only what is covered.
void load_cell_velocities(const Model& m, const State& s, const CellLiquid& c,
                          LiquidSystem& system) {
  const double h = system.h, scale = system.dt / h, face = face_unit(system), cell = face * h;
  const double share =
      c.spreading ? c.spread_share : std::min(1.0, cell_rates(m).volume * system.dt);
  const double speed = scale * std::sqrt(rate_gravity(m) * h);
  const double most = fastest_undoing * speed;
  const double most_open = c.spreading ? most : undoing_open * speed;
  parallel_for(system.size(), [&](std::size_t i) {
    const double open = c.cells.open[i] / face, error = (s.volume[i] - c.cells.volume[i]) / cell;
    double target = 0;
    if (open <= open_cell)
      target =
          std::clamp((error < 0 && c.film.at_gap[i] ? into_gaps : 1) * share * error, -most, most);
    else if (error < 0)
      target = error;
    else
      target = std::min(share * error, most_open * std::max(0.0, 1 - open));
    system.still[i] = static_cast<float>(-target);
    system.v[i] = Float4(Vec3(scale * s.v[i]));
  });
  add_wall_motion(s, system);
  release_film(c.film.film, c.start, system);
  system.rest.clear();
}

namespace {

/// How calm the liquid is, and the stiffness that follows from it: less where the free surface has
/// no neighbours to hold against, little beside bodies that move.
void measure_calm(const Model& m, const State& s, CellLiquid& c) {
  const CellRates rates = cell_rates(m);
  const bool plane = m.scene.dimensions == 2;
  const double h = m.scene.spacing, half_face = 0.5 * (plane ? h : h * h);
  const double at_surface = plane ? spring_at_surface_2d : 1;
  c.op.gradients(s.v);
  c.calm.resize(s.particles());
  c.stiffness.resize(s.particles());
  parallel_for(s.particles(), [&](std::size_t i) {
    const double calm = rates.calmness(strain_rate(c.op, i) / h);
    const double open = std::min(1.0, c.cells.open[i] / half_face);
    c.calm[i] = static_cast<float>(plane ? calm : calm + open * (1 - calm));
    c.stiffness[i] = rates.spring * (c.op.beside_body(i) ? spring_at_bodies * calm
                                                         : calm + open * (at_surface - calm));
  });
}

/// The spring is the gradient of E = 1/2 k rho sum_i of the integral over cell i of
/// |y - x_i|^2 - r^2: by Gauss V_i (centroid - x_i) = 1/2 sum of the boundary's integrals of
/// |y - x_i|^2 n, and these are the same seen from both sides of a face. So
///   F_ij = 1/2 k rho (spread_ij - r^2 A_ij) n_ij
/// are central forces of pairs: momentum and angular momentum stay. Solids feel the reaction of
/// their facets; where they move the spring is weak, because to them it is noise. Caps go with
/// their particle and push nobody; r^2, that of a square lattice, makes up for them at the free
/// surface.
class Spring {
 public:
  Spring(const Model& m, const State& s, const CellLiquid& c, double dt)
      : m_(m), s_(s), c_(c), dt_(dt) {
    const double h = m.scene.spacing;
    rest_ = h * h * (m.scene.dimensions == 2 ? 1.0 / 3 : 5.0 / 12);
  }

  /// [kg m/s] Of a particle, towards the particle behind face e.
  Vec3 pull_of(std::size_t i, std::uint32_t e) const {
    const std::uint32_t back = c_.op.opposite(e);
    if (back == CellOperator::nowhere) return Vec3::Zero();
    const CellFace &face = c_.cells.faces[e], &other = c_.cells.faces[back];
    const std::size_t j = face.neighbour;
    const double k = 0.25 * (c_.stiffness[i] + c_.stiffness[j]) * (density(i) + density(j));
    const double size = 0.5 * (face.spread + other.spread - rest_ * (face.area + other.area));
    return 0.5 * dt_ * k * size * (s_.x[j] - s_.x[i]).normalized();
  }
  /// Towards a solid.
  Vec3 pull_of(const CellFacet& f) const {
    const std::size_t i = f.particle;
    const double k = c_.stiffness[i] * density(i);
    return 0.5 * dt_ * k * (f.spread / f.area.norm() - rest_) * f.area;
  }

 private:
  double density(std::size_t i) const { return m_.scene.liquids[s_.liquid[i]].density; }

  const Model& m_;
  const State& s_;
  const CellLiquid& c_;
  double dt_, rest_;
};

void apply_spring(const Model& m, State& s, CellLiquid& c, double dt) {
  const Spring spring(m, s, c, dt);
  c.change.resize(s.particles());
  parallel_for(s.particles(), [&](std::size_t i) {
    Vec3 impulse = Vec3::Zero();
    for (std::uint32_t e = c.cells.first[i]; e < c.cells.first[i + 1]; ++e)
      impulse += spring.pull_of(i, e);
    for (const CellFacet& f : c.cells.facets_of(i)) impulse += spring.pull_of(f);
    c.change[i] = c.op.change_of_velocity(i, impulse);
  });
  for (const CellFacet& f : c.cells.facets) {
    if (s.bodies.kind[f.surface] != BodyKind::dynamic) continue;
    const Vec3 impulse = -spring.pull_of(f);
    apply_impulse(s.bodies, f.surface, impulse,
                  (s.x[f.particle] - s.bodies.x[f.surface]).cross(impulse));
  }
  parallel_for(s.particles(), [&](std::size_t i) { s.v[i] += c.change[i]; });
}

}  // namespace

void even_out(const Model& m, State& s, CellLiquid& c, double dt) {
  if (c.spreading) return;
  measure_calm(m, s, c);
  apply_spring(m, s, c, dt);
  const double rate = cell_rates(m).smoothing;
  parallel_for(s.particles(), [&](std::size_t i) {
    c.calm[i] = static_cast<float>(
        std::min(most_smoothing, rate * dt * (1 + (smoother_at_rest - 1) * c.calm[i])));
  });
  if (rate > 0) c.op.smooth(c.calm, s.v);
}

void shift_particles(const Model& m, State& s, CellLiquid& c, double dt) {
  const double h = m.scene.spacing, face = m.scene.dimensions == 2 ? h : h * h;
  const CellRates rates = cell_rates(m);
  const auto share_of = [&](std::size_t i) {
    if (c.spreading) return c.spread_shift;
    const double strain = near_body(c, i) ? 0 : strain_rate(c.op, i) / h;
    const double in_flow = m.scene.solver.flow_shift * (1 - rates.calmness(strain)) * strain;
    return std::min(most_shift, (rates.shift + in_flow) * dt);
  };
  c.op.gradients(s.v);
  for (std::size_t k = 0; k < s.bodies.size(); ++k) c.surfaces[k].pose = s.bodies.pose(k);
  struct Count {
    std::size_t value = 0;
    Count operator+(const Count& o) const { return {value + o.value}; }
  };
  const Count pushed = ordered_sum(s.particles(), Count{}, [&](std::size_t i) -> Count {
    if (c.cells.open[i] <= open_cell * face) {
      const Vec3 dx = share_of(i) * c.cells.centroid[i];
      s.x[i] += dx;
      s.v[i] += c.op.gradient(i) * dx / h;
    }
    // Only what its cell touched, or all if it moves too fast for that.
    const bool fast = s.v[i].norm() * dt > 0.4 * h;
    Count count;
    const auto put_back = [&](const CellSurface& surface) {
      SurfaceIndex::Nearest near;
      if (!surface.index->nearest(surface.pose.inverse() * s.x[i], 2 * h, near)) return;
      if (near.distance >= least_distance * h) return;
      s.x[i] += (least_distance * h - near.distance) * (surface.pose.orientation * near.normal);
      if (near.distance < 0) count.value = 1;
    };
    if (fast) {
      for (const CellSurface& surface : c.surfaces) put_back(surface);
    } else {
      std::uint32_t last = UINT32_MAX;
      for (const CellFacet& f : c.cells.facets_of(i))
        if (f.surface != last) put_back(c.surfaces[last = f.surface]);
    }
    return count;
  });
  c.pushed_out = pushed.value;
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
