#include "particles/liquid_forces.h"

#include "core/float4.h"
#include "core/parallel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith::particles {

namespace {

constexpr double most_viscous = 0.05;  // [-] of nu dt / h^2 in one explicit update
constexpr double worth_a_step = 1e-4;  // [-] less than this is saved up for a later step

double kinematic_viscosity(const LiquidSpec& liquid) { return liquid.viscosity / liquid.density; }

/// Steps to save up: a power of two, so that it hardly ever changes with an adaptive step.
int viscosity_interval(const Model& m, double dt) {
  double nu = 0;
  for (const LiquidSpec& l : m.scene.liquids) nu = std::max(nu, kinematic_viscosity(l));
  if (nu == 0) return 0;
  const double h = m.scene.spacing, count = worth_a_step * h * h / (nu * dt);
  int k = 1;
  while (2 * k <= count && k < 64) k *= 2;
  return k;
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

void apply_viscosity(const Model& m, State& s, const Samples& samples, const Neighbours& near,
                     double step) {
  for (BodyForces& f : s.forces) f.viscosity = {};
  const int interval = viscosity_interval(m, step);
  if (interval == 0 || s.step % interval != 0 || s.particles() == 0) return;
  const double dt = interval * step, h = m.scene.spacing;
  const int d = m.scene.dimensions;
  const double unit = std::pow(h, d), soft = 0.01 * h * h, bound = most_viscous * h * h / dt;
  std::vector<double> eta, density;  // [Pa s] bounded, [kg/m^3]
  for (const LiquidSpec& l : m.scene.liquids) {
    eta.push_back(l.density * std::min(kinematic_viscosity(l), bound));
    density.push_back(l.density);
  }
  const std::vector<Vec3> v = s.v;
  const double scale = 2 * (d + 2) * dt / (unit * h);  // grad W = g~ / h^(d+1)
  constexpr std::size_t block = LiquidPairs::block_size;
  const std::size_t n = s.particles(), blocks = (n + block - 1) / block;
  std::vector<std::vector<Drag>> drags(blocks);
  parallel_for(
      blocks,
      [&](std::size_t b) {
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
          const double eta_i = eta[s.liquid[i]];
          Vec3 impulse = Vec3::Zero();
          for (const Pair& p : near.liquid.of(i)) {
            const Vec3 x = s.x[i] - s.x[p.j];
            const double eta_j = eta[s.liquid[p.j]], both = eta_i + eta_j;
            if (both <= 0) continue;
            const double k = 2 * eta_i * eta_j / both * s.volume[i] * s.volume[p.j] *
                             (v[i] - v[p.j]).dot(x) / (x.squaredNorm() + soft);
            impulse += k * Vec3(p.gx, p.gy, p.gz);
          }
          for (const Pair& p : near.samples.of(i)) {
            const std::uint32_t body = samples.body[p.j];
            const Vec3 r = samples.x[p.j] - s.bodies.x[body], x = s.x[i] - samples.x[p.j];
            const Vec3 wall = s.bodies.v[body] + s.bodies.omega[body].cross(r);
            const double k =
                eta_i * s.volume[i] * unit * (v[i] - wall).dot(x) / (x.squaredNorm() + soft);
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
      s.forces[drag.body].viscosity.force += drag.impulse.force / step;
      s.forces[drag.body].viscosity.torque += drag.impulse.torque / step;
      if (s.bodies.kind[drag.body] == BodyKind::dynamic)
        apply_impulse(s.bodies, drag.body, drag.impulse.force, drag.impulse.torque);
    }
}

// With surface tension sigma [N/m] the coefficient gamma of the paper is sigma / (density of the
// surface layer h); normals n_i = support * sum_j V_j grad W_ij, spline C of eq. 2,
//   F_ij = -K_ij gamma m_i (m_j C(r) x_ij / r + (n_i - n_j)),   K_ij = 2 rho0 / (rho_i + rho_j).
void apply_surface_tension(const Model& m, State& s, const Neighbours& near, double dt) {
  if (std::none_of(m.scene.liquids.begin(), m.scene.liquids.end(),
                   [](const LiquidSpec& l) { return l.surface_tension > 0; }))
    return;
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
