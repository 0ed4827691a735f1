#include "hydrolith/error.h"

#include "output/files.h"
#include "output/frame_file.h"
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

}  // namespace

RunReader::RunReader(const fs::path& folder) : folder_(folder), objects_(read_objects(folder)) {}

std::vector<std::int64_t> RunReader::frames() const { return list_frames(folder_); }

Frame RunReader::read(std::int64_t index) const {
  const fs::path file = frame_file(folder_, index);
  Frame frame = decode_frame(read_file(file), objects_, file.string());
  if (frame.index != index)
    throw IoError(fmt::format("{}: holds frame {}", file.string(), frame.index));
  return frame;
}

}  // namespace hydrolith
