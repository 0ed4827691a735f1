#include "setup/flow.h"

#include "core/check.h"
#include "geometry/build_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hydrolith {

namespace {

std::uint32_t index_of_liquid(const Scene& scene, const std::string& name) {
  for (std::size_t k = 0; k < scene.liquids.size(); ++k)
    if (scene.liquids[k].name == name) return static_cast<std::uint32_t>(k);
  throw Error(fmt::format("there is no liquid \"{}\"", name));
}

/// Offsets of n cells of a row of length L, centred.
std::vector<double> row(double L, double spacing) {
  const int n = std::max(1, static_cast<int>(std::lround(L / spacing)));
  std::vector<double> offsets;
  for (int k = 0; k < n; ++k) offsets.push_back((k + 0.5) * L / n - 0.5 * L);
  return offsets;
}

/// A disc as rings of evenly spaced points, each ring standing for an annulus one spacing wide.
std::vector<Vec2> disc(double radius, double spacing) {
  const int rings = std::max(1, static_cast<int>(std::lround(radius / spacing)));
  const double width = radius / rings;
  std::vector<Vec2> points;
  for (int k = 0; k < rings; ++k) {
    const double r = (k + 0.5) * width;
    const int n =
        rings == 1 ? 1
                   : std::max(3, static_cast<int>(std::lround(2 * std::numbers::pi * r / spacing)));
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * (i + 0.5 * (k % 2)) / n;
      points.emplace_back(n == 1 ? Vec2(0, 0) : Vec2(r * std::cos(angle), r * std::sin(angle)));
    }
  }
  return points;
}

std::vector<Vec2> opening_points(const EmitterSpec& e, double spacing, int dimensions) {
  std::vector<Vec2> points;
  if (dimensions == 2) {
    const double width = e.opening == EmitterOpening::disc ? 2 * e.radius : e.width;
    for (double u : row(width, spacing)) points.emplace_back(u, 0);
  } else if (e.opening == EmitterOpening::disc) {
    points = disc(e.radius, spacing);
  } else {
    for (double u : row(e.width, spacing))
      for (double w : row(e.height, spacing)) points.emplace_back(u, w);
  }
  return points;
}

double opening_area(const EmitterSpec& e, int dimensions) {
  const bool round = e.opening == EmitterOpening::disc;
  if (dimensions == 2) return round ? 2 * e.radius : e.width;
  return round ? std::numbers::pi * e.radius * e.radius : e.width * e.height;
}

/// Width along u, height along w; u is horizontal where that can be (y up).
std::pair<Vec3, Vec3> opening_axes(const Vec3& n, int dimensions) {
  if (dimensions == 2) return {Vec3(-n.y(), n.x(), 0), Vec3::UnitZ()};
  const Vec3 up = std::abs(n.y()) < 0.999 ? Vec3::UnitY() : Vec3::UnitX();
  const Vec3 u = up.cross(n).normalized();
  return {u, n.cross(u)};
}

/// Marks what this outlet takes in the step. Credit for a limited rate grows with time but is never
/// saved up beyond what one step and one particle need.
void take(const World& w, const Outlet& o, double time, double dt, const ParticleColumns& p,
          OutletState& out, std::vector<char>& keep) {
  if (time < o.spec.from || time >= o.spec.until || out.removed >= o.spec.volume) return;
  const double particle = std::pow(w.particle_spacing, w.scene.dimensions);
  out.credit = std::min(out.credit + o.spec.rate * dt, o.spec.rate * dt + particle);
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    if (out.credit < p.volume[i] || out.removed >= o.spec.volume) return;
    if (!keep[i] || (o.liquid >= 0 && p.liquid[i] != static_cast<std::uint32_t>(o.liquid)))
      continue;
    if (!inside(o, p.x[i], w.scene.dimensions)) continue;
    keep[i] = 0;
    out.credit -= p.volume[i];
    out.removed += p.volume[i];
  }
}

