#include "setup/memory_use.h"

namespace hydrolith {

namespace {

// Measured as peaks of `hydrolith run` on 100,000 particles in a box: 1,000 bytes a particle with
// the kernel's volumes in 3D (of which 710 are the engine's: at a million `bench_step` takes 810
// with samples; a third are pairs), 860 in 2D, 950 and 800 on the grid. 32 more since viscosity
// acts in every step. Frames and checkpoints under way are 300 of them. On cells 1,740 in 2D and
// 2,430 in 3D from a lattice; in a splash a cell has a face more, which takes 200.
constexpr double of_kernel[] = {890, 1040}, of_cells[] = {1800, 2650},
                 of_grid[] = {800, 950};  // [bytes] in 2D, in 3D
constexpr double of_sample = 500;    // [bytes] itself, in the grids, its pairs, links and contacts
constexpr double of_program = 45e6;  // [bytes] libraries; 32 to 62 MB with what is built in

}  // namespace

double particle_bytes(const Scene& scene) {
  const int d = scene.dimensions - 2;
  if (scene.engine == EngineKind::hybrid) return of_grid[d];
  return scene.solver.uses_cells() ? of_cells[d] : of_kernel[d];
}

std::size_t memory_use(const World& w, std::size_t particles) {
  double bytes = of_program + particle_bytes(w.scene) * static_cast<double>(particles);
  for (const std::uint32_t shape : w.solids.shape_of)
    bytes += of_sample * static_cast<double>(w.samples[shape].position.size());
  for (const SolidShape& shape : w.solids.shapes)
    bytes += static_cast<double>(shape.mesh.vertices.size() * sizeof(Vec3) +
                                 shape.mesh.triangles.size() * 150);
  bytes += 1000.0 * static_cast<double>(w.solids.bodies.size());
  return static_cast<std::size_t>(bytes);
}

}  // namespace hydrolith
