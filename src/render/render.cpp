// A picture, from top to bottom: spheres, trees, rays, light, tone, legend.

#include "render/render.h"

#include "core/check.h"
#include "core/parallel.h"
#include "render/colour.h"
#include "render/light_filter.h"
#include "render/overlay.h"
#include "render/particles.h"
#include "render/ray_scene.h"
#include "render/shading.h"
#include "render/view.h"
#include "render/water_shading.h"

#include <algorithm>

namespace hydrolith {

namespace {

constexpr int tile = 16;  // [pixels]

void check(const Objects& objects, const RenderOptions& options) {
  constexpr int most = 16384;
  require(
      options.width > 0 && options.height > 0 && options.width <= most && options.height <= most,
      "renderer: width and height must lie in 1..{}, got {} x {}", most, options.width,
      options.height);
  require(options.samples > 0 && options.samples <= 65536,
          "renderer: samples must lie in 1..65536, got {}", options.samples);
  require(options.particle_radius > 0, "renderer: particle_radius must be positive, got {}",
          options.particle_radius);
  require(objects.dimensions == 2 || objects.dimensions == 3, "renderer: {} dimensions",
          objects.dimensions);
}

void check(const Objects& objects, const Frame& frame) {
  require(frame.liquids.size() == objects.liquids.size() &&
              frame.bodies.size() == objects.bodies.size(),
          "renderer: frame {} has {} liquids and {} bodies, the run {} and {}", frame.index,
          frame.liquids.size(), frame.bodies.size(), objects.liquids.size(), objects.bodies.size());
}

}  // namespace

struct Renderer::Prepared {
  const Objects& objects;
  Stage stage;
  RenderOptions options;
  View view;
  Vec3 origin;  // [m] single precision counts from here
  Lighting lighting;
  MeshTrees meshes;

  Prepared(const Objects& o, const Stage& s, const RenderOptions& r)
      : objects(o),
        stage(s),
        options(r),
        view(s.camera, o.up, r.width, r.height, o.dimensions == 2),
        origin(s.camera.to),
        lighting(light_stage(o, s, view, origin, r.ground)),
        meshes(o, 0.003 * s.radius) {}

  Radiance sample(const RayScene& scene, const WaterMesh& water, int x, int y,
                  std::uint32_t number) const {
    const PixelSampler random(x, y);
    const Sample2 within = random(number, PixelSampler::lens);
    const ViewRay ray = view.ray(x + double{within.x}, y + double{within.y});
    const SceneRay local{(ray.origin - origin).cast<float>(), ray.direction.cast<float>()};
    return water.empty() ? shade(scene, lighting, local, random, number)
                         : shade_through(scene, water, lighting, local, random, number);
  }

  /// All samples of a pixel; half of them where nothing stands near.
  Pixel pixel(const RayScene& scene, const WaterMesh& water, int x, int y,
              std::vector<Radiance>& samples) const {
    samples.clear();
    for (int s = 0; s < options.samples; ++s) {
      if (2 * s == options.samples && average(samples).calm()) break;
      samples.push_back(sample(scene, water, x, y, static_cast<std::uint32_t>(s)));
    }
    return average(samples);
  }

  Picture trace(const RayScene& scene, const WaterMesh& water) const {
    Picture picture{options.width, options.height, {}};
    picture.pixels.resize(static_cast<std::size_t>(picture.width) * picture.height);
    const int columns = (picture.width + tile - 1) / tile,
              rows = (picture.height + tile - 1) / tile;
    const auto draw_tile = [&](std::size_t t) {
      std::vector<Radiance> samples;
      const int x0 = static_cast<int>(t) % columns * tile,
                y0 = static_cast<int>(t) / columns * tile;
      for (int y = y0; y < std::min(y0 + tile, picture.height); ++y)
        for (int x = x0; x < std::min(x0 + tile, picture.width); ++x)
          picture.at(x, y) = pixel(scene, water, x, y, samples);
    };
    parallel_for(static_cast<std::size_t>(columns) * rows, draw_tile, 1);
    return picture;
  }
};

namespace {

/// Ordered dither in [-0.5, 0.5): thresholds of 4 x 4 pixels. Slow gradients show no steps, and the
/// regular pattern compresses well.
float dither(int x, int y) {
  constexpr int thresholds[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  return (static_cast<float>(thresholds[y % 4][x % 4]) + 0.5f) / 16 - 0.5f;
}

Image develop(const std::vector<Colour>& colours, int width, int height) {
  Image image{width, height, std::vector<std::uint8_t>(3 * colours.size())};
  parallel_for(colours.size(), [&](std::size_t i) {
    const Colour c = tone_mapped(colours[i]);
    const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
    for (int k = 0; k < 3; ++k) image.rgb[3 * i + k] = byte_from_linear(c[k], dither(x, y));
  });
  return image;
}

}  // namespace

Renderer::Renderer(const Objects& objects, const Stage& stage, const RenderOptions& options) {
  check(objects, options);
  prepared_ = std::make_unique<Prepared>(objects, stage, options);
}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

Image Renderer::draw(const Frame& frame) const {
  const Prepared& p = *prepared_;
  check(p.objects, frame);
  const RayScene scene(p.meshes, p.objects, frame,
                       make_spheres(p.objects, frame, p.stage, p.options, p.origin), p.origin);
  const WaterMesh water(p.meshes.device(), p.objects, frame, p.stage, p.options, p.origin);
  Image image = develop(filter_light(p.trace(scene, water)), p.options.width, p.options.height);
  const ColourBy shown = frame.liquids.empty() ? ColourBy::body : p.options.colour_by;
  if (p.options.legend) draw_legend(image, p.stage, shown, frame.time);
  return image;
}

Image render_frame(const Objects& objects, const Frame& frame, const Stage& stage,
                   const RenderOptions& options) {
  return Renderer(objects, stage, options).draw(frame);
}

}  // namespace hydrolith
