#include "fixtures.h"
#include "output/checkpoint_file.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "output/run_lock.h"

#include <doctest/doctest.h>

using namespace hydrolith;
using namespace hydrolith::test;

namespace {

Checkpoint sample(std::int64_t step) {
  Checkpoint c{.scene = "duration: 1\n# ä, and more\n",
               .name = "wave",
               .version = "0.1.0",
               .assets = {{"parts/hull.obj", 0xfedcba98u}, {"/a/b.ply", 7}},
               .step = step,
               .time = 0.25,
               .output = {.frames = 7,
                          .next_frame = 0.3,
                          .metrics_bytes = 1234,
                          .metrics_crc = 0xffffffffu,
                          .wall = 1.5,
                          .expectations = {1, 2, 3}}};
  ArchiveWriter write(c.state);
  write("x", std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}});
  write("c", std::vector<Eigen::Matrix3f>(20000, Eigen::Matrix3f::Constant(0.1f)));
  write("id", std::vector<std::uint32_t>{7, 8});
  write("step", step);
  write("nothing", std::vector<float>{});
  return c;
}

}  // namespace

TEST_CASE("A checkpoint comes back as it was") {
  const Checkpoint c = sample(41), d = decode_checkpoint(encode_checkpoint(c, "c.h5"), "c.h5");
  CHECK(d.scene == c.scene);
  CHECK(d.name == c.name);
  CHECK(d.version == c.version);
  CHECK(d.assets == c.assets);
  CHECK(d.output.metrics_crc == c.output.metrics_crc);
  CHECK(d.step == 41);
  CHECK(d.time == 0.25);
  CHECK(d.output.frames == 7);
  CHECK(d.output.next_frame == 0.3);
  CHECK(d.output.metrics_bytes == 1234);
  CHECK(d.output.expectations == c.output.expectations);
  CHECK(fingerprint(d.state) == fingerprint(c.state));
  std::vector<Vec3> x;
  ArchiveReader(d.state)("x", x);
  REQUIRE(x.size() == 2);
  CHECK(x[1] == Vec3(4, 5, 6));
  std::vector<float> wrong;
  CHECK_THROWS_AS(ArchiveReader(d.state)("x", wrong), Error);
  CHECK_THROWS_AS(ArchiveReader(d.state)("y", wrong), Error);
}

TEST_CASE("A checkpoint cut or flipped anywhere is refused") {
  const std::string whole = encode_checkpoint(sample(1), "c.h5");
  for (std::size_t cut = 0; cut < whole.size(); cut += 1 + whole.size() / 61)
    CHECK_THROWS_AS(decode_checkpoint(whole.substr(0, cut), "c.h5"), IoError);
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 97) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    CHECK_THROWS_AS(decode_checkpoint(flipped, "c.h5"), IoError);
  }
}

TEST_CASE("The last two are kept; those of later steps, left by an earlier attempt, go") {
  const TemporaryFolder folder;
  for (const std::int64_t step : {10, 20, 30}) write_checkpoint(folder.path(), sample(step));
  CHECK(list_checkpoints(folder.path()) == std::vector<std::int64_t>{20, 30});
  write_checkpoint(folder.path(), sample(25));
  CHECK(list_checkpoints(folder.path()) == std::vector<std::int64_t>{20, 25});
  CHECK(read_checkpoint(folder.path(), 25).step == 25);
}

TEST_CASE("One writer holds the lock of a run") {
  const TemporaryFolder folder;
  CHECK(!is_being_written(folder.path()));
  {
    const RunLock lock(folder.path());
    CHECK(is_being_written(folder.path()));
    CHECK_THROWS_WITH_AS(RunLock(folder.path()), doctest::Contains("another process"), IoError);
  }
  CHECK(!is_being_written(folder.path()));
}
