#pragma once
// One live line on a terminal, plain lines otherwise.

#include "hydrolith/simulation.h"

#include <chrono>
#include <string>

namespace hydrolith::command {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  /// Shows progress now if it is time to.
  void show(const Progress& p);
  /// Any text in the same place (renderer).
  void show(const std::string& text, double share_done);
  /// Takes the live line away.
  void clear();
  /// Ends the live line.
  void finish();

 private:
  bool due(double share_done);
  void print(const std::string& text);

  bool quiet_, live_;
  bool open_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// 73 -> "1 min 13 s"
std::string duration_text(double seconds);

}  // namespace hydrolith::command
