#include "hydrolith/simulation.h"

#include "app/expect.h"
#include "commands.h"
#include "scene/schema.h"

#include <fmt/format.h>

namespace hydrolith::command {

namespace {

std::string bytes(std::size_t n) {
  const double mib = static_cast<double>(n) / (1024.0 * 1024.0);
  return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.2f} GiB", mib / 1024);
}

const char* plural(std::size_t n) { return n == 1 ? "" : "s"; }

void print_size(const Scene& scene, const SceneSize& s) {
  const TimeStepSpec& dt = scene.time_step;
  fmt::print("  size        {}D, spacing {:g} m, {:g} s\n", scene.dimensions, scene.spacing,
             scene.duration);
  fmt::print("  liquid      {} particles in {} liquid{}, {:.6g} {}\n", s.liquid_particles,
             scene.liquids.size(), plural(scene.liquids.size()), s.liquid_volume,
             scene.dimensions == 2 ? "m^2" : "m^3");
  if (!scene.emitters.empty() || !scene.outlets.empty())
    fmt::print("  flow        {} emitter{} add about {} particles, {} outlet{}\n",
               scene.emitters.size(), plural(scene.emitters.size()), s.emitted_particles,
               scene.outlets.size(), plural(scene.outlets.size()));
  fmt::print("  bodies      {} ({} dynamic, {:.6g} kg) of {} distinct shapes, {} particles\n",
             s.bodies, s.dynamic_bodies, s.body_mass, s.distinct_shapes, s.body_particles);
  fmt::print("  time step   {:.4g} ms at the start, {}; about {:.0f} steps\n", 1e3 * s.time_step,
             dt.adaptive ? fmt::format("adaptive between {:g} and {:g} ms (CFL {:g})", 1e3 * dt.min,
                                       1e3 * longest_step(scene), dt.cfl)
                         : "fixed",
             scene.duration / s.time_step);
  fmt::print("  frames      {:.0f} at {:g} a second\n",
             scene.duration * scene.output.frame_rate + 1, scene.output.frame_rate);
  fmt::print("  memory      about {}\n", bytes(s.memory));
  fmt::print("  checks      {} probe{}, {} expectation{}\n", scene.probes.size(),
             plural(scene.probes.size()), scene.expect.size(), plural(scene.expect.size()));
}

void print_sampling(const SamplingQuality& q) {
  fmt::print(
      "  sampling    nearest samples {:.2f} to {:.2f} spacings apart; rest volumes vary by at "
      "most {:.1f} % ({})\n",
      q.nearest_min, q.nearest_max, 100 * q.volume_spread, q.worst_body);
}

}  // namespace

int check(const SceneChoice& choice, bool quiet) {
  const SceneFile file = SceneFile::load(find_scene(choice.scene), choice.overrides);
  const Simulation simulation(file);
  check_expected_metrics(file.scene(), simulation.metric_names());
  if (quiet) return ok;
  fmt::print("{}: {}\n", file.name(), file.scene().description);
  print_size(file.scene(), simulation.size());
  if (!file.scene().bodies.empty()) print_sampling(simulation.sampling_quality());
  for (const std::string& note : simulation.notes()) fmt::print("  note        {}\n", note);
  return ok;
}

int schema(const std::string& format) {
  fmt::print("{}", format == "markdown" ? scene_reference_markdown() : json_schema());
  return ok;
}

}  // namespace hydrolith::command
