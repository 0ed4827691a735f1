#pragma once
// The liquid on Voronoi cells within a step: cells and operator, what volumes are aimed at, what
// keeps particles evenly spread, and the mass that goes with bodies.

#include "cells/cells.h"
#include "contact/contact_rows.h"
#include "particles/cell_film.h"
#include "particles/cell_operator.h"
#include "particles/liquid_system.h"

#include <span>
#include <vector>

namespace hydrolith::particles {

constexpr double least_distance = 0.02;  // [h] of a particle from a solid: nearer ones are put back

/// Rates [1/s] of what keeps the particles in order, from the time sqrt(h / g) in which a particle
/// falls its own size. None of them changes a motion that is linear in space.
struct CellRates {
  double volume = 0;     // [1/s]   at which an error of a cell's volume is undone
  double smoothing = 0;  // [1/s]   at which rough velocities are smoothed, in a flow
  double spring = 0;     // [1/s^2] that draws a particle to the centroid of its cell, at rest
  double shift = 0;      // [1/s]   at which positions alone go there
  double calm = 0;       // [1/s]   strain beyond which the flow puts particles out of order

  /// [-] How calm the liquid is where it strains at this rate [1/s]: 1 at rest, 0 in a flow.
  double calmness(double strain) const { return 1 / (1 + strain * strain / (calm * calm)); }
};
CellRates cell_rates(const Model& m);

/// What evens the liquid out, of a particle: gathered with one load.
struct alignas(16) Evening {
  float share = 0;  // [-] of the roughness that a step smooths; negative beside bodies that move
  float stiffness = 0;  // [1/s^2] of the spring
  float density = 0;    // [kg/m^3]
  float lightness = 0;  // [1/reference mass]
};

/// A solid that a cell touches.
struct Touch {
  std::uint32_t particle = 0, solid = 0;
  std::uint32_t first = 0, last = 0;  // its facets
  double distance = 0;                // [m] of the particle from the solid; 0 beyond 2 h
};

struct CellLiquid {
  CellLiquid(const Model& m);

  std::vector<SurfaceIndex> shapes;           // per distinct shape
  std::vector<CellSurface> surfaces;          // per body
  std::vector<std::vector<SharpEdge>> edges;  // per distinct shape
  CellBuilder builder;
  Cells cells;
  CellOperator op;
  std::vector<Touch> touches;  // by particle
  std::vector<std::uint32_t>
      touch_first;  // of every cell that touches solids (CellOperator::walls)
  CellFilm film;
  std::vector<Vec6> start;       // per body: velocity at the start of the step
  std::vector<Vec6> handed;      // [N s], [N m s] per body, with mass that joins or leaves it
  std::vector<Vec3> lean;        // [N s] per facet: of lean_on_walls
  std::vector<Vec3> lent;        // [N s] per body, of all its facets
  std::vector<Vec3> wall_start;  // [m/s] of cells that touch solids, at the start of the step
  std::vector<Vec6> pulled;      // [N s], [N m s] per body, by springs
  std::vector<int> touched;      // per body: cells that touch it
  std::vector<double> held;      // [kg] likewise, of bodies that are not dynamic
  bool spreading = false;        // positions are put in order before t = 0; nothing has speed
  double spread_share = 0;       // [-] of the errors of volume that a step then undoes
  double spread_shift = 0;       // [-] of the way to the centroids, likewise
  std::vector<Evening> evening;  // per particle
  std::vector<Vec3> shifts;      // [m] per particle, towards the centroid of its cell
  std::vector<char> astray;      // per particle: has come too near to a solid
  std::size_t pushed_out = 0;    // particles put back that were in a solid after the last step
};

/// The touches of a cell.
inline std::span<const Touch> touches_of(const CellLiquid& c, std::size_t i) {
  if (c.op.wall_of(i) < 0) return {};
  const auto wall = static_cast<std::size_t>(c.op.wall_of(i));
  return {c.touches.data() + c.touch_first[wall], c.touch_first[wall + 1] - c.touch_first[wall]};
}

/// Cells, operator, links, diagonal and compression of `system`.
void assemble_cells(const Model& m, const State& s, double dt, CellLiquid& c, LiquidSystem& system);

/// What follows from velocities: `v` and `still` of the system.
void load_cell_velocities(const Model& m, const State& s, const CellLiquid& c,
                          LiquidSystem& system);

/// Beside walls the pressure's push misses N_i^T grad p of a particle (cell_operator.h). Masses
/// must be symmetric, so wall masses make up for the symmetric part of N only, and beside very
/// light bodies not for all of that (CellOperator::slant). The rest is a force, by last step's
/// pressure, whose push is `a` (LiquidSystem::speed; with the sign of grad p): without it a
/// particle beside an upright wall leans towards it by some per cent of its weight, and that has no
/// potential: liquid at rest boils. Momentum: the cells that touch a dynamic body share what they
/// get of it, so that it sums to zero.
void lean_on_walls(const Model& m, State& s, std::span<const Float4> a, CellLiquid& c, double dt);

/// Once velocities are known: what a wall gives along itself is taken back. N_i^T grad p of single
/// cells, wall masses and leaning together, sums over a wall to what pushes along its normals, but
/// for what free surfaces at its ends and last step's pressure leave:
///   sum_facets (lean + 1/2 rho A [d_t (n.q) - n (d_t.q)]),   q = v - v_0 - dt g.
/// The cells that touch a body share that, so that a plane without friction has no hold on liquid.
void let_go_of_walls(const Model& m, State& s, CellLiquid& c, double dt);

/// Before the solve: the spring that keeps cells round, smoothing, how particles lean on walls, and
/// the shifts to come.
void even_out(const Model& m, State& s, std::span<const Float4> a, CellLiquid& c, double dt);

/// After the step: positions alone are shifted towards the centroids, so that momentum stays;
/// particles that ended in a solid go back to its surface.
void shift_particles(const Model& m, State& s, CellLiquid& c, double dt);

/// [-] Of all closed cells together. Single cells scatter by some per cent in a flow; what one has
/// too little its neighbours have too much, so that is not compression.
double mean_compression(const State& s, const Cells& cells);

/// Before any force: what mass that goes with bodies since the last step brings along.
void hand_over(const State& s, CellLiquid& c);

/// Bodies with the liquid's mass that goes with them:
/// (M + dM) (u - u_0) = dt (F + dM g) + handed + ...
void entrain(const Model& m, const CellLiquid& c, double dt, BodyColumns& bodies);

/// The same seen from outside: what that mass takes of the liquid's push, into `push`.
void give_back(const Model& m, const State& s, const CellLiquid& c, double dt,
               std::span<const Vec6> u, std::span<Vec6> push);

}  // namespace hydrolith::particles
