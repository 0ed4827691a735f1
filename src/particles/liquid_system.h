#pragma once
// The pressure system of the liquid in the units of the solver, and how it hangs on the bodies.
//
// Probst & Teschner 2023 eq. 3.14, 3.15 with p_i scaled so that the operator is symmetric. With
// g~_ij = h^(d+1) grad W_ij, m the mass of a reference particle and mu_i = m / m_i,
//   unknown      x_i = dt^2 V_i^2 p_i / (h^(d+2) m)                                   [-]
//   velocity     v = v* - (h / dt) a,   a_i = mu_i (x_i gtot_i + sum_j x_j g~_ij)
//   constraint   C_i = h^d / V_i^0 - h^d / V_i - (dt / h) (divergence of v)           [-]
//                    = c_i + a_i . gtot_i - sum_j a_j . g~_ij + (dt / h) sum_K L_iK . u_K >= 0
//   bodies       impulse on K = (h m / dt) sum_i x_i L_iK,  L_iK = sum_k (g~_ik, r_k x g~_ik)
// so C = c + A x + L^T u with A = B^T B: the LCP 0 <= x, C >= 0 is that of a convex quadratic, and
// pressure can never add energy. Walls are bodies whose velocity is given; all samples k of a body
// near particle i collapse to one link. Samples have no pressure of their own (p_b = 0 as in the
// paper); their kernel is that of BoundaryKernel.

#include "core/float4.h"
#include "linalg/block_ldu.h"
#include "particles/model.h"
#include "particles/neighbours.h"

#include <span>
#include <vector>

namespace hydrolith::particles {

class CellOperator;

/// All samples of one body near one liquid particle as one term.
struct BodyLink {
  std::uint32_t particle = 0, body = 0;
  Vec3f G = Vec3f::Zero();  // [-]  sum_k g~_ik
  Vec3f T = Vec3f::Zero();  // [m]  sum_k r_k x g~_ik, r_k from the body's centre
  double dot(const Vec6& u) const {
    return G.cast<double>().dot(u.head<3>()) + T.cast<double>().dot(u.tail<3>());
  }
};

/// Links of one block of particles.
struct LinkParts {
  std::vector<BodyLink> walls, bodies;
};

struct LiquidSystem {
  double h = 0, dt = 0;  // [m], [s]
  double mass = 0;       // [kg] reference particle
  int dimensions = 3;
  const LiquidPairs* pairs = nullptr;
  const CellOperator* cells = nullptr;  // in place of the pairs: x_i = dt^2 p_i / (rho h^2)

  std::vector<Float4> gtot;            // [-] sum of g~ over liquid and samples
  std::vector<Float4> v;               // [-] (dt / h) v*
  std::vector<double> mass_ratio;      // [-] mu_i = m / m_i
  std::vector<float> lightness;        // [-] mu_i
  std::vector<float> still;            // [-] c_i without the divergence of v*
  std::vector<float> rest;             // [-] c_i; only after complete_rest
  std::vector<float> compression;      // [-] h^d / V_i - h^d / V_i^0: positive when compressed
  std::vector<float> diagonal;         // [-] A_ii with the bodies' part
  std::vector<BodyLink> wall_links;    // with static and kinematic bodies, sorted by particle
  std::vector<BodyLink> links;         // with dynamic bodies, sorted by particle
  std::vector<std::uint32_t> linked;   // first link of every linked particle; last = links.size()
  std::vector<std::uint32_t> by_body;  // links sorted by body
  std::vector<std::uint32_t> body_first;  // body -> by_body; bodies + 1
  std::vector<LinkParts> parts;           // of every block; memory of the assembly

  std::size_t size() const { return still.size(); }
  double speed() const { return h / dt; }           // [m/s] per unit of a
  double impulse() const { return h * mass / dt; }  // [kg m/s] per unit of x
};

/// [Pa] per unit of x, of a particle with this volume [m^3] at rest.
double pressure_unit(const LiquidSystem& system, double volume);

/// Places of `links` by particle and by body.
void index_links(std::size_t bodies, LiquidSystem& system);

/// a . M_i b in units of the reference mass.
double weigh(const LiquidSystem& system, std::size_t i, Float4 a, Float4 b);

struct CompressionOptions {
  double share = 1;          // [-] of a compression that is undone in the step
  double speed = 1;          // [m/s] but no faster than this
  bool only_motion = false;  // as if nothing were compressed, and nothing had room
};

/// What follows from positions: gradients, links, compression, the diagonal without the bodies.
void assemble_liquid(const Model& m, const State& s, const Samples& samples, const Neighbours& near,
                     bool balanced, double dt, LiquidSystem& system);

/// What follows from velocities, v* for the liquid: `v` and `still`. Of the bodies' velocities only
/// those of kinematic ones are used, the others enter with u.
void load_velocities(const State& s, const CompressionOptions& options, LiquidSystem& system);

/// still_i += (dt / h) L_iK . u_K for kinematic bodies K.
void add_wall_motion(const State& s, LiquidSystem& system);

/// a_i = mu_i (x_i gtot_i + sum_j x_j g~_ij)
void accelerate(const LiquidSystem& system, std::span<const float> x, std::span<Float4> a);

/// out_i = a_i . gtot_i - sum_j a_j . g~_ij; returns the ordered sum of weight_i out_i.
double diverge(const LiquidSystem& system, std::span<const Float4> a, std::span<const float> weight,
               std::span<float> out);

/// C_i = c_i + a_i . gtot_i - sum_j a_j . g~_ij: the constraint of velocities v* - (h / dt) a,
/// bodies at rest. `a` is used up: one pass over the pairs for the divergence of both.
void constrain(const LiquidSystem& system, std::span<Float4> a, std::span<float> C);

/// c_i for solvers that ask for it; the default one does not. `a` is used up.
void complete_rest(LiquidSystem& system, std::vector<Float4>& a);

/// f = (h m / dt) L x: impulses of the liquid on the bodies.
void push_bodies(const LiquidSystem& system, std::span<const float> x, std::span<Vec6> f);

/// Impulses of the liquid on static and kinematic bodies, added to f.
void push_walls(const LiquidSystem& system, std::span<const float> x, std::span<Vec6> f);

/// C_i += (dt / h) L_iK . u_K for all linked particles.
void add_body_motion(const LiquidSystem& system, std::span<const Vec6> u, std::span<float> C);

/// v_i -= (h / dt) a_i, summed in double over pairs so that momentum is kept to round-off.
void apply_pressure(const LiquidSystem& system, std::span<const float> x, std::span<Vec3> v);

}  // namespace hydrolith::particles
