#pragma once
// A run as one HTML file: the viewer's page with a thinned, compressed copy of the run inside. Opens
// from disk, asks nothing of any network.

#include "viewer/run_view.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hydrolith {

struct HtmlExportOptions {
  std::size_t max_particles = 15000;  // of a frame; more are thinned evenly, always the same ones
  std::size_t max_frames = 100;       // more are thinned evenly; the last one is kept
  std::vector<std::int64_t> frames;   // only these; empty: all
  std::function<void(std::size_t done, std::size_t all)> progress;
};

struct HtmlExportReport {
  std::size_t frames = 0, particles = 0;  // written; particles of the fullest frame
  std::size_t bytes = 0;                  // of the file
};

/// Throws Error if there is no frame, IoError if the file cannot be written.
HtmlExportReport export_html(const RunView& run, const std::filesystem::path& file,
                             const HtmlExportOptions& options);

/// Zlib, then base64: what the page unpacks.
std::string embedded(std::string_view bytes);

}  // namespace hydrolith
