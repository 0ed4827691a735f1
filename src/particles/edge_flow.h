#pragma once
// The divergence at sharp edges of solids.
//
// Round a sharp edge liquid flows as K s(x), s = grad r^l cos(l theta) (cells/sharp_edges.h), and
// what passes between two cells at the edge is up to a third more than the mean of their velocities
// says: rows that are exact for linear fields are far from exact for this one. Liquid then has to
// go faster round edges than in truth, and a box starts as if it carried a seventh more liquid
// along (error of the added mass as (h / edge)^(4/3), that of round bodies as (h / R)^2). So rows
// near an edge lose the error that they have for s:
//   D'' = D' - sum over pieces e of edges of t_e z_e^T
//   e_i = share_e (D' s)_i, facets moving as s does
//   t_e = e - W P (P^T W P)^-1 P^T e,  rows of P (1, x_i): columns of D'' stay exact for linear p
//   z_e . v = K of the best fit v = v_0 + omega x x + b x + K s, weights w_i: nothing of D'' v is
//             new for rigid motion and dilation, so that momentum and angular momentum are kept.
// The force is the adjoint as before, so no energy comes from it.

#include "cells/cells.h"
#include "cells/sharp_edges.h"
#include "core/float4.h"
#include "core/parallel.h"
#include "particles/model.h"

#include <cstdint>
#include <span>
#include <vector>

namespace hydrolith::particles {

class CellOperator;

class EdgeFlow {
 public:
  EdgeFlow();
  ~EdgeFlow();
  EdgeFlow(EdgeFlow&&) noexcept;

  /// From the rows D' of `op`. `edges`: of every shape, body frame.
  void assemble(const Model& m, const State& s, const Cells& cells, const CellBuilder& builder,
                std::span<const std::vector<SharpEdge>> edges, const CellOperator& op);
  void clear();
  bool empty() const { return entries_.empty(); }

  /// One particle near one piece of an edge.
  struct Entry {
    std::uint32_t particle = 0;
    float t = 0;
    Vec3f z = Vec3f::Zero();
  };
  std::span<const Entry> entries() const { return entries_; }
  /// z of an entry in double: forces on all particles sum to zero.
  const Vec3& exact_z(std::uint32_t entry) const { return z_[entry]; }
  std::size_t pieces() const { return first_.size() - 1; }
  /// Sum over the entries of every piece.
  template <class T, class F>
  void sum_pieces(std::vector<T>& sums, F&& f) const {
    sums.resize(pieces());
    parallel_for(
        pieces(),
        [&](std::size_t k) {
          T sum = 0;
          for (std::uint32_t e = first_[k]; e < first_[k + 1]; ++e) sum += f(entries_[e]);
          sums[k] = sum;
        },
        64);
  }
  /// f(particle, its entries) for particles near edges.
  template <class F>
  void for_each_particle(F&& f) const {
    parallel_for(
        particles(),
        [&](std::size_t k) {
          f(entries_[by_particle_[particle_first_[k]]].particle, entries_of(k));
        },
        64);
  }
  /// Particles near edges, ascending, and the entries of each.
  std::size_t particles() const { return particle_first_.size() - 1; }
  std::span<const std::uint32_t> entries_of(std::size_t particle) const {
    return {by_particle_.data() + particle_first_[particle],
            particle_first_[particle + 1] - particle_first_[particle]};
  }
  std::uint32_t piece_of(std::uint32_t entry) const { return piece_of_[entry]; }

 private:
  struct Work;
  void list_pieces(const Model& m, const State& s, const Cells& cells,
                   std::span<const std::vector<SharpEdge>> edges);
  void index();

  std::vector<Work> work_;  // per piece near liquid; memory is kept
  std::size_t used_ = 0;
  std::vector<Entry> entries_;  // by piece
  std::vector<Vec3> z_;
  std::vector<std::uint32_t> first_ = {0}, piece_of_;
  std::vector<std::uint32_t> by_particle_, particle_first_ = {0};
  std::vector<char> touched_;  // per body
};

}  // namespace hydrolith::particles
