#include "../output/fixtures.h"
#include "output/files.h"
#include "packet_reader.h"
#include "viewer/server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

/// A finished run of a few frames on disk.
void write_run(const fs::path& folder, std::int64_t frames) {
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  for (std::int64_t i = 0; i < frames; ++i) writer.write(sample_frame(objects, i, 50));
  writer.finish();
  MetricsWriter metrics(folder / "metrics.csv", {"time", "iterations"});
  for (int i = 0; i < 4; ++i) metrics.write({0.5 * i, 10.0 + i});
  write_file_atomically(folder / "run.json", "{\"state\": \"finished\"}");
}

/// A server for a run, answering until the end of its life.
class Served {
 public:
  explicit Served(const fs::path& folder)
      : run_(folder), server_(run_, options()), thread_([this] { server_.serve(stop_); }) {}
  ~Served() {
    stop_ = true;
    thread_.join();
  }

  /// A connection over which these bytes were sent. `room`: of what comes back, if not as usual.
  int ask(const std::string& request, int room = 0) const {
    const int wire = socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(wire >= 0);
    if (room > 0) setsockopt(wire, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(server_.port()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(wire, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    REQUIRE(::send(wire, request.data(), request.size(), MSG_NOSIGNAL) >= 0);
    return wire;
  }
  /// All the server sends back for these bytes.
  std::string send(const std::string& request) const {
    const int wire = ask(request);
    std::string answer;
    char buffer[65536];
    for (ssize_t n; (n = recv(wire, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(n));
    close(wire);
    return answer;
  }
  std::string get(const std::string& path, const std::string& host = "localhost") const {
    return send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  }

 private:
  static ServerOptions options() {
    ServerOptions o;
    // Any free port: several tests may run at the same time.
    const int wire = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    REQUIRE(bind(wire, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0);
    REQUIRE(getsockname(wire, reinterpret_cast<sockaddr*>(&here), &size) == 0);
    close(wire);
    o.port = ntohs(here.sin_port);
    return o;
  }
  std::atomic<bool> stop_ = false;
  RunView run_;
  ViewServer server_;
  std::thread thread_;
};

int status(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::atoi(answer.c_str() + 9) : 0;
}

std::string body(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

}  // namespace

TEST_CASE("the page, the run, its frames, metrics and bodies are served") {
  const TemporaryFolder folder;
  write_run(folder, 3);
  const Served served(folder);
  CHECK(contains(body(served.get("/")), "<!doctype html>"));
  CHECK(contains(body(served.get("/api/run")), "huile d'olive"));
  CHECK(contains(body(served.get("/api/status")), "\"count\":3"));
  CHECK(contains(body(served.get("/api/status?frames=2")), "\"frames\":[[2,"));
  const PacketReader frame(body(served.get("/api/frame/1?field=pressure")));
  CHECK(frame.array<std::uint32_t>("words", "uint32").size() == 100);
  const PacketReader metrics(body(served.get("/api/metrics?from=1")));
  CHECK(metrics.array<double>("values", "float64") == std::vector<double>{0.5, 1, 1.5, 11, 12, 13});
  const PacketReader motion(body(served.get("/api/body/1")));
  const auto values = motion.array<double>("values", "float64");
  const std::size_t columns = values.size() / 3;
  const Frame second = sample_frame(sample_objects(), 1, 50);
  CHECK(values[columns] == second.bodies[1].pose.position.x());  // exact, not rounded
  CHECK(contains(motion.json(), "[\"friction_torque.z\",\"N m\"]"));
  const PacketReader meshes(body(served.get("/api/meshes")));
  CHECK(meshes.array<std::uint32_t>("triangles", "uint32").size() == 24);
}

TEST_CASE("what is not there is 404, what makes no sense is 400, both with a reason") {
  const TemporaryFolder folder;
  write_run(folder, 1);
  const Served served(folder);
  CHECK(status(served.get("/api/frame/7")) == 404);
  CHECK(contains(body(served.get("/api/frame/7")), "there is no frame 7"));
  CHECK(status(served.get("/api/body/3")) == 404);
  CHECK(status(served.get("/api/body/99999999999999999999999")) == 400);
  CHECK(status(served.get("/api/metrics?from=-1")) == 400);
  CHECK(status(served.get("/api/metrics?from=1e3")) == 400);
  CHECK(status(served.get("/api/frame/0?field=heat")) == 404);
  CHECK(contains(body(served.get("/api/frame/0?field=heat")), "no field"));
}

TEST_CASE("no request reaches a file outside the frames of the run") {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  write_run(run, 1);
  write_file_atomically(folder.path() / "secret.h5", "not for you");
  const Served served(run);
  for (const char* path :
       {"/../secret.h5", "/run.json", "/frames/frame_000000.h5", "/api/frame/../../secret",
        "/api/frame/..%2f..%2fsecret.h5", "/api/frame/%2e%2e%2fsecret", "//etc/passwd",
        "/api/frame/0/../0", "/api/frame/0%00", "/api/mesh/../run"}) {
    const std::string answer = served.get(path);
    CHECK_MESSAGE(status(answer) >= 400, path);
    CHECK_FALSE(contains(answer, "not for you"));
    CHECK_FALSE(contains(answer, "root:"));
  }
}

TEST_CASE("only GET is answered, and only to hosts that cannot be a stranger's name") {
  const TemporaryFolder folder;
  write_run(folder, 1);
  const Served served(folder);
  CHECK(status(served.send("POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                           "Connection: close\r\n\r\n")) == 405);
  CHECK(status(served.get("/api/run", "evil.example")) == 403);
  CHECK(status(served.get("/api/run", "127.0.0.1.evil.example:80")) == 403);
  CHECK(status(served.get("/api/run", "127.0.0.1:8642")) == 200);
  CHECK(status(served.get("/api/run", "[::1]:8642")) == 200);
  CHECK_FALSE(host_is_welcome("", "127.0.0.1"));
  CHECK_FALSE(host_is_welcome("[::1", "127.0.0.1"));
  CHECK(host_is_welcome("lab-7:80", "lab-7"));
}

TEST_CASE("a damaged frame is told and the others are still served") {
  const TemporaryFolder folder;
  write_run(folder, 3);
  const fs::path torn = folder.path() / "frames/frame_000001.h5";
  fs::resize_file(torn, fs::file_size(torn) / 2);
  write_file_atomically(folder.path() / "frames/frame_000003.h5", "no frame at all");
  const Served served(folder);
  CHECK(contains(body(served.get("/api/status")), "[1,null]"));
  const std::string answer = served.get("/api/frame/1?field=speed");
  CHECK(status(answer) == 500);
  CHECK(contains(body(answer), "frames/frame_000001.h5"));
  CHECK_FALSE(contains(answer, folder.path().string()));  // nobody's business
  CHECK(contains(body(served.get("/api/frame/3")), "not an HDF5 file"));
  CHECK(status(served.get("/api/frame/2?field=speed")) == 200);
  const PacketReader motion(body(served.get("/api/body/0")));
  CHECK(std::isnan(motion.array<double>("values", "float64")[43]));  // of the torn frame
}

TEST_CASE("where things lie on this disk is not told") {
  const TemporaryFolder folder;
  write_run(folder, 1);
  write_file_atomically(
      folder.path() / "run.json",
      R"({"scene_file": "/home/me/secret project/dam.yaml", "state": "failed", "message": ")" +
          (folder.path() / "log.txt").string() + R"("})");
  const Served served(folder);
  const std::string told = body(served.get("/api/status"));
  CHECK(contains(told, R"(\"scene_file\": \"dam.yaml\", \"state\": \"failed\")"));
  CHECK(contains(told, R"(\"message\": \"log.txt\")"));
}

TEST_CASE("a run that grows is followed: new frames and new rows are seen") {
  const TemporaryFolder folder;
  write_run(folder, 1);
  const Served served(folder);
  CHECK(contains(body(served.get("/api/status?frames=1")), "\"count\":1,\"frames\":[]"));
  FrameWriter writer(folder, sample_objects(), {});
  writer.write(sample_frame(sample_objects(), 1, 7));
  writer.finish();
  std::ofstream(folder.path() / "metrics.csv", std::ios::app) << "2,99\n2.5,";  // half a row
  const std::string news = body(served.get("/api/status?frames=1"));
  CHECK(contains(news, "\"count\":2,\"frames\":[[1,"));
  CHECK(contains(news, "\"rows\":5"));
  CHECK(contains(news, "\"time\":2,"));
}

TEST_CASE("odd bytes and many clients do not bring the server down") {
  const TemporaryFolder folder;
  write_run(folder, 2);
  const Served served(folder);
  std::vector<std::thread> clients;
  for (const std::string& odd :
       {std::string("\0\0\0\0", 4), std::string("GET\r\n\r\n"),
        std::string("GET / HTTP/9.9\r\n\r\n"),
        "GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n\r\n",
        std::string(
            "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\nConnection: "
            "close\r\n\r\n")})
    clients.emplace_back([&served, odd] { served.send(odd); });
  std::atomic<int> good = 0;
  for (int i = 0; i < 24; ++i)
    clients.emplace_back([&, i] {
      for (int k = 0; k < 4; ++k)
        good += status(served.get(i % 2 ? "/api/frame/1?field=speed" : "/api/status")) == 200;
    });
  for (std::thread& t : clients) t.join();
  CHECK(good == 24 * 4);
}

TEST_CASE("silent, slow and half-spoken clients keep nobody waiting, neither others nor the end") {
  using Clock = std::chrono::steady_clock;
  const TemporaryFolder folder;
  write_run(folder, 2);
  std::vector<int> wires;
  Clock::time_point asked;
  {
    const Served served(folder);
    const std::string page = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    asked = Clock::now();
    for (int i = 0; i < 40; ++i) {
      wires.push_back(served.ask(page));                                // an open browser
      wires.push_back(served.ask(page + page + page + page, 4096));     // reads nothing
      wires.push_back(served.ask("GET /api/run HTTP/1.1\r\nHost: l"));  // and then no more
    }
    CHECK(status(served.get("/api/status")) == 200);
    CHECK(std::chrono::duration<double>(Clock::now() - asked).count() < 2.5);
    asked = Clock::now();
  }
  // The library alone would wait for 3 s at least. Half of that leaves room for a busy machine.
  CHECK(std::chrono::duration<double>(Clock::now() - asked).count() < 1.5);
  for (const int wire : wires) close(wire);
}

TEST_CASE("a run whose folder goes away is told as that, and served again when it is back") {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run", away = folder.path() / "away";
  write_run(run, 2);
  const Served served(run);
  CHECK(status(served.get("/api/frame/1?field=speed")) == 200);
  fs::rename(run, away);
  CHECK(status(served.get("/api/frame/1?field=speed")) == 404);
  CHECK(contains(body(served.get("/api/status")), "\"count\":0"));
  CHECK(contains(body(served.get("/api/status")), "\"trouble\":\"metrics.csv: cannot read"));
  CHECK(status(served.get("/api/run")) == 200);  // known since the start
  fs::rename(away, run);
  CHECK(status(served.get("/api/frame/1?field=speed")) == 200);
  CHECK(contains(body(served.get("/api/status")), "\"count\":2"));
}

TEST_CASE("a port that is taken, and a folder that is no run, are errors that say so") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(RunView(folder.path()), IoError);
  write_run(folder, 1);
  const RunView run(folder);
  ServerOptions options;
  const ViewServer first(run, options);
  options.port = first.port();
  CHECK(contains(message_of<IoError>([&] { ViewServer(run, options); }), "cannot be had"));
  options.port = 0;
  const ViewServer second(run, options);  // any other port will do
  CHECK(second.port() != first.port());
}
