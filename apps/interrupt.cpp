#include "interrupt.h"

#include <unistd.h>

#include <csignal>

namespace hydrolith::command {

namespace {

std::atomic<bool> stop_asked = false;
std::string_view words;

extern "C" void on_interrupt(int signal) {
  stop_asked = true;
  if (!words.empty() && ::write(STDERR_FILENO, words.data(), words.size()) < 0) words = {};
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt(std::string_view said) {
  words = isatty(STDERR_FILENO) != 0 ? said : std::string_view();
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGHUP, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);
  return stop_asked;
}

}  // namespace hydrolith::command
