#include "viewer/server.h"

#include "viewer/answer_cache.h"
#include "viewer/json_text.h"
#include "viewer/page.h"

#include <arpa/inet.h>
#include <httplib.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace hydrolith {

namespace {

constexpr int usual_port = 8642;
constexpr int threads_for_clients = 256;  // most of them wait for somebody who says nothing
constexpr int clients_at_the_door = 512;
constexpr int frames_ahead = 4;

/// A request that makes no sense.
struct BadRequest : Error {
  using Error::Error;
};

std::int64_t number(const std::string& text, const char* what) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    throw BadRequest(fmt::format("{}: \"{}\" is not a whole number", what, text));
  return value;
}

std::size_t parameter(const httplib::Request& request, const char* name) {
  if (!request.has_param(name)) return 0;
  return static_cast<std::size_t>(number(request.get_param_value(name), name));
}

/// Sent as it is: on one machine, packing costs more time than it saves.
void send(httplib::Response& response, AnswerCache::Answer answer, const char* type) {
  const std::size_t size = answer->size();
  response.set_content_provider(
      size, type, [answer](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(answer->data() + offset, length);
      });
}

void send(httplib::Response& response, std::string text, const char* type) {
  send(response, std::make_shared<const std::string>(std::move(text)), type);
}

void send_error(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content("{\"error\":" + json_text(message) + "}", "application/json");
}

void send_exception(httplib::Response& response, std::exception_ptr error, const RunView& run) {
  try {
    std::rethrow_exception(error);
  } catch (const NotFound& e) {
    send_error(response, 404, e.what());
  } catch (const BadRequest& e) {
    send_error(response, 400, e.what());
  } catch (const std::exception& e) {
    send_error(response, 500, run.without_folder(e.what()));
  } catch (...) {
    send_error(response, 500, "unexpected");
  }
}

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

