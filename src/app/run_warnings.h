#pragma once
// What a run should not keep to itself: read off its metrics, told once and again only when it has
// become much worse.

#include "scene/scene.h"

#include <limits>
#include <string>
#include <vector>

namespace hydrolith {

/// Looks at the metrics of every step for
/// - liquid that is compressed by more than 1 % on average,
/// - liquid that has left its container (setup/container.h),
/// - steps a hundred times shorter than the longest so far,
/// - viscosity that is applied in part only.
class RunWarnings {
 public:
  RunWarnings(const Scene& scene, const std::vector<std::string>& columns);
  /// What is new since the last call: each a sentence with what to do.
  std::vector<std::string> see(const std::vector<double>& metrics);
  /// All told so far.
  const std::vector<std::string>& told() const { return told_; }

 private:
  std::string compressed(double step, double time, double error);
  std::string leaked(double step, double time, double outside, double all);
  std::string shrunk(double step, double time, double dt);
  std::string thinned(double step, double time, double dt, double share);

  double thickest_ = 0, spacing_ = 0;                           // [Pa s], [m] for the text
  double nu_ = 0;                                               // [m^2/s]
  int step_, time_, dt_, error_, particles_, outside_, share_;  // columns
  double told_error_ = 0, told_outside_ = 0, told_share_ = 1;
  double longest_dt_ = 0, told_dt_ = std::numeric_limits<double>::infinity();  // [s]
  std::vector<std::string> told_;
};

}  // namespace hydrolith
