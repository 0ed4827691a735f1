#include "particles/liquid_forces.h"

#include "core/float4.h"
#include "core/parallel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace hydrolith::particles {

namespace {

constexpr double most_viscous = 0.05;  // [-] of nu dt / h^2 in one explicit update
double kinematic_viscosity(const LiquidSpec& liquid) { return liquid.viscosity / liquid.density; }

/// The largest viscosity [m^2/s] of all liquids.
double most_kinematic(const Model& m) {
  double nu = 0;
  for (const LiquidSpec& l : m.scene.liquids) nu = std::max(nu, kinematic_viscosity(l));
  return nu;
}

constexpr float soft = 0.01f;  // [h^2] keeps particles on the same spot from dividing by zero

/// What viscosity reads of a particle.
struct Rubbing {
  Float4 q;  // [h] place; w: volume [h^d]
  Float4 v;  // [m/s]; w: viscosity [of the largest]
};

/// Four vectors of four numbers as their first, second, third and fourth numbers.
struct Columns {
  Float4::Lanes x, y, z, w;
};
Columns columns_of(Float4::Lanes a, Float4::Lanes b, Float4::Lanes c, Float4::Lanes d) {
  const auto ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const auto cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const auto ab_after = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const auto cd_after = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
          __builtin_shufflevector(ab_after, cd_after, 0, 1, 4, 5),
          __builtin_shufflevector(ab_after, cd_after, 2, 3, 6, 7)};
}

/// (gx, gy, gz, place) [unit]
Float4::Lanes gradient(const PackedPair& pair) {
  using Words = std::int16_t __attribute__((vector_size(8)));
  return __builtin_convertvector(std::bit_cast<Words>(pair), Float4::Lanes);
}

/// Four sums of doubles.
struct Sums {
  using Two = double __attribute__((vector_size(16)));
  Two low = {}, high = {};
  void add(Float4::Lanes f) {
    low += __builtin_convertvector(__builtin_shufflevector(f, f, 0, 1), Two);
    high += __builtin_convertvector(__builtin_shufflevector(f, f, 2, 3), Two);
  }
  double total() const { return (low[0] + low[1]) + (high[0] + high[1]); }
};

/// sum_j eta_ij V_i V_j (v_ij . q_ij) / (q_ij^2 + 0.01) g~_ij, four pairs at a time.
/// `alike`: every viscosity is the largest.
template <bool alike>
Vec3 rub_liquid(const std::vector<Rubbing>& all, const LiquidPairs& near, std::size_t i) {
  const std::uint32_t* table = near.table(i / LiquidPairs::block_size).data();
  const std::span<const PackedPair> pairs = near.packed(i);
  const Rubbing self = all[i];
  Sums x, y, z;
  for (std::size_t k = 0; k < pairs.size(); k += LiquidPairs::group) {
    const PackedPair* p = pairs.data() + k;
    const Rubbing &a = all[table[p[0].place]], &b = all[table[p[1].place]],
                  &c = all[table[p[2].place]], &d = all[table[p[3].place]];
    const Columns q = columns_of(a.q.lanes, b.q.lanes, c.q.lanes, d.q.lanes);
    const Columns v = columns_of(a.v.lanes, b.v.lanes, c.v.lanes, d.v.lanes);
    const Columns g = columns_of(gradient(p[0]), gradient(p[1]), gradient(p[2]), gradient(p[3]));
    const auto qx = self.q[0] - q.x, qy = self.q[1] - q.y, qz = self.q[2] - q.z;
    const auto vx = self.v[0] - v.x, vy = self.v[1] - v.y, vz = self.v[2] - v.z;
    auto weight =
        self.q[3] * q.w * (vx * qx + vy * qy + vz * qz) / (qx * qx + qy * qy + qz * qz + soft);
    if constexpr (!alike)  // 2 eta_i eta_j / (eta_i + eta_j); nothing between two without any
      weight *= 2 * (self.v[3] * v.w) / (self.v[3] + v.w + 1e-30f);
    x.add(weight * g.x), y.add(weight * g.y), z.add(weight * g.z);
  }
  return static_cast<double>(PackedPair::unit) * Vec3(x.total(), y.total(), z.total());
}

/// Impulse on body K by particles of one block.
struct Drag {
  std::uint32_t body = 0;
  Wrench impulse;
};

void add_drag(std::vector<Drag>& drags, std::uint32_t body, const Vec3& impulse, const Vec3& arm) {
  auto drag =
      std::find_if(drags.begin(), drags.end(), [&](const Drag& d) { return d.body == body; });
  if (drag == drags.end()) drag = drags.insert(drags.end(), Drag{body, {}});
  drag->impulse.force += impulse;
  drag->impulse.torque += arm.cross(impulse);
}

}  // namespace

void apply_gravity(const Model& m, State& s, double dt) {
  const Vec3 dv = dt * m.scene.gravity;
  parallel_for(
      s.particles(), [&](std::size_t i) { s.v[i] += dv; }, 4096);
}

double viscosity_share(const Model& m, double dt) {
  const double h = m.scene.spacing, nu = most_kinematic(m);
  return nu * dt > most_viscous * h * h ? most_viscous * h * h / (nu * dt) : 1;
}

