// Time of one picture, trees included: bench_render [particles [width [samples [picture.png]]]]
// Goal: 100,000 particles at 960 x 540 in under 3 s on 2 cores.

#include "core/parallel.h"
#include "render/example_scenes.h"
#include "render/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

using namespace hydrolith;

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Best of three: elapsed time, and processor time over all threads.
template <class F>
void report(const char* what, F&& f) {
  double elapsed = 1e30, processor = 1e30;
  for (int i = 0; i < 3; ++i) {
    const double start = seconds_now(), start_processor = processor_seconds();
    f();
    elapsed = std::min(elapsed, seconds_now() - start);
    processor = std::min(processor, processor_seconds() - start_processor);
  }
  fmt::print("  {:<22} {:8.3f} s elapsed {:8.3f} s processor\n", what, elapsed, processor);
}

void measure(const char* name, const examples::World& world, const RenderOptions& options,
             const char* file) {
  std::size_t particles = 0;
  for (const LiquidFrame& liquid : world.frame.liquids) particles += liquid.position.size();
  fmt::print("{}: {} particles, {} bodies, {} x {}, {} samples, {} threads\n", name, particles,
             world.frame.bodies.size(), options.width, options.height, options.samples, threads());
  Stage stage;
  Image image;
  report("set_stage", [&] { stage = set_stage(world.objects, {world.frame}, options); });
  report("render_frame", [&] { image = render_frame(world.objects, world.frame, stage, options); });
  if (file) report("write_png", [&] { write_png(file, image); });
}

}  // namespace

int main(int count, char** arguments) {
  const auto number = [&](int i, int otherwise) {
    return i < count ? std::max(1, std::atoi(arguments[i])) : otherwise;
  };
  RenderOptions options;
  options.width = number(2, options.width);
  options.height = options.width * 9 / 16;
  options.samples = number(3, options.samples);
  const char* file = count > 4 ? arguments[4] : nullptr;
  measure("dam", examples::dam(static_cast<std::size_t>(number(1, 100000))), options, file);
  measure("tower", examples::tower(658), options, nullptr);
  measure("flat", examples::flat(200), options, nullptr);
}
