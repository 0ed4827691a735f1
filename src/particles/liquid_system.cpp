#include "particles/liquid_system.h"

#include "particles/cell_operator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hydrolith::particles {

namespace {

constexpr std::size_t block = LiquidPairs::block_size;

/// Adds a sample to the link of particle i and its body; links of i are the last of the list.
void add_link(std::vector<BodyLink>& links, std::uint32_t i, std::uint32_t body, const Vec3& g,
              const Vec3& r) {
  auto link = links.end();
  while (link != links.begin() && std::prev(link)->particle == i && std::prev(link)->body != body)
    --link;
  if (link == links.begin() || std::prev(link)->particle != i)
    link = links.insert(links.end(), BodyLink{i, body});
  else
    --link;
  link->G += g.cast<float>();
  link->T += r.cross(g).cast<float>();
}

/// One link for each body with samples near particle i. Returns what the samples' kernel adds to
/// the number density [-].
double link_samples(const State& s, const Samples& samples, std::span<const Pair> near,
                    const BoundaryKernel& kernel, std::uint32_t i, LinkParts& links) {
  double number = 0;
  const double h = kernel.spline.h;
  for (const Pair& pair : near) {
    const std::uint32_t body = samples.body[pair.j];
    const Vec3 x = s.x[i] - samples.x[pair.j];
    const double r = x.norm(), q = r / h;
    number += kernel.scaled_value(q) - kernel.spline.scaled_value(q);
    if (r > 0)
      add_link(s.bodies.kind[body] == BodyKind::dynamic ? links.bodies : links.walls, i, body,
               kernel.scaled_slope(q) / r * x, samples.x[pair.j] - s.bodies.x[body]);
  }
  return number;
}

}  // namespace

void index_links(std::size_t bodies, LiquidSystem& system) {
  system.linked.clear();
  system.body_first.assign(bodies + 2, 0);
  for (std::uint32_t k = 0; k < system.links.size(); ++k) {
    if (k == 0 || system.links[k].particle != system.links[k - 1].particle)
      system.linked.push_back(k);
    ++system.body_first[system.links[k].body + 2];
  }
  system.linked.push_back(static_cast<std::uint32_t>(system.links.size()));
  // body_first[b + 1] counts up from the first to the last link of b.
  std::partial_sum(system.body_first.begin(), system.body_first.end(), system.body_first.begin());
  system.by_body.resize(system.links.size());
  for (std::uint32_t k = 0; k < system.links.size(); ++k)
    system.by_body[system.body_first[system.links[k].body + 1]++] = k;
  system.body_first.pop_back();
}

double pressure_unit(const LiquidSystem& l, double volume) {
  const double cell = l.dimensions == 2 ? l.h * l.h : l.h * l.h * l.h;
  const double v = l.cells ? cell : volume;
  return cell * l.h * l.h * l.mass / (l.dt * l.dt * v * v);
}

double weigh(const LiquidSystem& system, std::size_t i, Float4 a, Float4 b) {
  if (system.cells) return system.cells->weigh(i, a, b);
  return system.lightness[i] > 0 ? dot(a, b) * (1.0 / system.lightness[i]) : 0;
}

namespace {

/// gtot and links; what the samples' kernel adds to the number density goes to `compression`.
void gather_samples(const State& s, const Samples& samples, const Neighbours& near,
                    const BoundaryKernel& kernel, LiquidSystem& system) {
  const std::size_t n = s.particles(), blocks = (n + block - 1) / block;
  system.parts.resize(std::max(blocks, system.parts.size()));
  for (LinkParts& part : system.parts) part.walls.clear(), part.bodies.clear();
  parallel_for(
      blocks,
      [&](std::size_t b) {
        LinkParts& part = system.parts[b];
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
          const std::size_t walls = part.walls.size(), bodies = part.bodies.size();
          const Eigen::Vector4f& g = near.g[i];
          system.gtot[i] = Float4(g[0], g[1], g[2], 0);
          system.compression[i] = static_cast<float>(link_samples(
              s, samples, near.samples.of(i), kernel, static_cast<std::uint32_t>(i), part));
          for (std::size_t k = walls; k < part.walls.size(); ++k)
            system.gtot[i] += Float4(part.walls[k].G);
          for (std::size_t k = bodies; k < part.bodies.size(); ++k)
            system.gtot[i] += Float4(part.bodies[k].G);
        }
      },
      1);
  system.links.clear();
  system.wall_links.clear();
  for (const LinkParts& part : system.parts) {
    system.links.insert(system.links.end(), part.bodies.begin(), part.bodies.end());
    system.wall_links.insert(system.wall_links.end(), part.walls.begin(), part.walls.end());
  }
  index_links(s.bodies.size(), system);
}

