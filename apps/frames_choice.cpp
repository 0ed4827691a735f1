#include "frames_choice.h"

#include "hydrolith/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace hydrolith::command {

int whole_number(std::string_view text, std::string_view what) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{}: \"{}\" is not a whole number", what, text));
  return value;
}

std::vector<std::int64_t> choose_frames(const std::vector<std::int64_t>& all,
                                        const std::string& which) {
  if (which.empty()) return all;
  if (which == "last") return {all.back()};
  std::vector<int> parts;
  for (std::size_t begin = 0; begin <= which.size();) {
    const std::size_t end = std::min(which.find(':', begin), which.size());
    parts.push_back(whole_number(std::string_view(which).substr(begin, end - begin), "--frames"));
    begin = end + 1;
  }
  if (parts.size() > 3 || (parts.size() == 3 && parts[2] < 1))
    throw Error(
        fmt::format("--frames: \"{}\" is not last, N, FIRST:LAST or FIRST:LAST:STEP", which));
  const int first = parts[0], last = parts.size() > 1 ? parts[1] : first;
  const int step = parts.size() > 2 ? parts[2] : 1;
  if (last < first) throw Error(fmt::format("--frames: \"{}\" ends before it begins", which));
  std::vector<std::int64_t> chosen;
  for (std::int64_t f : all)
    if (f >= first && f <= last && (f - first) % step == 0) chosen.push_back(f);
  if (chosen.empty())
    throw Error(
        fmt::format("--frames {}: the run has frames {} to {}", which, all.front(), all.back()));
  return chosen;
}

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
  std::vector<std::int64_t> inner = frames;
  if (inner.size() > 2) inner.pop_back();  // the end is off the grid
  const auto time_of = [&](std::int64_t frame) -> std::optional<double> {
    try {
      return reader.read_motion(frame).time;
    } catch (const IoError&) {  // damaged: another will do
      return std::nullopt;
    }
  };
  const auto readable = [&](std::int64_t frame) { return time_of(frame).has_value(); };
  const auto first = std::find_if(inner.begin(), inner.end(), readable);
  const auto last = std::find_if(inner.rbegin(), inner.rend(), readable);
  if (first == inner.end() || *last == *first) return 25;
  const double span = *time_of(*last) - *time_of(*first);
  return span > 0 ? static_cast<double>(*last - *first) / span : 25;
}

}  // namespace hydrolith::command
