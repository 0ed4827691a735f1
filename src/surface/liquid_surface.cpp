#include "surface/liquid_surface.h"

#include "core/parallel.h"
#include "surface/extract_mesh.h"
#include "surface/smooth_mesh.h"
#include "surface/surface_input.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace hydrolith {

namespace {

/// What the particles around each vertex say, each with its shape as weight.
struct VertexMeans {
  std::vector<float> density;   // [-]
  std::vector<Vec3f> velocity;  // [m/s] or empty
};

/// Particles near a bin, remembered while they are likely to be asked for again.
class RowsOfBins {
 public:
  explicit RowsOfBins(const ParticleBins& bins) : bins_(bins) {}

  const NearRows& operator()(const GridIndex& bin) {
    const auto mixed = static_cast<std::uint32_t>(bin[0]) +
                       4u * static_cast<std::uint32_t>(bin[1]) +
                       16u * static_cast<std::uint32_t>(bin[2]);
    auto& slot = slots_[mixed % slots_.size()];
    if (!slot || slot->first != bin) slot.emplace(bin, NearRows(bins_, bin));
    return slot->second;
  }

 private:
  const ParticleBins& bins_;
  std::array<std::optional<std::pair<GridIndex, NearRows>>, 64> slots_;  // a tile has 64 bins
};

void gather(const NearRows& rows, const GridVertex& vertex, const std::vector<float>* velocities,
            VertexMeans& means, std::size_t v) {
  float weights = 0, density = 0;
  Vec3f velocity = Vec3f::Zero();
  rows.for_each(vertex.node, vertex.fraction, [&](const BinnedParticle& p, float shape) {
    weights += shape;
    density += shape * p.density;
    if (velocities) velocity += shape * Eigen::Map<const Vec3f>(&(*velocities)[3 * p.source]);
  });
  if (!(weights > 0)) return;
  means.density[v] = density / weights;
  if (velocities) means.velocity[v] = velocity / weights;
}

VertexMeans particle_means(const ParticleBins& bins, const std::vector<GridVertex>& vertices,
                           const std::vector<float>* velocities) {
  VertexMeans means;
  means.density.resize(vertices.size());
  if (velocities) means.velocity.resize(vertices.size());
  constexpr std::size_t block = 4096;  // vertices of one tile or a few: they share their bins
  parallel_for(
      (vertices.size() + block - 1) / block,
      [&](std::size_t part) {
        RowsOfBins rows_of(bins);
        for (std::size_t v = part * block; v < std::min(vertices.size(), (part + 1) * block); ++v)
          gather(rows_of(bins.bin_of(vertices[v].node)), vertices[v], velocities, means, v);
      },
      1);
  return means;
}

/// 0 for drops and threads, which smoothing would shrink away; 1 at the surface of a body of
/// liquid.
float freedom_of(float density) {
  const float t = std::clamp((density - 0.4f) / (0.75f - 0.4f), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

/// Vertices in cells, relative to a node near them.
SurfaceMesh near_mesh(const GridMesh& mesh, const GridIndex& origin) {
  SurfaceMesh out;
  out.triangles = mesh.triangles;
  out.vertices.resize(mesh.vertices.size());
  parallel_for(out.vertices.size(), [&](std::size_t v) {
    for (int k = 0; k < 3; ++k)
      out.vertices[v][k] =
          static_cast<float>(mesh.vertices[v].node[k] - origin[k]) + mesh.vertices[v].fraction[k];
  });
  return out;
}

/// A slab has the nodes 0 and 1 inside: its rim crosses edges along x and y, its faces edges along
/// z.
std::vector<std::uint8_t> rim_of_slab(const GridMesh& mesh) {
  std::vector<std::uint8_t> rim(mesh.vertices.size());
  for (std::size_t v = 0; v < rim.size(); ++v) rim[v] = mesh.vertices[v].fraction.z() == 0;
  return rim;
}

/// Moves all vertices of a slab to its two faces, half_thickness [cells] from z = 0.
void flatten(const GridMesh& found, const GridIndex& origin, double half_thickness,
             SurfaceMesh& mesh) {
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const bool upper = found.vertices[v].node[2] > 0;
    mesh.vertices[v].z() =
        static_cast<float>((upper ? half_thickness : -half_thickness) - origin[2]);
  }
}

}  // namespace

LiquidSurface liquid_surface(const LiquidFrame& liquid, double spacing, int dimensions,
                             const SurfaceOptions& options) {
  check_surface_input(liquid, spacing, options);
  const SurfaceGrid grid = surface_grid(spacing, options.cell, options.radius);
  ParticleBins bins = bin_particles(liquid.position, grid, spacing, dimensions);
  LiquidSurface surface;
  surface.left_out = bins.left_out;
  weigh_particles(bins);
  const GridMesh found = extract_mesh(bins, dimensions);
  if (found.vertices.empty()) return surface;

  VertexMeans means =
      particle_means(bins, found.vertices, options.velocity ? velocities_of(liquid) : nullptr);
  const GridIndex origin = found.vertices.front().node;
  surface.mesh = near_mesh(found, origin);
  for (float& density : means.density) density = freedom_of(density);
  const double reach = options.smoothing / options.cell;  // [cells]
  const int rounds = static_cast<int>(std::lround(reach * reach / 0.19));
  std::vector<std::uint8_t> rim;
  if (dimensions == 2) rim = rim_of_slab(found);
  smooth_mesh(surface.mesh, means.density, rounds, rim);
  if (dimensions == 2) flatten(found, origin, 0.5 / options.cell, surface.mesh);
  surface.normal = vertex_normals(surface.mesh);
  surface.velocity = std::move(means.velocity);
  const Vec3 shift(origin[0], origin[1], origin[2]);
  for (Vec3f& x : surface.mesh.vertices) x = (grid.cell * (x.cast<double>() + shift)).cast<float>();
  return surface;
}

double enclosed_volume(const SurfaceMesh& mesh) {
  if (mesh.vertices.empty()) return 0;
  const Vec3 origin = mesh.vertices.front().cast<double>();  // near: the parts stay small
  const auto at = [&](std::uint32_t v) -> Vec3 { return mesh.vertices[v].cast<double>() - origin; };
  return ordered_sum(mesh.triangles.size(), 0.0, [&](std::size_t t) {
    const auto& [a, b, c] = mesh.triangles[t];
    return at(a).dot(at(b).cross(at(c))) / 6;
  });
}

}  // namespace hydrolith
