// What a checkpoint costs: how long the run is held (copying the state), and what the thread beside
// it does (packing, writing, flushing); bytes and memory a particle; and the way back.
//
//   bench_checkpoint SCENE [STEPS]

#include "hydrolith/simulation.h"

#include "core/stopwatch.h"
#include "output/checkpoint_file.h"
#include "output/run_folder.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>

using namespace hydrolith;

namespace {

double peak_memory() {  // [MB]
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return 1024e-6 * static_cast<double>(use.ru_maxrss);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_checkpoint SCENE [STEPS]\n");
    return 2;
  }
  const int steps = argc > 2 ? std::atoi(argv[2]) : 5;
  Simulation simulation(SceneFile::load(argv[1], {"duration=1000"}));
  for (int i = 1; i < steps; ++i) simulation.step();  // the first ones take longer
  Stopwatch watch;
  simulation.step();
  const double step = watch.lap();
  const double before = peak_memory();
  watch.lap();
  const Checkpoint checkpoint = simulation.checkpoint();
  const double copy = watch.lap();
  const std::string bytes = encode_checkpoint(checkpoint, "checkpoint");
  const double pack = watch.lap();
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "hydrolith_bench_checkpoint.h5";
  write_file_atomically(file, bytes);
  const double write = watch.lap();
  const double after = peak_memory();
  std::filesystem::remove(file);
  watch.lap();
  simulation.restore(decode_checkpoint(bytes, "checkpoint"));
  const double back = watch.lap();
  const auto particles = static_cast<double>(simulation.size().liquid_particles);
  fmt::print(
      "{} particles, a step {:.3f} s. Copying the state {:.4f} s; beside the run: packing {:.3f} "
      "s, "
      "writing {:.3f} s; back again {:.3f} s. {:.1f} bytes a particle on disk; memory {:.0f} MB, "
      "with a checkpoint {:.0f} MB more\n",
      particles, step, copy, pack, write, back, static_cast<double>(bytes.size()) / particles,
      before, after - before);
}
