// The folder of a run: written in the background, read by anyone, whole at any moment.

#include "hydrolith/error.h"

#include "fixtures.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "output/run_names.h"

#include <fmt/format.h>

#include <fstream>
#include <thread>

namespace hydrolith::test {

namespace {
void write_text(const fs::path& file, std::string_view text) { std::ofstream(file) << text; }
}  // namespace

TEST_CASE("a run that was written is read back") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  FrameWriter writer(folder.path() / "a" / "b", objects, {});
  for (int i = 0; i < 5; ++i) writer.write(sample_frame(objects, i, 500));
  writer.finish();
  CHECK(writer.frames_written() == 5);
  const RunReader reader(folder.path() / "a" / "b");
  CHECK(same(reader.objects(), objects));
  CHECK(reader.frames() == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  for (const std::int64_t i : reader.frames())
    CHECK(same(reader.read(i), sample_frame(objects, i, 500)));
}

TEST_CASE("a run without frames can be read, and its frames appear as they come") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  const RunReader reader(folder);
  CHECK(reader.frames().empty());
  writer.write(sample_frame(objects, 41, 10));
  writer.finish();
  CHECK(reader.frames() == std::vector<std::int64_t>{41});
  writer.write(sample_frame(objects, 42, 10));
  writer.finish();
  CHECK(reader.frames() == std::vector<std::int64_t>{41, 42});
}

TEST_CASE("without finish() the queue is still written") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  {
    FrameWriter writer(folder, objects, {});
    for (int i = 0; i < 4; ++i) writer.write(sample_frame(objects, i, 100));
  }
  CHECK(RunReader(folder).frames().size() == 4);
}

TEST_CASE("only whole frames are listed") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  writer.write(sample_frame(objects, 3, 10));
  writer.finish();
  const fs::path frames = folder.path() / "frames";
  for (const char* name : {".frame_000004.h5.tmp", "frame_5.h5", "frame_000006.h5.bak", "notes.txt",
                           "frame_-00001.h5", "frame_.h5", "frame_0000x7.h5"})
    write_text(frames / name, "not a frame");
  CHECK(RunReader(folder).frames() == std::vector<std::int64_t>{3});
}

TEST_CASE("frame numbers above a million keep their order") {
  CHECK(numbered_name("frame", 1'234'567, ".h5") == "frame_1234567.h5");
  CHECK(number_in_name("frame_1234567.h5", "frame", ".h5") == 1'234'567);
  CHECK(number_in_name("frame_000012.h5", "frame", ".h5") == 12);
  CHECK(number_in_name("frame_99999999999999999999.h5", "frame", ".h5") == -1);
}

TEST_CASE("reading says which file is missing, foreign or in the wrong place") {
  const TemporaryFolder folder;
  CHECK(message_of<IoError>([&] { RunReader{folder}; }) ==
        folder.path().string() + ": not the folder of a run (it has no objects.h5)");
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  writer.write(sample_frame(objects, 0, 10));
  writer.finish();
  const RunReader reader(folder);
  const auto message = [&](int index) { return message_of<IoError>([&] { reader.read(index); }); };
  CHECK(contains(message(9), "frame_000009.h5: cannot read: No such file"));
  fs::copy(frame_file(folder, 0), frame_file(folder, 1));
  CHECK(contains(message(1), "frame_000001.h5: holds frame 0"));
  write_text(frame_file(folder, 2), "hello");
  CHECK(contains(message(2), "frame_000002.h5: not an HDF5 file"));
  write_text(objects_file(folder), "");
  CHECK(contains(message_of<IoError>([&] { RunReader{folder}; }), "objects.h5: the file is empty"));
}

TEST_CASE("a frame of another scene is refused") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  writer.write(sample_frame(objects, 0, 10));
  writer.finish();
  Objects other = objects;
  other.bodies.pop_back();
  FrameWriter(folder, other, {});
  CHECK(contains(message_of<IoError>([&] { RunReader(folder).read(0); }),
                 "frame_000000.h5: 3 bodies where objects.h5 has 2"));
}

TEST_CASE("a frame that does not fit the objects is refused at once") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  CHECK_THROWS_AS(writer.write(Frame{}), Error);
}

TEST_CASE("frames are removed from a number on, and nothing else is") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {.hdf5 = true, .vtk = true, .ply = true});
  for (int i = 0; i < 4; ++i) writer.write(sample_frame(objects, i, 10));
  writer.finish();
  write_text(folder.path() / "frames" / "notes.txt", "mine");
  const FrameFormats all{.hdf5 = true, .vtk = true, .ply = true};
  remove_frames(folder, 2, {.hdf5 = true, .vtk = true});
  CHECK(fs::exists(folder.path() / "ply" / "bodies" / "bodies_000003.ply"));  // somebody's export
  remove_frames(folder, 2, all);
  CHECK(RunReader(folder).frames() == std::vector<std::int64_t>{0, 1});
  CHECK(fs::exists(folder.path() / "vtk" / "water" / "water_000001.vtp"));
  CHECK_FALSE(fs::exists(folder.path() / "vtk" / "water" / "water_000002.vtp"));
  CHECK_FALSE(fs::exists(folder.path() / "ply" / "bodies" / "bodies_000003.ply"));
  remove_frames(folder, 0, all);
  CHECK(RunReader(folder).frames().empty());
  CHECK(fs::exists(folder.path() / "frames" / "notes.txt"));
  CHECK_NOTHROW(remove_frames(folder.path() / "nowhere", 0, all));
}

TEST_CASE("a file is written whole or not at all") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "run.json";
  write_file_atomically(file, "first");
  write_file_atomically(file, std::string(100'000, 'x'));
  CHECK(read_file(file) == std::string(100'000, 'x'));
  fs::create_directory(folder.path() / "taken");
  CHECK(contains(message_of<IoError>([&] { write_file_atomically(folder.path() / "taken", "x"); }),
                 "taken: cannot write: Is a directory"));
  // No temporary file stays behind, neither after success nor after failure.
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("names become file names that differ on every file system") {
  CHECK(file_names({"water", "Water", "a/b", "..", "", "run", "größe 水", "a\\b"}, {"run"}) ==
        std::vector<std::string>{"water", "Water_2", "a_b", "_", "__2", "run_2", "größe_水",
                                 "a_b_2"});
  std::string longest;
  for (int i = 0; i < 80; ++i) longest += "é";
  const std::string cut = file_names({longest}, {})[0];
  CHECK(cut.size() == 100);
  CHECK(cut.substr(98) == "é");
}

TEST_CASE("time and bodies read without the liquids are those of the whole frame") {
  const TemporaryFolder folder;
  const Objects objects = sample_objects();
  FrameWriter writer(folder, objects, {});
  writer.write(sample_frame(objects, 0, 4000));
  writer.finish();
  const RunReader reader(folder);
  const Frame whole = reader.read(0), motion = reader.read_motion(0);
  CHECK(motion.time == whole.time);
  CHECK(motion.step == whole.step);
  CHECK(same(motion.bodies, whole.bodies));
  CHECK(motion.liquids.empty());
  CHECK(reader.count_particles(0) == std::vector<std::size_t>{4000, 4000});
  CHECK_THROWS_AS(reader.read_motion(1), IoError);
}

}  // namespace hydrolith::test
