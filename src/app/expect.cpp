#include "app/expect.h"

#include "core/check.h"
#include "core/suggest.h"

#include <algorithm>
#include <cmath>

namespace hydrolith {

namespace {

int find(const std::vector<std::string>& columns, const std::string& name) {
  const auto it = std::find(columns.begin(), columns.end(), name);
  return it == columns.end() ? -1 : static_cast<int>(it - columns.begin());
}

bool within(const ExpectSpec& e, double value) {
  if (!std::isfinite(value)) return false;
  if (e.equals && std::abs(value - *e.equals) > e.margin) return false;
  if (e.above && value < *e.above) return false;
  if (e.below && value > *e.below) return false;
  return true;
}

std::string wanted(const ExpectSpec& e) {
  std::string text;
  const auto add = [&](std::string part) { text += (text.empty() ? "" : " and ") + part; };
  if (e.equals) add(fmt::format("{:g} +- {:g}", *e.equals, e.margin));
  if (e.above) add(fmt::format("at least {:g}", *e.above));
  if (e.below) add(fmt::format("at most {:g}", *e.below));
  return text;
}

Verdict judge(const ExpectSpec& e, const std::string& when, double value) {
  return {fmt::format("{} {}: {:.6g}, expected {}", e.metric, when, value, wanted(e)),
          within(e, value)};
}

}  // namespace

void check_expected_metrics(const Scene& scene, const std::vector<std::string>& columns) {
  std::vector<Diagnostic> faults;
  for (const ExpectSpec& e : scene.expect) {
    if (find(columns, e.metric) >= 0) continue;
    std::string message = fmt::format("there is no metric \"{}\" in this run.", e.metric);
    const std::string near = closest_word(e.metric, columns);
    message += near.empty() ? " Metrics: the columns of metrics.csv, see docs/results.md"
                            : fmt::format(" Did you mean \"{}\"?", near);
    faults.push_back({scene.file, e.mark.line, e.mark.column, e.mark.path, message});
  }
  if (!faults.empty()) throw SceneError(std::move(faults));
}

ExpectWatch::ExpectWatch(const Scene& scene, const std::vector<std::string>& columns)
    : specs_(scene.expect), time_column_(find(columns, "time")) {
  check_expected_metrics(scene, columns);
  for (const ExpectSpec& e : specs_) seen_.push_back({.column = find(columns, e.metric)});
}

void ExpectWatch::see(const std::vector<double>& values) {
  const double t = values[time_column_];
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    Seen& s = seen_[k];
    const double value = values[s.column];
    if (t == 0 && std::isnan(value)) continue;  // forces, before the first step
    if (s.count++ == 0) {
      s.min = s.max = value;
      s.first_time = t;
    } else {
      s.min = std::min(s.min, value);
      s.max = std::max(s.max, value);
      s.integral += 0.5 * (value + s.last) * (t - s.last_time);  // trapezium: even for adaptive dt
    }
    if (std::isnan(value)) s.min = s.max = value;
    if (!s.after && t >= specs_[k].time) {
      const double w =
          t > s.before_time ? (specs_[k].time - s.before_time) / (t - s.before_time) : 1;
      s.at_time = s.count == 1 ? value : s.before + w * (value - s.before);
      s.after = true;
    }
    s.before = value;
    s.before_time = t;
    s.last = value;
    s.last_time = t;
  }
}

namespace {

/// The numbers of what was seen of one expectation, in order.
template <class Seen, class Visit>
void visit_numbers(Seen& s, Visit&& number) {
  number(s.count), number(s.first_time), number(s.last_time), number(s.last);
  number(s.min), number(s.max), number(s.integral);
  number(s.before_time), number(s.before), number(s.after), number(s.at_time);
}
constexpr std::size_t numbers_each = 11;

}  // namespace

std::vector<double> ExpectWatch::memory() const {
  std::vector<double> values;
  for (const Seen& s : seen_)
    visit_numbers(s, [&](const auto& n) { values.push_back(static_cast<double>(n)); });
  return values;
}

void ExpectWatch::restore(const std::vector<double>& memory) {
  require(memory.size() == numbers_each * seen_.size(),
          "the checkpoint has seen other expectations than the scene has");
  std::size_t k = 0;
  for (Seen& s : seen_)
    visit_numbers(s, [&](auto& n) { n = static_cast<std::decay_t<decltype(n)>>(memory[k++]); });
}

std::vector<Verdict> ExpectWatch::verdicts() const {
  std::vector<Verdict> all;
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    const ExpectSpec& e = specs_[k];
    const Seen& s = seen_[k];
    const double span = s.last_time - s.first_time;
    switch (e.when) {
      case ExpectWhen::end:
        all.push_back(judge(e, "at the end", s.last));
        break;
      case ExpectWhen::min:
        all.push_back(judge(e, "at its lowest", s.min));
        break;
      case ExpectWhen::max:
        all.push_back(judge(e, "at its highest", s.max));
        break;
      case ExpectWhen::mean:
        all.push_back(judge(e, "on average", span > 0 ? s.integral / span : s.last));
        break;
      case ExpectWhen::at:
        if (s.after)
          all.push_back(judge(e, fmt::format("at t = {:g} s", e.time), s.at_time));
        else
          all.push_back(
              {fmt::format("{} at t = {:g} s: the run ended before", e.metric, e.time), false});
        break;
      case ExpectWhen::always:
        all.push_back({fmt::format("{} always: {:.6g} to {:.6g}, expected {}", e.metric, s.min,
                                   s.max, wanted(e)),
                       within(e, s.min) && within(e, s.max)});
        break;
    }
  }
  return all;
}

}  // namespace hydrolith