/// [m/s] zero while the emitter is shut.
double open_speed(const Emitter& e, double t) {
  return t < e.spec.from || t >= e.spec.until ? 0 : emitter_speed(e, t);
}

}  // namespace

Emitter build_emitter(const Scene& scene, const EmitterSpec& spec, double spacing) {
  Emitter e{.spec = spec, .liquid = index_of_liquid(scene, spec.liquid), .layer = {}};
  const auto [u, w] = opening_axes(spec.direction, scene.dimensions);
  for (const Vec2& p : opening_points(spec, spacing, scene.dimensions))
    e.layer.emplace_back(spec.at + p.x() * u + p.y() * w);
  e.area = opening_area(spec, scene.dimensions);
  e.particle_volume = e.area * spacing / static_cast<double>(e.layer.size());
  return e;
}

Outlet build_outlet(const Scene& scene, const Solids& solids, const OutletSpec& spec) {
  const TriangleMesh mesh =
      build_mesh(spec.shape, {.resolution = scene.spacing, .clip = solids.box});
  Outlet outlet{.spec = spec, .region = MeshDistance(mesh), .box = bounds(mesh), .section = {}};
  if (scene.dimensions == 2) outlet.section = cut_at_z0(mesh);
  if (spec.liquid) outlet.liquid = static_cast<int>(index_of_liquid(scene, *spec.liquid));
  return outlet;
}

double emitter_speed(const Emitter& e, double t) {
  const double speed = e.spec.speed ? (*e.spec.speed)(t) : (*e.spec.rate)(t) / e.area;
  return std::max(0.0, speed);
}

double expected_particles(const Emitter& e, double end) {
  constexpr int parts = 200;  // midpoint rule: enough for an estimate
  const double dt = std::max(0.0, std::min(end, e.spec.until) - e.spec.from) / parts;
  double volume = 0;
  for (int k = 0; k < parts; ++k)
    volume += dt * e.area * emitter_speed(e, e.spec.from + (k + 0.5) * dt);
  return std::min(volume, e.spec.volume) / e.particle_volume;
}

bool inside(const Outlet& o, const Vec3& x, int dimensions) {
  if (!o.box.contains(x)) return false;
  return dimensions == 2 ? signed_distance(o.section, Vec2(x.head<2>())) < 0
                         : o.region.signed_distance(x) < 0;
}

void emit(const World& w, WorldState& s, const AddParticle& add) {
  const double h = w.particle_spacing;
  for (std::size_t k = 0; k < w.emitters.size(); ++k) {
    const Emitter& e = w.emitters[k];
    EmitterState& state = s.emitters[k];
    const double speed = open_speed(e, s.time);
    if (speed <= 0) continue;
    for (; state.travelled >= h; state.travelled -= h) {
      const Vec3 ahead = (state.travelled - h) * e.spec.direction;
      for (const Vec3& x : e.layer) {
        if (state.released + 0.5 * e.particle_volume > e.spec.volume) break;
        add(e.liquid, x + ahead, speed * e.spec.direction, e.particle_volume);
        state.released += e.particle_volume;
      }
    }
  }
}

void move_emitters(const World& w, WorldState& s, double start, double dt) {
  for (std::size_t k = 0; k < w.emitters.size(); ++k)
    s.emitters[k].travelled += dt * open_speed(w.emitters[k], start);
}

bool mark_drained(const World& w, WorldState& s, double dt, const ParticleColumns& particles,
                  std::vector<char>& keep) {
  if (w.outlets.empty() && !w.scene.domain) return false;
  keep.assign(particles.x.size(), 1);
  for (std::size_t k = 0; k < w.outlets.size(); ++k)
    take(w, w.outlets[k], s.time, dt, particles, s.outlets[k], keep);
  if (w.scene.domain)
    for (std::size_t i = 0; i < keep.size(); ++i)
      if (!w.scene.domain->contains(particles.x[i])) keep[i] = 0;
  return std::find(keep.begin(), keep.end(), 0) != keep.end();
}

}  // namespace hydrolith
