#include "core/time_function.h"

#include "core/check.h"

#include <algorithm>

namespace hydrolith {

TimeFunction::TimeFunction(std::vector<double> times, std::vector<double> values, Interpolation how)
    : times_(std::move(times)), values_(std::move(values)), how_(how) {
  require(!times_.empty(), "keyframes need at least one time");
  require(times_.size() == values_.size(),
          "keyframes need a value for every time: {} times, {} values", times_.size(),
          values_.size());
  for (std::size_t i = 1; i < times_.size(); ++i)
    require(times_[i - 1] < times_[i], "keyframe times must rise: {} s after {} s", times_[i],
            times_[i - 1]);
}

// Between keys, with s = (t - t0) / (t1 - t0):
//   linear  v0 + s (v1 - v0)
//   smooth  the same with s -> s^2 (3 - 2 s), at rest at every key
//   step    v0 until the next key
double TimeFunction::operator()(double t) const {
  if (times_.empty()) return expression_(std::span(&t, 1));
  const auto next = std::upper_bound(times_.begin(), times_.end(), t);
  if (next == times_.begin()) return values_.front();
  if (next == times_.end()) return values_.back();
  const auto i = static_cast<std::size_t>(next - times_.begin());
  double s = (t - times_[i - 1]) / (times_[i] - times_[i - 1]);
  if (how_ == Interpolation::step) s = 0;
  if (how_ == Interpolation::smooth) s = s * s * (3 - 2 * s);
  return values_[i - 1] + s * (values_[i] - values_[i - 1]);
}

bool TimeFunction::is_constant() const {
  if (times_.empty()) return expression_.is_constant();
  return std::all_of(values_.begin(), values_.end(), [&](double v) { return v == values_[0]; });
}

}  // namespace hydrolith
