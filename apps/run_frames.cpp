#include "run_frames.h"

#include "hydrolith/error.h"

#include <fmt/format.h>

namespace hydrolith::command {

std::vector<std::int64_t> frames_of(const RunReader& reader) {
  std::vector<std::int64_t> all = reader.frames();
  if (all.empty())
    throw Error(
        fmt::format("{} has no whole frame yet; pictures and exports are made from hdf5 frames, so "
                    "output.formats must name hdf5",
                    reader.folder().string()));
  return all;
}

double frames_per_second(const RunReader& reader, const std::vector<std::int64_t>& frames) {
  if (frames.size() < 2) return 25;
  const double span = reader.read(frames.back()).time - reader.read(frames.front()).time;
  return span > 0 ? static_cast<double>(frames.size() - 1) / span : 25;
}

}  // namespace hydrolith::command