/// Ends all connections at this port of ours, whatever their threads wait for. The library only
/// stops to accept new ones, and would wait until the last browser hangs up.
void hang_up(int port) {
  std::error_code none;
  for (std::filesystem::directory_iterator at("/proc/self/fd", none), end; at != end;
       at.increment(none)) {
    const int wire = std::atoi(at->path().filename().c_str());
    sockaddr_storage own{}, other{};
    socklen_t own_size = sizeof own, other_size = sizeof other;
    if (getsockname(wire, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
        getpeername(wire, reinterpret_cast<sockaddr*>(&other), &other_size) != 0)
      continue;
    in_port_t own_port = 0;
    if (own.ss_family == AF_INET) own_port = reinterpret_cast<sockaddr_in*>(&own)->sin_port;
    if (own.ss_family == AF_INET6) own_port = reinterpret_cast<sockaddr_in6*>(&own)->sin6_port;
    if (ntohs(own_port) == port) shutdown(wire, SHUT_RDWR);
  }
}

const httplib::Headers headers_of_all = {
    {"Cache-Control", "no-store"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
     "blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
};

}  // namespace

bool host_is_welcome(const std::string& header, const std::string& listening_on) {
  std::string host = header;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string::npos) return false;
    host = host.substr(1, end - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  return host == "localhost" || host == listening_on || is_address(host);
}

struct ViewServer::Impl {
  Impl(const RunView& r, const ServerOptions& o) : run(r), options(o), cache(o.cache) {
    server.new_task_queue = [] { return new httplib::ThreadPool(threads_for_clients); };
    server.set_default_headers(headers_of_all);
    server.set_tcp_nodelay(true);
    // The library's own choice would let two viewers share a port.
    server.set_socket_options([this](socket_t wire) {
      const int yes = 1;
      setsockopt(wire, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      listening = wire;
    });
    server.set_keep_alive_max_count(100000);
    server.set_keep_alive_timeout(3);
    server.set_read_timeout(5);
    server.set_write_timeout(30);
    server.set_payload_max_length(0);
    add_guards();
    add_routes();
    open_port();
    // The library lets five wait at the door; a sixth who comes at the same moment would try again
    // only after a second.
    ::listen(listening, clients_at_the_door);
  }

  void add_guards() {
    server.set_pre_routing_handler([this](const httplib::Request& in, httplib::Response& out) {
      using Result = httplib::Server::HandlerResponse;
      if (in.method != "GET" && in.method != "HEAD") {
        out.set_header("Allow", "GET, HEAD");
        send_error(out, 405, "only GET is answered here");
        return Result::Handled;
      }
      if (!host_is_welcome(in.get_header_value("Host"), options.host)) {
        send_error(out, 403, "this name does not belong to the viewer: use its address in digits");
        return Result::Handled;
      }
      return Result::Unhandled;
    });
    server.set_exception_handler(
        [this](const httplib::Request&, httplib::Response& out, std::exception_ptr error) {
          send_exception(out, error, run);
        });
    server.set_error_handler([](const httplib::Request&, httplib::Response& out) {
      if (out.body.empty()) send_error(out, out.status, "there is nothing here");
    });
  }

  void add_routes() {
    const auto get = [this](const char* path, auto answer) {
      server.Get(path,
                 [answer](const httplib::Request& in, httplib::Response& out) { answer(in, out); });
    };
    using In = const httplib::Request&;
    using Out = httplib::Response&;
    get("/",
        [](In, Out out) { send(out, std::string(viewer_page()), "text/html; charset=utf-8"); });
    get("/api/run", [this](In, Out out) { send(out, run.run(), json); });
    get("/api/status",
        [this](In in, Out out) { send(out, run.status(parameter(in, "frames")), json); });
    get("/api/meshes", [this](In, Out out) { send(out, run.meshes(), binary); });
    get("/api/metrics",
        [this](In in, Out out) { send(out, run.metrics(parameter(in, "from")), binary); });
    get(R"(/api/body/(\d+))", [this](In in, Out out) {
      const auto body = static_cast<std::size_t>(number(in.matches[1], "body"));
      send(out, run.body(body, parameter(in, "from")), binary);
    });
    get(R"(/api/frame/(\d+))", [this](In in, Out out) {
      const std::int64_t index = number(in.matches[1], "frame");
      const std::string field = in.get_param_value("field");
      send(out, frame(index, field), binary);
      prepare_next(index, field);
    });
    get(R"(/api/surface/(\d+))", [this](In in, Out out) {
      const std::int64_t index = number(in.matches[1], "frame");
      const std::string field = in.get_param_value("field");
      send(out,
           cache.get("surface " + frame_name(index, field),
                     [&] { return run.surface(index, field); }),
           binary);
    });
  }

  std::string frame_name(std::int64_t index, const std::string& field) const {
    return fmt::format("{} {} {}", index, run.frame_stamp(index), field);
  }

  AnswerCache::Answer frame(std::int64_t index, const std::string& field) {
    return cache.get(frame_name(index, field), [=, this] { return run.frame(index, field); });
  }

  /// Whoever looks at one frame after the other will want the next ones; whoever jumps will not.
  void prepare_next(std::int64_t index, const std::string& field) {
    if (last_frame.exchange(index) != index - 1) return;
    std::vector<std::pair<std::string, AnswerCache::Make>> next;
    for (std::int64_t i = index + 1; i <= index + frames_ahead; ++i) {
      try {
        next.emplace_back(frame_name(i, field), [=, this] { return run.frame(i, field); });
      } catch (const NotFound&) {
        break;
      }
    }
    cache.prepare(std::move(next));
  }

  void open_port() {
    if (options.port != 0) {
      if (!server.bind_to_port(options.host, options.port))
        throw IoError(
            fmt::format("port {} of {} cannot be had: something else listens there, or "
                        "the address is not of this machine. Choose another with --port",
                        options.port, options.host));
      port = options.port;
    } else if (server.bind_to_port(options.host, usual_port)) {
      port = usual_port;
    } else {
      port = server.bind_to_any_port(options.host);
      if (port <= 0)
        throw IoError(fmt::format("{}: no port can be had there; is it an address of this machine?",
                                  options.host));
    }
  }

  static constexpr const char* json = "application/json";
  static constexpr const char* binary = "application/octet-stream";
  const RunView& run;
  ServerOptions options;
  AnswerCache cache;
  httplib::Server server;
  socket_t listening = -1;
  int port = 0;
  std::atomic<std::int64_t> last_frame = -1;
};

ViewServer::ViewServer(const RunView& run, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(run, options)) {}

ViewServer::~ViewServer() = default;

int ViewServer::port() const { return impl_->port; }

std::string ViewServer::address() const {
  const std::string& host = impl_->options.host;
  const bool six = host.find(':') != std::string::npos;
  return fmt::format("http://{}:{}/", six ? "[" + host + "]" : host, impl_->port);
}

void ViewServer::serve(const std::atomic<bool>& stop) {
  std::atomic<bool> ended = false;
  std::thread watch([&] {
    const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    while (!stop && !ended) wait();
    impl_->server.stop();
    for (; !ended; wait()) hang_up(impl_->port);  // again for those that were just let in
  });
  impl_->server.listen_after_bind();
  ended = true;
  watch.join();
}

}  // namespace hydrolith
