#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hydrolith::command {

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), live_(isatty(STDOUT_FILENO) != 0) {}

/// Ten times a second on a terminal, every five seconds in a log, and always at the end.
bool ProgressLine::due(double share_done) {
  if (quiet_) return false;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> waited = now - last_;
  if (share_done < 1 && waited.count() < (live_ ? 0.1 : 5.0)) return false;
  last_ = now;
  return true;
}

void ProgressLine::print(const std::string& text) {
  const std::string line = live_ ? "\r\033[K" + text : text + "\n";  // back to the start, clear it
  std::fwrite(line.data(), 1, line.size(), stdout);
  if (std::fflush(stdout) != 0) quiet_ = true;  // nobody listens any more
  open_ = live_ && !quiet_;
}

void ProgressLine::show(const Progress& p) {
  const double share = std::min(1.0, p.step.time / p.duration);
  if (!due(share)) return;
  const double left = share > 0 ? p.wall * (1 - share) / share : 0;
  print(
      fmt::format("{:3.0f} %  t {:.3f} / {:g} s  step {}  dt {:.3g} ms  iterations {}  {:.3g} M "
                  "particles/s  {} frames  {} left",
                  100 * share, p.step.time, p.duration, p.step.step, 1e3 * p.step.dt,
                  p.step.iterations, 1e-6 * p.particles_per_second, p.frames, duration_text(left)));
}

void ProgressLine::show(const std::string& text, double share_done) {
  if (due(share_done)) print(text);
}

void ProgressLine::clear() {
  if (open_) fmt::print("\r\033[K");
  open_ = false;
}

void ProgressLine::finish() {
  if (open_) fmt::print("\n");
  open_ = false;
}

std::string duration_text(double seconds) {
  const auto s = static_cast<long>(std::lround(std::max(0.0, seconds)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

}  // namespace hydrolith::command
