#pragma once
// Friction between any two bodies, changing with time where the scene says so.

#include "scene/scene.h"

#include <vector>

namespace hydrolith {

/// How one body rubs.
struct OwnFriction {
  TimeFunction along, across;         // [-] the same without a grain
  Vec3 direction = Vec3::Zero();      // unit, body frame; zero: no grain
  double torsional = 0, rolling = 0;  // [m]
  bool operator==(const OwnFriction&) const = default;
};

/// How two bodies rub at some time.
struct PairFriction {
  double along = 0, across = 0;       // [-] the same without a grain
  Vec3 direction = Vec3::Zero();      // unit, in the frame of `grain_of`; zero: no grain
  std::size_t grain_of = 0;           // body
  double torsional = 0, rolling = 0;  // [m]
};

/// Friction for every pair of friction classes; bodies with the same material and friction share a
/// class. Combined per pair, never per side: a pair named in `friction:` has what is said there,
/// any other the geometric mean of the two bodies' own. Of two grains that of the body with the
/// smaller index counts; the other body has the geometric mean of its two coefficients.
class FrictionTable {
 public:
  explicit FrictionTable(const Scene& scene);

  int class_of(std::size_t body) const { return class_of_[body]; }
  int classes() const { return static_cast<int>(own_.size()); }
  /// Between two bodies at time t [s].
  PairFriction operator()(std::size_t a, std::size_t b, double t) const;
  /// Whether any pair resists turning, and whether any has a grain.
  bool has_spin() const;
  bool has_grain() const;

 private:
  std::vector<int> class_of_;            // body -> class
  std::vector<OwnFriction> own_;         // per class
  std::vector<FrictionPairSpec> named_;  // as in the scene
  std::vector<int> pair_;                // classes x classes -> named_; -1: geometric mean
};

}  // namespace hydrolith
