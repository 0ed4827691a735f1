#pragma once
// Pictures of a run, headless, with Embree: spheres for particles, meshes for bodies, a ground,
// shadows and soft light.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hydrolith/frame.h"

namespace hydrolith {

enum class ColourBy { speed, pressure, body };

struct RenderOptions {
  int width = 960, height = 540;       ///< [pixels]
  int samples = 8;                     ///< rays a pixel; more is smoother and slower
  ColourBy colour_by = ColourBy::speed;
  std::optional<double> range_min, range_max;  ///< of the colour map; none: over the whole run
  std::optional<Camera> camera;        ///< none: the scene's, or one found from the run's bounds
  bool ground = true;                  ///< a plane under everything
  double particle_radius = 0.5;        ///< [spacings]
};

/// 8-bit sRGB, rows from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// What stays the same over the pictures of one run: camera, colour range, ground.
struct Stage {
  Camera camera;
  double range_min = 0, range_max = 1;
  double ground_level = 0;  // along Objects::up
};

/// Chooses the stage from some frames of a run (first, last and between).
Stage set_stage(const Objects& objects, const std::vector<Frame>& frames, const RenderOptions&);

Image render_frame(const Objects& objects, const Frame& frame, const Stage& stage,
                   const RenderOptions& options);

/// Throws IoError.
void write_png(const std::filesystem::path& file, const Image& image);

}  // namespace hydrolith