// In units of the spacing, of a full particle's volume h^d and of the largest viscosity, so that
// float suffices: with q = x_ij / h, V and eta relative,
//   F_ij = 2 (d + 2) eta_max h^(d-2) eta_ij V_i V_j (v_ij . q) / (q^2 + 0.01) g~_ij
// Everything but v_ij, q and g~ is the same for i, j as for j, i, to the bit; impulses are summed
// in double: momentum is kept to round-off.
void apply_viscosity(const Model& m, State& s, const Samples& samples, const Neighbours& near,
                     double dt) {
  for (BodyForces& f : s.forces) f.viscosity = {};
  const double h = m.scene.spacing, bound = most_viscous * h * h / dt;
  std::vector<double> eta, density;  // [Pa s] bounded, [kg/m^3]
  for (const LiquidSpec& l : m.scene.liquids) {
    eta.push_back(l.density * std::min(kinematic_viscosity(l), bound));
    density.push_back(l.density);
  }
  const double eta_max = eta.empty() ? 0 : *std::max_element(eta.begin(), eta.end());
  if (eta_max == 0 || s.particles() == 0) return;
  const int d = m.scene.dimensions;
  const double unit = std::pow(h, d), scale = 2 * (d + 2) * eta_max * std::pow(h, d - 2) * dt;
  const bool alike = std::all_of(eta.begin(), eta.end(), [&](double e) { return e == eta_max; });
  constexpr std::size_t block = LiquidPairs::block_size;
  const std::size_t n = s.particles(), blocks = (n + block - 1) / block;
  std::vector<Rubbing> all(n);
  const Vec3 origin = s.x[n / 2];
  parallel_for(
      n,
      [&](std::size_t i) {
        const Vec3f q = ((s.x[i] - origin) / h).cast<float>(), v = s.v[i].cast<float>();
        all[i].q = Float4(q.x(), q.y(), q.z(), static_cast<float>(s.volume[i] / unit));
        all[i].v = Float4(v.x(), v.y(), v.z(), static_cast<float>(eta[s.liquid[i]] / eta_max));
      },
      4096);
  std::vector<std::vector<Drag>> drags(blocks);
  parallel_for(
      blocks,
      [&](std::size_t b) {
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
          const Rubbing self = all[i];
          const double volume = s.volume[i] / unit;
          Vec3 impulse = alike ? rub_liquid<true>(all, near.liquid, i)
                               : rub_liquid<false>(all, near.liquid, i);
          for (const Pair& p : near.samples.of(i)) {
            const std::uint32_t body = samples.body[p.j];
            if (m.scene.bodies[body].slip) continue;
            const Vec3 r = samples.x[p.j] - s.bodies.x[body], q = (s.x[i] - samples.x[p.j]) / h;
            const Vec3 wall = s.bodies.v[body] + s.bodies.omega[body].cross(r);
            const double k = static_cast<double>(self.v[3]) * volume *
                             (Vec3(self.v.xyz()) - wall).dot(q) / (q.squaredNorm() + soft);
            const Vec3 push = k * Vec3(p.gx, p.gy, p.gz);
            impulse += push;
            add_drag(drags[b], body, -scale * push, r);
          }
          s.v[i] += scale / (s.volume[i] * density[s.liquid[i]]) * impulse;
        }
      },
      1);
  for (const auto& part : drags)
    for (const Drag& drag : part) {
      s.forces[drag.body].viscosity.force += drag.impulse.force / dt;
      s.forces[drag.body].viscosity.torque += drag.impulse.torque / dt;
      if (s.bodies.kind[drag.body] == BodyKind::dynamic)
        apply_impulse(s.bodies, drag.body, drag.impulse.force, drag.impulse.torque);
    }
}

// With surface tension sigma [N/m] the coefficient gamma of the paper is sigma / (density of the
// surface layer h); normals n_i = support * sum_j V_j grad W_ij, spline C of eq. 2,
//   F_ij = -K_ij gamma m_i (m_j C(r) x_ij / r + (n_i - n_j)),   K_ij = 2 rho0 / (rho_i + rho_j).
bool has_surface_tension(const Model& m) {
  return std::any_of(m.scene.liquids.begin(), m.scene.liquids.end(),
                     [](const LiquidSpec& l) { return l.surface_tension > 0; });
}

void apply_surface_tension(const Model& m, State& s, const Neighbours& near, double dt) {
  if (!has_surface_tension(m)) return;
  const double h = m.scene.spacing, H = 2 * h;
  const int d = m.scene.dimensions;
  const auto spline = [&](double r) {  // C(r) for support H
    const double a = 32 / (std::numbers::pi * std::pow(H, 9)), q = std::pow((H - r) * r, 3);
    if (r >= H) return 0.0;
    return 2 * r > H ? a * q : a * (2 * q - std::pow(H, 6) / 64);
  };
  std::vector<Vec3> normal(s.particles());
  parallel_for(s.particles(), [&](std::size_t i) {
    Vec3 sum = Vec3::Zero();
    for (const Pair& p : near.liquid.of(i)) sum += s.volume[p.j] * Vec3(p.gx, p.gy, p.gz);
    normal[i] = H / std::pow(h, d + 1) * sum;
  });
  const double layer = d == 3 ? 1 : h;  // the spline is normalised in 3D
  parallel_for(s.particles(), [&](std::size_t i) {
    const LiquidSpec& l = m.scene.liquids[s.liquid[i]];
    if (l.surface_tension <= 0) return;
    Vec3 a = Vec3::Zero();
    for (const Pair& p : near.liquid.of(i)) {
      if (s.liquid[p.j] != s.liquid[i]) continue;
      const Vec3 x = s.x[i] - s.x[p.j];
      const double r = x.norm();
      const double K = 2 / (static_cast<double>(near.number[i]) + near.number[p.j]);
      if (r > 0) a -= K * s.volume[p.j] * l.density * layer * spline(r) / r * x;
      a -= K * (normal[i] - normal[p.j]);
    }
    s.v[i] += dt * l.surface_tension / (l.density * h * h) * a;
  });
}

}  // namespace hydrolith::particles
