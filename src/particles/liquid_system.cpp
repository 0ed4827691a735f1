#include "particles/liquid_system.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace hydrolith::particles {

namespace {

constexpr std::size_t block = PairLists::block_size;

/// (gx, gy, gz, 0)
Float4 gradient(const Pair& pair) { return first_three(pair); }

/// Samples near particle i: one link for each body, and what they add to the number density.
struct SampleTerms {
  double number = 0;  // [-]
  std::vector<BodyLink> links;
};

void add_link(std::vector<BodyLink>& links, std::uint32_t i, std::uint32_t body, const Vec3& g,
              const Vec3& r) {
  auto link =
      std::find_if(links.begin(), links.end(), [&](const BodyLink& l) { return l.body == body; });
  if (link == links.end()) link = links.insert(links.end(), BodyLink{i, body});
  link->G += g.cast<float>();
  link->T += r.cross(g).cast<float>();
}

void collect_samples(const State& s, const Samples& samples, std::span<const Pair> near,
                     const BoundaryKernel& kernel, std::uint32_t i, SampleTerms& terms) {
  terms.number = 0;
  terms.links.clear();
  const double h = kernel.spline.h;
  for (const Pair& pair : near) {
    const std::uint32_t body = samples.body[pair.j];
    const Vec3 x = s.x[i] - samples.x[pair.j];
    const double r = x.norm(), q = r / h;
    terms.number += kernel.scaled_value(q) - kernel.spline.scaled_value(q);
    if (r > 0)
      add_link(terms.links, i, body, kernel.scaled_slope(q) / r * x,
               samples.x[pair.j] - s.bodies.x[body]);
  }
}

void index_links(std::size_t bodies, LiquidSystem& system) {
  system.linked.clear();
  system.body_first.assign(bodies + 1, 0);
  for (std::uint32_t k = 0; k < system.links.size(); ++k) {
    if (k == 0 || system.links[k].particle != system.links[k - 1].particle)
      system.linked.push_back(k);
    ++system.body_first[system.links[k].body + 1];
  }
  system.linked.push_back(static_cast<std::uint32_t>(system.links.size()));
  std::partial_sum(system.body_first.begin(), system.body_first.end(), system.body_first.begin());
  system.by_body.resize(system.links.size());
  std::vector<std::uint32_t> next(system.body_first.begin(), system.body_first.end() - 1);
  for (std::uint32_t k = 0; k < system.links.size(); ++k)
    system.by_body[next[system.links[k].body]++] = k;
}

/// gtot and links; what the samples' kernel adds to the number density goes to `compression`.
void gather_samples(const State& s, const Samples& samples, const Neighbours& near,
                    const BoundaryKernel& kernel, LiquidSystem& system) {
  struct Part {
    std::vector<BodyLink> walls, bodies;
  };
  const std::size_t n = s.particles(), blocks = (n + block - 1) / block;
  std::vector<Part> parts(blocks);
  parallel_for(
      blocks,
      [&](std::size_t b) {
        SampleTerms terms;
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
          const Eigen::Vector4f& g = near.g[i];
          system.gtot[i] = Float4(g[0], g[1], g[2], 0);
          system.compression[i] = 0;
          const std::span<const Pair> list = near.samples.of(i);
          if (list.empty()) continue;
          collect_samples(s, samples, list, kernel, static_cast<std::uint32_t>(i), terms);
          system.compression[i] = static_cast<float>(terms.number);
          for (const BodyLink& link : terms.links) {
            system.gtot[i] += Float4(link.G);
            const bool dynamic = s.bodies.kind[link.body] == BodyKind::dynamic;
            (dynamic ? parts[b].bodies : parts[b].walls).push_back(link);
          }
        }
      },
      1);
  system.links.clear();
  system.wall_links.clear();
  for (const Part& part : parts) {
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
        const Float4 g = gradient(p);
        sum_sq += system.lightness[p.j] * dot(g, g);
      }
    }
    system.diagonal[i] = system.lightness[i] * dot(system.gtot[i], system.gtot[i]) + sum_sq;
  });
}

}  // namespace

