#pragma once
// Friction between any two bodies, changing with time where the scene says so.

#include "scene/scene.h"

#include <vector>

namespace hydrolith {

/// Coefficients for every pair of friction classes; bodies with the same material and friction
/// share a class. Combined per pair, never per side: a pair named in `friction:` has that
/// coefficient, any other the geometric mean of the two bodies' own.
class FrictionTable {
 public:
  explicit FrictionTable(const Scene& scene);

  int class_of(std::size_t body) const { return class_of_[body]; }
  int classes() const { return static_cast<int>(own_.size()); }
  /// mu [-] between two classes at time t [s].
  double operator()(int a, int b, double t) const;

 private:
  std::vector<int> class_of_;            // body -> class
  std::vector<TimeFunction> own_;        // class -> mu
  std::vector<FrictionPairSpec> named_;  // as in the scene
  std::vector<int> pair_;                // classes x classes -> named_; -1: geometric mean
};

}  // namespace hydrolith
