// Full disk, unwritable folder, kill at any moment: the error is clear and what was finished stays.

#include "hydrolith/error.h"

#include "fixtures.h"
#include "output/metrics.h"
#include "output/run_folder.h"
#include "vtk_reader.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace hydrolith::test {

namespace {

/// Files may not grow beyond this while it lives, as on a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int) = nullptr;
};

/// Writes two small frames and one too large for the disk; checks what is said and what stays.
void write_until_full(const fs::path& folder, std::string_view reason) {
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  writer.write(sample_frame(objects, 0, 100));
  writer.write(sample_frame(objects, 1, 100));
  writer.finish();
  writer.write(sample_frame(objects, 2, 20'000));
  const std::string message = message_of<IoError>([&] { writer.finish(); });
  CHECK(contains(message, "frame_000002.h5"));
  CHECK(contains(message, reason));
  CHECK(contains(message, "Frames up to 1 are whole."));
  CHECK(message_of<IoError>([&] { writer.write(sample_frame(objects, 3, 10)); }) == message);
  CHECK(message_of<IoError>([&] { writer.finish(); }) == message);
  CHECK(writer.frames_written() == 2);
  const RunReader reader(folder);
  CHECK(reader.frames() == std::vector<std::int64_t>{0, 1});
  CHECK(same(reader.read(1), sample_frame(objects, 1, 100)));
  CHECK(std::distance(fs::directory_iterator(folder / "frames"), {}) == 2);  // no leftovers
}

}  // namespace

TEST_CASE("a file that cannot grow stops the run with a clear error; finished frames stay") {
  const TemporaryFolder folder;
  const FileSizeLimit limit(200'000);
  write_until_full(folder, "cannot write: File too large");
}

TEST_CASE("a full disk stops the run with a clear error; finished frames stay") {
  const TemporaryFolder folder;
  if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    MESSAGE("skipped: mounting a small file system needs more rights");
    return;
  }
  write_until_full(folder.path() / "run", "cannot write: No space left on device. Free some space");
  CHECK(umount(folder.path().c_str()) == 0);
}

TEST_CASE("metrics on a full disk keep whole rows") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "metrics.csv";
  std::string message = "(no error)";
  {
    const FileSizeLimit limit(10'000);
    MetricsWriter writer(file, {"time", "energy"});
    message = message_of<IoError>([&] {
      for (int i = 0; i < 2'000; ++i) {
        writer.write({i / 3.0, i / 7.0});
        if (i % 50 == 49) writer.flush();
      }
    });
  }
  CHECK(contains(message, "metrics.csv: cannot write: File too large"));
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  CHECK(text.ends_with('\n'));
  const MetricsTable table = read_metrics(file);
  CHECK(table.rows.size() > 100);
  CHECK(table.rows[100][1] == 100 / 7.0);
}

TEST_CASE("a folder that cannot be made is named, with what to do") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "I am not a folder";
  const auto open = [&](const fs::path& run) {
    return message_of<IoError>([&] { FrameWriter(run, sample_objects(), {}); });
  };
  for (const std::string& message : {open(file), open(file / "run")}) {
    CHECK(contains(message, file.string()));
    CHECK(contains(message, "cannot create the folder: Not a directory"));
    CHECK(contains(message, "--output"));
  }
  CHECK(contains(message_of<IoError>([&] { MetricsWriter(file / "metrics.csv", {"t"}); }),
                 "metrics.csv: cannot write: Not a directory"));
}

TEST_CASE("a folder that vanishes during the run is reported") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  FrameWriter writer(folder.path() / "run", objects, {});
  fs::remove_all(folder.path() / "run");
  writer.write(sample_frame(objects, 0, 10));
  const std::string message = message_of<IoError>([&] { writer.finish(); });
  CHECK(contains(message, "No such file or directory"));
  CHECK(contains(message, "No frame was finished."));
}

namespace {

/// A child that writes frames and metrics until it is killed.
[[noreturn]] void write_for_ever(const fs::path& folder, const Objects& objects) {
  FrameWriter writer(folder, objects, {.hdf5 = true, .vtk = true, .ply = false, .compression = 1});
  MetricsWriter metrics(folder / "metrics.csv", {"time", "third"});
  for (std::int64_t i = 0;; ++i) {
    writer.write(sample_frame(objects, i, 400));
    for (int k = 0; k < 50; ++k) metrics.write({double(i), double(i) / 3});
    metrics.flush();
  }
}

/// Everything that can be seen in the folder is whole; returns the number of frames.
std::size_t check_whole(const fs::path& folder, const Objects& objects) {
  if (!fs::exists(folder / "objects.h5")) return 0;
  const RunReader reader(folder);
  const std::vector<std::int64_t> frames = reader.frames();
  for (const std::int64_t i : frames) CHECK(same(reader.read(i), sample_frame(objects, i, 400)));
  if (fs::exists(folder / "vtk" / "run.pvd"))
    for (const auto& [time, file] : read_pvd(folder / "vtk" / "run.pvd"))
      CHECK(read_vtp(folder / "vtk" / file).time == time);
  if (fs::exists(folder / "metrics.csv") && fs::file_size(folder / "metrics.csv") > 0)
    for (const auto& row : read_metrics(folder / "metrics.csv").rows) CHECK(row[1] == row[0] / 3);
  return frames.size();
}

}  // namespace

TEST_CASE("kill -9 at any moment leaves only whole files") {
  Objects objects = sample_objects();
  std::mt19937 random(99);
  std::size_t frames = 0;
  for (int attempt = 0; attempt < 30; ++attempt) {
    const TemporaryFolder folder;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) write_for_ever(folder, objects);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    frames += check_whole(folder, objects);
  }
  CHECK(frames > 0);  // some children lived long enough to write
}

}  // namespace hydrolith::test
