#pragma once
// Pictures of a run, headless, with Embree: spheres for particles, meshes for bodies, a ground,
// shadows and soft light.

#include "hydrolith/frame.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hydrolith {

enum class ColourBy { speed, pressure, body };
enum class LiquidLook { particles, surface };

struct RenderOptions {
  int width = 960, height = 540;  ///< [pixels]
  int samples = 8;                ///< rays a pixel; more is smoother and slower
  ColourBy colour_by = ColourBy::speed;
  LiquidLook liquid = LiquidLook::particles;   ///< spheres, or a surface to look through
  std::optional<double> range_min, range_max;  ///< of the colour map; none: over the whole run
  std::optional<Camera> camera;  ///< none: the scene's, or one found from the run's bounds
  bool ground = true;            ///< a plane under everything (3D)
  double particle_radius = 0.5;  ///< [spacings]
  bool legend = true;            ///< colour bar and time in the lower corners
};

/// 8-bit sRGB, rows from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// What stays the same over the pictures of one run: camera, colour range, ground.
struct Stage {
  Camera camera;
  double range_min = 0, range_max = 1;  // [m/s] or [Pa]
  double ground_level = 0;              // [m] along Objects::up
  Vec3 centre = Vec3::Zero();           // [m] of what is to be seen
  double radius = 1;                    // [m] far beyond it, everything fades into the background
};

/// Chooses the stage from some frames of a run (first, last and between).
Stage set_stage(const Objects& objects, const std::vector<Frame>& frames, const RenderOptions&);

/// Draws the frames of one run. What never changes (the bodies' meshes) is prepared once; drawing
/// gives the same bits for any number of threads. `objects` must outlive the renderer.
class Renderer {
 public:
  Renderer(const Objects& objects, const Stage& stage, const RenderOptions& options);
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  /// Throws Error if the frame does not fit the objects or lacks the field to colour by.
  Image draw(const Frame& frame) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

/// One picture: a Renderer used once.
Image render_frame(const Objects& objects, const Frame& frame, const Stage& stage,
                   const RenderOptions& options);

/// Writes to a temporary name beside `file`, then renames. Throws IoError.
void write_png(const std::filesystem::path& file, const Image& image);

}  // namespace hydrolith
