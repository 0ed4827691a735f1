#pragma once
// The viewer's web server: the page, and the run as answers to it. Reads, never writes; nothing in
// a request becomes part of a file's name but numbers.

#include "viewer/run_view.h"

#include <atomic>
#include <memory>
#include <string>

namespace hydrolith {

struct ServerOptions {
  std::string host = "127.0.0.1";           // where to listen: this machine alone
  int port = 0;                             // 0: 8642, or any other if that is taken
  std::size_t cache = std::size_t(1) << 28;  // [bytes] of packed frames
};

class ViewServer {
 public:
  /// Opens the port. Throws IoError if it cannot be had. `run` must live longer.
  ViewServer(const RunView& run, const ServerOptions& options);
  ~ViewServer();

  int port() const;
  std::string address() const;  // "http://127.0.0.1:8642/"
  /// Answers until `stop` is set.
  void serve(const std::atomic<bool>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether a request may name this host: an address in digits, localhost, or the name listened on.
/// Any other name may be a stranger's that was made to point here (DNS rebinding).
bool host_is_welcome(const std::string& header, const std::string& listening_on);

}  // namespace hydrolith
