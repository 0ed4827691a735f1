#pragma once
// A run into the formats of other programs. One table names them all (export_formats): a new format
// is one line there and one file beside this one.

#include "hydrolith/frame.h"

#include "surface/liquid_surface.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

/// What becomes of the liquids.
enum class LiquidAs { none, particles, surface, volume };
std::string_view name_of(LiquidAs liquid);

struct ExportSettings {
  std::filesystem::path run;     ///< folder of the run
  std::filesystem::path folder;  ///< where the files go; made if missing
  LiquidAs liquid = LiquidAs::none;
  SurfaceOptions surface;                        ///< for `surface` and `volume`
  int compression = 0;                           ///< 0 none .. 9 smallest
  double frame_rate = 25;                        ///< [1/s] frames a simulated second
  std::function<void(const std::string&)> warn;  ///< what a person should know; may be empty
};

/// Writes the frames of one run, given in ascending order. Files are whole or not there.
class RunExporter {
 public:
  virtual ~RunExporter() = default;
  /// Throws IoError.
  virtual void write(const Frame& frame) = 0;
  /// After the last frame: formats that hold all frames in one file write it only here.
  virtual void finish() {}
};

struct ExportFormat {
  std::string name;               // "usd"
  std::string sentence;           // for the help text
  std::vector<LiquidAs> liquids;  // what it can do with liquids; the first is the default
  int compression = -1;           // default; -1 where the format knows none
  bool one_file = false;          // nothing is there before finish()
  /// `objects` must outlive it. Throws Error, IoError.
  std::unique_ptr<RunExporter> (*make)(const Objects& objects, const ExportSettings& settings);
};

std::span<const ExportFormat> export_formats();
/// Throws Error with a suggestion.
const ExportFormat& find_export_format(const std::string& name);
/// The way a format treats liquids: "" is its default. Throws Error naming what it can do.
LiquidAs choose_liquid(const ExportFormat& format, const std::string& name);

}  // namespace hydrolith
