#include "hydrolith/error.h"
#include "hydrolith/simulation.h"

#include "commands.h"
#include "exports/run_exporter.h"
#include "exports/selection.h"
#include "frames_choice.h"
#include "interrupt.h"
#include "output/run_folder.h"
#include "output/run_names.h"
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace hydrolith::command {

namespace fs = std::filesystem;

namespace {

/// Frames come at the first step after their due time: 24.97 was meant as 25.
double rounded_rate(double rate) {
  const double whole = std::round(rate);
  return whole >= 1 && std::abs(rate - whole) < 0.03 * whole ? whole : rate;
}

/// Options that would change nothing are mistakes.
void check_options(const ExportChoices& c, const ExportFormat& format, LiquidAs liquid) {
  if (c.compression && format.compression < 0)
    throw Error(fmt::format("--compression: {} has none; vtk and bgeo have", format.name));
  const bool shaped = liquid == LiquidAs::surface || liquid == LiquidAs::volume;
  if (!shaped && (c.cell || c.radius || c.smoothing))
    throw Error(fmt::format(
        "--cell, --radius and --smoothing are for surfaces and volumes, and {} would hold liquids "
        "as {}: add --liquid surface{}",
        format.name, name_of(liquid),
        std::find(format.liquids.begin(), format.liquids.end(), LiquidAs::surface) ==
                format.liquids.end()
            ? " with another format"
            : ""));
}

ExportSettings settings_of(const ExportChoices& c, const ExportFormat& format,
                           const RunReader& reader, const std::vector<std::int64_t>& all) {
  ExportSettings s;
  s.run = c.run;
  s.folder = c.output.empty() ? fs::path(c.run) / format.name : fs::path(c.output);
  s.liquid = choose_liquid(format, c.liquid);
  check_options(c, format, s.liquid);
  const SurfaceOptions usual;
  s.surface = {.cell = c.cell.value_or(usual.cell),
               .radius = c.radius.value_or(usual.radius),
               .smoothing = c.smoothing.value_or(usual.smoothing)};
  s.compression = c.compression.value_or(std::max(0, format.compression));
  s.frame_rate = rounded_rate(frames_per_second(reader, all));
  return s;
}

/// Frames in the folder that are of an earlier run: a sequence would go on with them.
std::vector<fs::path> find_old_frames(const fs::path& folder, const RunReader& reader,
                                      fs::file_time_type start) {
  std::vector<fs::path> old;
  std::error_code error;  // what cannot be looked at is not told of
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const fs::path& file = at->path();
    if (at.depth() == 1) at.disable_recursion_pending();  // exports are OBJECT/FILE
    if (at.depth() != 1 || !at->is_regular_file(error)) continue;
    const std::string name = file.filename().string(),
                      stem = file.parent_path().filename().string();
    const std::size_t dot = name.find('.', stem.size());
    if (dot == std::string::npos) continue;
    const std::int64_t index = number_in_name(name, stem, name.substr(dot));
    const fs::file_time_type written = fs::last_write_time(file, error);
    if (index < 0 || error || written >= start) continue;
    const fs::path frame = frame_file(reader.folder(), index);
    if (!fs::exists(frame) || fs::last_write_time(frame, error) > written) old.push_back(file);
  }
  std::sort(old.begin(), old.end());
  return old;
}

void warn_of_old_frames(const std::vector<fs::path>& old, std::vector<std::string>& warnings) {
  if (old.empty()) return;
  warnings.push_back(fmt::format(
      "{} of an earlier run. Remove {} or choose another folder with --output.",
      old.size() > 1 ? fmt::format("{} and {} more are", old.front().string(), old.size() - 1)
                     : fmt::format("{} is", old.front().string()),
      old.size() > 1 ? "them" : "it"));
}

/// None where the file is damaged, with a warning.
std::optional<Frame> read_frame(const RunReader& reader, std::int64_t index,
                                std::vector<std::string>& warnings) {
  try {
    return reader.read(index);
  } catch (const IoError& e) {
    warnings.push_back(fmt::format("{}\n  Frame {} is left out.", e.what(), index));
    return std::nullopt;
  }
}

void print(const std::vector<std::string>& warnings) {
  for (const std::string& text : warnings) fmt::print(stderr, "{}\n", text);
}

}  // namespace

std::string export_help() {
  std::string text;
  for (const ExportFormat& format : export_formats()) {
    std::string liquids;
    for (const LiquidAs liquid : format.liquids)
      liquids += (liquids.empty() ? "" : ", ") + std::string(name_of(liquid));
    text += fmt::format("  {:5} {}\n        --liquid {}\n", format.name, format.sentence, liquids);
  }
  return text;
}

int export_run(const ExportChoices& c) {
  const ExportFormat& format = find_export_format(c.format);
  set_threads(c.threads);
  const RunReader reader(c.run);
  const std::vector<std::int64_t> all = frames_of(reader);
  const std::vector<std::int64_t> chosen = choose_frames(all, c.frames);
  ExportSettings settings = settings_of(c, format, reader, all);
  std::vector<std::string> warnings;
  settings.warn = [&](const std::string& text) { warnings.push_back(text); };
  const Selection selection(reader.objects(), c.objects, settings.liquid != LiquidAs::none);
  if (format.name != "csv" && selection.objects().liquids.empty() &&
      selection.objects().bodies.empty())
    throw Error(fmt::format("nothing to export: no bodies are {}, and liquids are left out by {}",
                            c.objects.empty() ? "in the run" : "chosen",
                            c.liquid.empty() ? format.name : "--liquid none"));
  const std::unique_ptr<RunExporter> exporter = format.make(selection.objects(), settings);

  const std::atomic<bool>& stop = stop_on_interrupt();
  ProgressLine line(c.quiet);
  const auto start = std::chrono::steady_clock::now();
  const auto start_of_files = fs::file_time_type::clock::now() - std::chrono::seconds(1);
  std::size_t damaged = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (stop) {
      line.finish();
      print(warnings);
      fmt::print("Stopped: {}\n", format.one_file
                                      ? "nothing was written"
                                      : fmt::format("{} of {} frames are in {}", k - damaged,
                                                    chosen.size(), settings.folder.string()));
      return interrupted;
    }
    std::optional<Frame> frame = read_frame(reader, chosen[k], warnings);
    if (!frame) ++damaged;
    if (frame) exporter->write(selection.frame(std::move(*frame)));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double each = wall.count() / static_cast<double>(k + 1);
    line.show(fmt::format("frame {} of {}, {:.2f} s each, {} left", k + 1, chosen.size(), each,
                          duration_text(each * static_cast<double>(chosen.size() - k - 1))),
              static_cast<double>(k + 1) / static_cast<double>(chosen.size()));
  }
  if (damaged < chosen.size()) {
    if (format.one_file) line.show(fmt::format("all {} frames, joining them", chosen.size()), 1);
    exporter->finish();
  }
  line.finish();
  warn_of_old_frames(find_old_frames(settings.folder, reader, start_of_files), warnings);
  print(warnings);
  if (damaged == chosen.size()) return io_failed;
  const std::size_t count = chosen.size() - damaged;
  if (!c.quiet)
    fmt::print("Exported: {} ({} frame{}, {})\n", settings.folder.string(), count,
               count == 1 ? "" : "s", format.name);
  return damaged == 0 ? ok : io_failed;
}

}  // namespace hydrolith::command
