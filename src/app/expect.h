#pragma once
// `expect`: the scene's own test, checked against the metrics of the run.

#include "hydrolith/simulation.h"

#include "scene/scene.h"

#include <string>
#include <vector>

namespace hydrolith {

/// Faults in the metric names of `expect`, with suggestions. Throws SceneError.
void check_expected_metrics(const Scene& scene, const std::vector<std::string>& columns);

/// Gathers what the expectations need while the run goes on: nothing is read back from disk.
class ExpectWatch {
 public:
  ExpectWatch(const Scene& scene, const std::vector<std::string>& columns);
  void see(const std::vector<double>& values);
  std::vector<Verdict> verdicts() const;
  /// All it has seen, for a checkpoint, and the way back. Throws Error if it is of other
  /// expectations.
  std::vector<double> memory() const;
  void restore(const std::vector<double>& memory);

 private:
  struct Seen {
    int column = 0;
    std::int64_t count = 0;
    double first_time = 0, last_time = 0, last = 0;
    double min = 0, max = 0, integral = 0;  // of the metric over time
    double before_time = 0, before = 0;     // the row before ExpectSpec::time
    bool after = false;                     // a row at or after that time was seen
    double at_time = 0;                     // interpolated value there
  };
  std::vector<ExpectSpec> specs_;
  std::vector<Seen> seen_;
  int time_column_ = 0;
};

}  // namespace hydrolith
