#pragma once
// The pressure of body samples in the force between liquid and bodies (Gissler et al. 2019,
// section 3.3).
//
// In the units of LiquidSystem sample k pushes on particle i with (x_i + y_ik) g~_ik. The part of
// x_i is in gtot and in the links; y is the sample's own:
//   zero, balanced  y_ik = 0
//   mirrored        y_ik = x_i   the sample has the pressure of whatever particle meets it
//                                (Akinci et al. 2012)
//   mls             y_ik = y_k   extrapolated to the sample by moving least squares from the
//                                particles near it (Band et al. 2018b)
// What particles get is taken from the bodies, so momentum is kept. The divergence of velocities
// does not know y, so with y the operator is not symmetric and pressure may add energy: the one
// solve for everything cannot use it.

#include "particles/liquid_system.h"
#include "contact/samples.h"

#include <span>
#include <vector>

namespace hydrolith::particles {

class InterfacePressure {
 public:
  void prepare(BoundaryPressure kind, const State& s, const Samples& samples,
               const Neighbours& near, const Kernel& kernel, const LiquidSystem& system);

  /// Some samples have a pressure of their own.
  bool any() const { return !wet_.empty(); }
  /// a_i += mu_i sum_k y_ik g~_ik
  void accelerate(const LiquidSystem& system, std::span<const float> x, std::span<Float4> a);
  /// What the diagonal of the operator gains, added; of the bodies' part there is then twice as
  /// much.
  void stiffen(const LiquidSystem& system, std::span<float> diagonal) const;
  /// f += (h m / dt) sum_ik y_ik (g~_ik, r_k x g~_ik), for dynamic bodies, or for all others.
  void push_bodies(const LiquidSystem& system, std::span<const float> x, std::span<Vec6> f);
  void push_walls(const LiquidSystem& system, std::span<const float> x, std::span<Vec6> f);
  /// v_i -= (h / dt) mu_i sum_k y_ik g~_ik
  void apply(const LiquidSystem& system, std::span<const float> x, std::span<Vec3> v);

 private:
  void mirror(const LiquidSystem& system);
  void list_samples(const State& s, const Samples& samples, const Neighbours& near);
  void weigh(const State& s, const Samples& samples, const Kernel& kernel);
  void extrapolate(std::span<const float> x);
  void push(const LiquidSystem& system, bool dynamic, std::span<Vec6> f) const;

  BoundaryPressure kind_ = BoundaryPressure::zero;
  std::vector<std::uint32_t> wet_;  // particles near samples, ascending

  // mirrored, per wet particle
  std::vector<Vec3f> gradient_;  // [-] sum_k g~_ik

  // mls: terms of wet particles, and the samples near liquid
  struct Term {
    Vec3f g;              // [-] g~_ik
    std::uint32_t place;  // of the sample in the columns below
    float weight;         // [-] w_ki
  };
  struct SampleTerm {
    std::uint32_t particle, term;
  };
  std::vector<std::uint32_t> term_first_;  // wet particle -> terms_; wet + 1
  std::vector<Term> terms_;
  std::vector<std::uint32_t> place_of_;  // sample -> place
  std::vector<std::uint32_t> sample_;    // place -> sample, ascending: body by body
  std::vector<std::uint32_t> body_;      // place -> body
  std::vector<char> dynamic_;            // place -> its body is
  std::vector<std::uint32_t> first_;     // place -> sample_terms_; places + 1
  std::vector<SampleTerm> sample_terms_;
  std::vector<Vec6> lever_;  // [-], [m] sum_i (g~_ik, r_k x g~_ik)
  std::vector<float> y_;     // [-] y_k
  std::vector<Vec6> scratch_;
};

}  // namespace hydrolith::particles
