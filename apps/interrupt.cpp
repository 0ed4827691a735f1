#include "interrupt.h"

#include <csignal>

namespace hydrolith::command {

namespace {

std::atomic<bool> stop_asked = false;

extern "C" void on_interrupt(int signal) {
  stop_asked = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGHUP, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);
  return stop_asked;
}

}  // namespace hydrolith::command
