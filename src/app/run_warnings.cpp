#include "app/run_warnings.h"

#include "core/check.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

constexpr double most_compression = 0.01;  // [-] mean
constexpr double shrunk_by = 100;          // [-]
constexpr double much_worse = 2;           // [-] told again

int index_of(const std::vector<std::string>& columns, std::string_view name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  require(found != columns.end(), "there is no metric {}", name);
  return static_cast<int>(found - columns.begin());
}

}  // namespace

RunWarnings::RunWarnings(const Scene& scene, const std::vector<std::string>& columns)
    : spacing_(scene.spacing),
      step_(index_of(columns, "step")),
      time_(index_of(columns, "time")),
      dt_(index_of(columns, "dt")),
      error_(index_of(columns, "volume_error")),
      particles_(index_of(columns, "particles")),
      outside_(index_of(columns, "outside")),
      share_(index_of(columns, "viscosity_share")) {
  for (const LiquidSpec& liquid : scene.liquids)
    if (liquid.viscosity / liquid.density > nu_) {
      nu_ = liquid.viscosity / liquid.density;
      thickest_ = liquid.viscosity;
    }
}

std::vector<std::string> RunWarnings::see(const std::vector<double>& m) {
  const double step = m[step_], time = m[time_], dt = m[dt_];
  std::vector<std::string> news;
  for (const std::string& text :
       {compressed(step, time, m[error_]), leaked(step, time, m[outside_], m[particles_]),
        shrunk(step, time, dt), thinned(step, time, dt, m[share_])})
    if (!text.empty()) news.push_back(text);
  told_.insert(told_.end(), news.begin(), news.end());
  return news;
}

std::string RunWarnings::compressed(double step, double time, double error) {
  if (!(error > std::max(most_compression, much_worse * told_error_))) return {};
  told_error_ = error;
  return fmt::format(
      "step {:.0f}, t = {:g} s: the liquid is compressed by {:.1f} % on average (volume_error): "
      "levels and volumes are too low by as much. Make the steps shorter (time_step: {{max: "
      "...}}), "
      "or let the solver take more iterations if it does not converge",
      step, time, 100 * error);
}

std::string RunWarnings::leaked(double step, double time, double outside, double all) {
  if (!(outside > std::max(0.0, much_worse * told_outside_))) return {};
  told_outside_ = outside;
  return fmt::format(
      "step {:.0f}, t = {:g} s: {:.0f} of {:.0f} liquid particles are outside the box around all "
      "static bodies and fall for ever. Walls thinner than two spacings leak, as do steps that are "
      "too long; where liquid shall leave, a `domain` or an outlet takes it away",
      step, time, outside, all);
}

std::string RunWarnings::shrunk(double step, double time, double dt) {
  if (!(dt > 0)) return {};  // before the first step
  longest_dt_ = std::max(longest_dt_, dt);
  if (!(shrunk_by * dt < longest_dt_ && much_worse * dt < told_dt_)) return {};
  told_dt_ = dt;
  return fmt::format(
      "step {:.0f}, t = {:g} s: a step of {:.3g} s, {:.0f} times shorter than the longest one so "
      "far, so the rest of the run takes that much longer. Something is very fast (max_speed) or "
      "had to be tried again (retries): look at the last frame for it",
      step, time, dt, longest_dt_ / dt);
}

std::string RunWarnings::thinned(double step, double time, double dt, double share) {
  if (!(share < 1 && share <= told_share_ / much_worse) && !(share < 1 && told_share_ == 1))
    return {};
  told_share_ = share;
  return fmt::format(
      "step {:.0f}, t = {:g} s: of a viscosity of {:g} Pa s only {:.3g} Pa s are applied, all that "
      "explicit viscosity bears in a step of {:.3g} s at a spacing of {:g} m. For all of it take "
      "steps of at most {:.3g} s, a larger spacing, or `engine: hybrid`, which solves for it",
      step, time, thickest_, share * thickest_, dt, spacing_, share * dt);
}

}  // namespace hydrolith