/// A_ii without the bodies: mu_i |gtot_i|^2 + sum_j mu_j |g~_ij|^2 (appendix A, eq. A.6-A.8).
void liquid_diagonal(const Model& m, const Neighbours& near, LiquidSystem& system) {
  const bool alike = m.scene.liquids.size() <= 1 && m.emitters.empty();
  parallel_for(system.size(), [&](std::size_t i) {
    float sum_sq = near.g[i][3] * system.lightness[i];
    if (!alike) {
      sum_sq = 0;
      for (const Pair& p : system.pairs->of(i)) {
        const Float4 g = first_three(p);
        sum_sq += system.lightness[p.j] * dot(g, g);
      }
    }
    system.diagonal[i] = system.lightness[i] * dot(system.gtot[i], system.gtot[i]) + sum_sq;
  });
}

}  // namespace

void assemble_liquid(const Model& m, const State& s, const Samples& samples, const Neighbours& near,
                     bool balanced, double dt, LiquidSystem& system) {
  const std::size_t n = s.particles();
  const double h = m.scene.spacing, volume = std::pow(h, m.scene.dimensions);
  system.h = h;
  system.dt = dt;
  system.dimensions = m.scene.dimensions;
  system.cells = nullptr;
  system.mass = volume * (m.scene.liquids.empty() ? 1000 : m.scene.liquids.front().density);
  system.pairs = &near.liquid;
  system.gtot.resize(n), system.v.resize(n), system.mass_ratio.resize(n);
  for (auto* column : {&system.lightness, &system.still, &system.compression, &system.diagonal})
    column->resize(n);
  parallel_for(n, [&](std::size_t i) {
    const double mass = s.volume[i] * m.scene.liquids[s.liquid[i]].density;
    system.mass_ratio[i] = system.mass / mass;
    system.lightness[i] = static_cast<float>(system.mass_ratio[i]);
  });
  gather_samples(s, samples, near, BoundaryKernel({h, m.scene.dimensions}, balanced), system);
  liquid_diagonal(m, near, system);
  parallel_for(n, [&](std::size_t i) {
    system.compression[i] =
        static_cast<float>(near.number[i] + system.compression[i] - volume / s.volume[i]);
  });
}

// c_i = h^d / V_i^0 - h^d / V_i - (dt / h) (v*_i . gtot_i - sum_j v*_j . g~_ij - walls)
void load_velocities(const State& s, const CompressionOptions& options, LiquidSystem& system) {
  const double scale = system.dt / system.h;
  const auto most = static_cast<float>(options.speed * scale);
  const auto share = static_cast<float>(options.share);
  parallel_for(system.size(), [&](std::size_t i) {
    const float compression = system.compression[i];
    system.v[i] = Float4(Vec3(scale * s.v[i]));
    system.still[i] = options.only_motion ? 0
                      : compression > 0   ? -std::min(share * compression, most)
                                          : -compression;
  });
  add_wall_motion(s, system);
  system.rest.clear();
}

void add_wall_motion(const State& s, LiquidSystem& system) {
  for (const BodyLink& link : system.wall_links) {
    if (s.bodies.kind[link.body] != BodyKind::kinematic) continue;
    Vec6 u;
    u << s.bodies.v[link.body], s.bodies.omega[link.body];
    system.still[link.particle] += static_cast<float>(system.dt / system.h * link.dot(u));
  }
}

void constrain(const LiquidSystem& system, std::span<Float4> a, std::span<float> C) {
  parallel_for(
      a.size(), [&](std::size_t i) { a[i] -= system.v[i]; }, 4096);
  diverge(system, a, system.still, C);
  parallel_for(
      a.size(), [&](std::size_t i) { C[i] += system.still[i]; }, 4096);
}

void complete_rest(LiquidSystem& system, std::vector<Float4>& a) {
  a.assign(system.size(), Float4());
  system.rest.resize(system.size());
  constrain(system, a, system.rest);
}

void push_bodies(const LiquidSystem& system, std::span<const float> x, std::span<Vec6> f) {
  parallel_for(
      f.size(),
      [&](std::size_t body) {
        Vec6 total = Vec6::Zero();
        for (std::uint32_t k = system.body_first[body]; k < system.body_first[body + 1]; ++k) {
          const BodyLink& link = system.links[system.by_body[k]];
          const double xi = x[link.particle];
          total.head<3>() += xi * link.G.cast<double>();
          total.tail<3>() += xi * link.T.cast<double>();
        }
        f[body] = system.impulse() * total;
      },
      1);
}

void push_walls(const LiquidSystem& system, std::span<const float> x, std::span<Vec6> f) {
  for (const BodyLink& link : system.wall_links) {
    const double impulse = system.impulse() * x[link.particle];
    f[link.body].head<3>() += impulse * link.G.cast<double>();
    f[link.body].tail<3>() += impulse * link.T.cast<double>();
  }
}

void add_body_motion(const LiquidSystem& system, std::span<const Vec6> u, std::span<float> C) {
  parallel_for(system.linked.empty() ? 0 : system.linked.size() - 1, [&](std::size_t q) {
    double motion = 0;
    for (std::uint32_t k = system.linked[q]; k < system.linked[q + 1]; ++k)
      motion += system.links[k].dot(u[system.links[k].body]);
    C[system.links[system.linked[q]].particle] += static_cast<float>(motion * system.dt / system.h);
  });
}

}  // namespace hydrolith::particles
