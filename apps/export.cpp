#include "hydrolith/error.h"
#include "hydrolith/simulation.h"

#include "commands.h"
#include "exports/run_exporter.h"
#include "exports/selection.h"
#include "frames_choice.h"
#include "interrupt.h"
#include "output/run_folder.h"
#include "progress.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace hydrolith::command {

namespace fs = std::filesystem;

namespace {

/// Frames come at the first step after their due time: 24.97 was meant as 25.
double rounded_rate(double rate) {
  const double whole = std::round(rate);
  return whole >= 1 && std::abs(rate - whole) < 0.03 * whole ? whole : rate;
}

ExportSettings settings_of(const ExportChoices& c, const ExportFormat& format,
                           const RunReader& reader, const std::vector<std::int64_t>& all) {
  ExportSettings s;
  s.run = c.run;
  s.folder = c.output.empty() ? fs::path(c.run) / format.name : fs::path(c.output);
  s.liquid = choose_liquid(format, c.liquid);
  s.surface = {.cell = c.cell, .radius = c.radius, .smoothing = c.smoothing};
  s.compression = c.compression < 0 ? format.compression : c.compression;
  s.frame_rate = rounded_rate(frames_per_second(reader, all));
  return s;
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
    throw Error(fmt::format("nothing to export: the run has no bodies, and --liquid is {}",
                            name_of(settings.liquid)));
  const std::unique_ptr<RunExporter> exporter = format.make(selection.objects(), settings);

  const std::atomic<bool>& stop = stop_on_interrupt();
  ProgressLine line(c.quiet);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (stop) {
      line.finish();
      fmt::print("Stopped: {}\n", format.one_file
                                      ? "nothing was written"
                                      : fmt::format("{} of {} frames are in {}", k, chosen.size(),
                                                    settings.folder.string()));
      return interrupted;
    }
    exporter->write(selection.frame(reader.read(chosen[k])));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double each = wall.count() / static_cast<double>(k + 1);
    line.show(fmt::format("frame {} of {}, {:.2f} s each, {} left", k + 1, chosen.size(), each,
                          duration_text(each * static_cast<double>(chosen.size() - k - 1))),
              static_cast<double>(k + 1) / static_cast<double>(chosen.size()));
  }
  exporter->finish();
  line.finish();
  for (const std::string& text : warnings) fmt::print(stderr, "{}\n", text);
  if (!c.quiet)
    fmt::print("Exported: {} ({} frame{}, {})\n", settings.folder.string(), chosen.size(),
               chosen.size() == 1 ? "" : "s", format.name);
  return ok;
}

}  // namespace hydrolith::command
