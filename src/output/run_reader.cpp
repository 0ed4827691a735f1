#include "hydrolith/error.h"

#include "output/files.h"
#include "output/frame_file.h"
#include "output/hdf5_file.h"
#include "output/run_folder.h"
#include "output/run_names.h"

#include <fmt/format.h>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

Objects read_objects(const fs::path& folder) {
  const fs::path file = objects_file(folder);
  if (!fs::exists(file))
    throw IoError(
        fmt::format("{}: not the folder of a run (it has no objects.h5)", folder.string()));
  return decode_objects(read_file(file), file.string());
}

/// A frame must be the one its file's name promises.
Frame checked(Frame frame, std::int64_t index, const fs::path& file) {
  if (frame.index != index)
    throw IoError(fmt::format("{}: holds frame {}", file.string(), frame.index));
  return frame;
}

}  // namespace

RunReader::RunReader(const fs::path& folder) : folder_(folder), objects_(read_objects(folder)) {}

std::vector<std::int64_t> RunReader::frames() const { return list_frames(folder_); }

Frame RunReader::read(std::int64_t index) const {
  const fs::path file = frame_file(folder_, index);
  return checked(decode_frame(read_file(file), objects_, file.string()), index, file);
}

Frame RunReader::read_motion(std::int64_t index) const {
  const fs::path file = frame_file(folder_, index);
  return checked(hydrolith::read_motion(file, objects_), index, file);
}

void RunReader::check(std::int64_t index) const {
  const fs::path file = frame_file(folder_, index);
  const std::string bytes = read_file(file);
  if (h5::has_right_checksum(bytes))
    checked(hydrolith::read_motion(file, objects_), index, file);
  else
    checked(decode_frame(bytes, objects_, file.string()), index, file);  // says what is wrong
}

std::vector<std::size_t> RunReader::count_particles(std::int64_t index) const {
  return hydrolith::count_particles(frame_file(folder_, index));
}

}  // namespace hydrolith