void assemble_liquid(const Model& m, const State& s, const Samples& samples, const Neighbours& near,
                     const LiquidSystemOptions& options, double dt, LiquidSystem& system) {
  const std::size_t n = s.particles();
  const double h = m.scene.spacing, volume = std::pow(h, m.scene.dimensions);
  system.h = h;
  system.dt = dt;
  system.dimensions = m.scene.dimensions;
  system.mass = volume * (m.scene.liquids.empty() ? 1000 : m.scene.liquids.front().density);
  system.pairs = &near.liquid;
  system.gtot.resize(n), system.v.resize(n), system.mass_ratio.resize(n);
  for (auto* column : {&system.lightness, &system.rest, &system.compression, &system.diagonal})
    column->resize(n);
  const double scale = dt / h;
  parallel_for(n, [&](std::size_t i) {
    const double mass = s.volume[i] * m.scene.liquids[s.liquid[i]].density;
    system.mass_ratio[i] = system.mass / mass;
    system.lightness[i] = static_cast<float>(system.mass_ratio[i]);
    system.v[i] = Float4(Vec3(scale * s.v[i]));
  });
  gather_samples(s, samples, near, BoundaryKernel({h, m.scene.dimensions}, options.balanced),
                 system);
  liquid_diagonal(m, near, system);
  // c_i = h^d / V_i^0 - h^d / V_i - (dt / h) (v*_i . gtot_i - sum_j v*_j . g~_ij - walls)
  diverge(system, system.v, system.lightness, system.rest);
  const double most = options.correction_speed * scale;
  const double share = std::min(1.0, dt / options.correction_time);
  parallel_for(n, [&](std::size_t i) {
    const double compression = near.number[i] + system.compression[i] - volume / s.volume[i];
    const double undo = compression > 0 ? std::min(share * compression, most) : compression;
    system.compression[i] = static_cast<float>(compression);
    system.rest[i] = static_cast<float>(-undo) - system.rest[i];
  });
  for (const BodyLink& link : system.wall_links) {
    if (s.bodies.kind[link.body] != BodyKind::kinematic) continue;
    Vec6 u;
    u << s.bodies.v[link.body], s.bodies.omega[link.body];
    system.rest[link.particle] += static_cast<float>(scale * link.dot(u));
  }
}

void accelerate(const LiquidSystem& system, std::span<const float> x, std::span<Float4> a) {
  parallel_for((system.size() + block - 1) / block,
               [&](std::size_t b) {
                 for (std::size_t i = b * block; i < std::min(system.size(), (b + 1) * block);
                      ++i) {
                   const std::span<const Pair> list = system.pairs->of(i);
                   Float4 even = x[i] * system.gtot[i], odd;
                   std::size_t k = 0;
                   for (; k + 1 < list.size(); k += 2) {
                     even += x[list[k].j] * gradient(list[k]);
                     odd += x[list[k + 1].j] * gradient(list[k + 1]);
                   }
                   if (k < list.size()) even += x[list[k].j] * gradient(list[k]);
                   a[i] = system.lightness[i] * (even + odd);
                 }
               },
               1);
}

double diverge(const LiquidSystem& system, std::span<const Float4> a, std::span<const float> weight,
               std::span<float> out) {
  const std::size_t blocks = (system.size() + block - 1) / block;
  std::vector<double> sums(blocks);
  // From the end: the lists that `accelerate` has read last may still be in the cache.
  parallel_for(
      blocks,
      [&](std::size_t from_end) {
        const std::size_t b = blocks - 1 - from_end;
        for (std::size_t i = b * block; i < std::min(system.size(), (b + 1) * block); ++i) {
          const std::span<const Pair> list = system.pairs->of(i);
          Float4 even = a[i] * system.gtot[i], odd;
          std::size_t k = 0;
          for (; k + 1 < list.size(); k += 2) {
            even -= a[list[k].j] * gradient(list[k]);
            odd -= a[list[k + 1].j] * gradient(list[k + 1]);
          }
          if (k < list.size()) even -= a[list[k].j] * gradient(list[k]);
          out[i] = sum(even + odd);
          sums[b] += static_cast<double>(weight[i]) * out[i];
        }
      },
      1);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
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

void apply_pressure(const LiquidSystem& system, std::span<const float> x, std::span<Vec3> v) {
  parallel_for(system.size(), [&](std::size_t i) {
    const double xi = x[i];
    Vec3 a = Vec3::Zero();
    for (const Pair& p : system.pairs->of(i)) a += (xi + x[p.j]) * Vec3(p.gx, p.gy, p.gz);
    v[i] -= system.speed() * system.mass_ratio[i] * a;
  });
  const double speed = system.speed();
  for (const auto* links : {&system.wall_links, &system.links})
    for (const BodyLink& link : *links)
      v[link.particle] -=
          speed * system.mass_ratio[link.particle] * x[link.particle] * link.G.cast<double>();
}

}  // namespace hydrolith::particles
