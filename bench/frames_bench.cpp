// What writing frames costs while simulating: processor time of the steps between two frames
// against that of a frame (taken from the state, encoded, written), in one run.
//
//   bench_frames SCENE [FRAMES [RATE]]

#include "hydrolith/simulation.h"

#include "output/frame_file.h"
#include "output/run_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

using namespace hydrolith;

namespace {

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_frames SCENE [FRAMES [RATE]]\n");
    return 2;
  }
  const int frames = argc > 2 ? std::atoi(argv[2]) : 5;
  const double rate = argc > 3 ? std::atof(argv[3]) : 25;
  Simulation simulation(SceneFile::load(argv[1], {"duration=1000"}));
  simulation.prepare();
  for (int i = 0; i < 5; ++i) simulation.step();
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "hydrolith_bench_frame.h5";
  double steps = 0, writing = 0;
  std::size_t bytes = 0;
  std::int64_t count = 0;
  for (int i = 0; i < frames; ++i) {
    double start = processor_seconds();
    const double until = simulation.time() + 1 / rate;
    for (; simulation.time() < until; ++count) simulation.step();
    steps += processor_seconds() - start;
    start = processor_seconds();
    const Frame frame = simulation.frame();
    const std::string encoded = encode_frame(frame, simulation.objects(), "frame", 4);
    write_file_atomically(file, encoded);
    writing += processor_seconds() - start;
    bytes += encoded.size();
  }
  std::filesystem::remove(file);
  const auto particles = static_cast<double>(simulation.size().liquid_particles);
  fmt::print(
      "{} steps for {} frames, {} particles: steps {:.3f} s, frames {:.3f} s of processor time = "
      "{:.2f} %; {:.1f} bytes a particle\n",
      count, frames, particles, steps, writing, 100 * writing / (steps + writing),
      static_cast<double>(bytes) / frames / particles);
}
