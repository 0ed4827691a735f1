#pragma once
// The coarse level of the liquid's preconditioner: one unknown per cubic cell of several spacings.
//
// Within a cell the pressure may change only as a multiple of the weights w_i = p_i / (cell mean)
// of the step before; constants would be a poor basis in a disordered liquid, whose smooth modes
// are not constant from particle to particle. The coarse matrix is Galerkin's,
//   A_c = P^T A P + sum over bodies of (P^T L^T) H^-1 (L P),     P_iI = w_i for i in cell I,
// factored once a step; H^-1 is what the bodies give way (BodyResponse::comply).

#include "contact/body_response.h"
#include "particles/liquid_system.h"

#include <Eigen/SparseCholesky>

#include <memory>
#include <span>
#include <vector>

namespace hydrolith::particles {

class CoarseCells {
 public:
  /// `pressure`: of the step before, any unit. Cells only where there is pressure to expect.
  void build(const LiquidSystem& system, std::span<const Vec3> x, std::span<const float> pressure,
             const BodyResponse* bodies);
  /// Without cells the level does nothing.
  void clear() { cells_ = 0; }

  std::size_t size() const { return cells_; }
  /// rc = P^T r
  void restrict_to(std::span<const float> r, Eigen::VectorXd& rc) const;
  void solve(Eigen::VectorXd& rc) const;
  /// (P y)_i
  float value(std::size_t i, const Eigen::VectorXd& y) const {
    return share_[i].cell < 0 ? 0 : share_[i].weight * static_cast<float>(y[share_[i].cell]);
  }

 private:
  void assign(const LiquidSystem& system, std::span<const Vec3> x, std::span<const float> pressure);
  void weigh(std::span<const float> pressure);
  void add_liquid(const LiquidSystem& system);
  void add_bodies(const LiquidSystem& system, const BodyResponse& bodies);

  std::size_t cells_ = 0;
  struct Share {
    std::int32_t cell = -1;  // -1: none
    float weight = 0;        // w_i
  };
  std::vector<Share> share_;                    // of every particle in its cell
  std::vector<std::uint32_t> first_, members_;  // particles of every cell, in order
  std::vector<Eigen::Triplet<double, int>> entries_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double, Eigen::ColMajor, int>> factor_;
  mutable Eigen::VectorXd solution_;
};

}  // namespace hydrolith::particles
