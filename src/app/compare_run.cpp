// One variant, run in memory and judged after every step.

#include "app/compare.h"
#include "app/expect.h"
#include "core/check.h"
#include "scene/scene.h"

#include <algorithm>
#include <ctime>
#include <new>

namespace hydrolith {

namespace {

/// [s] of processor time of all threads since the process began.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::string one_line(std::string text) {
  for (std::size_t at; (at = text.find('\n')) != std::string::npos;) text.replace(at, 1, "; ");
  return text;
}

/// The scene with the expectations that its duration reaches; a note for each of the others.
Scene within_duration(Scene scene, std::vector<std::string>& notes) {
  std::erase_if(scene.expect, [&](const ExpectSpec& e) {
    const bool late = e.when == ExpectWhen::at && e.time > scene.duration;
    if (late)
      notes.push_back(fmt::format("{} at t = {:g} s left out: after the end at {:g} s", e.metric,
                                  e.time, scene.duration));
    return late;
  });
  return scene;
}

double total_energy(const StepReport& r) { return r.kinetic_energy + r.potential_energy; }

double value_of(const Simulation& s, std::string_view column) {
  const auto& names = s.metric_names();
  return s.metrics()[std::find(names.begin(), names.end(), column) - names.begin()];
}

void count(const StepReport& r, VariantRun& run) {
  run.time = r.time;
  run.steps = r.step;
  run.iterations += r.iterations;
  run.most_iterations = std::max(run.most_iterations, r.iterations);
  run.unconverged += r.converged ? 0 : 1;
  run.retries += r.retries;
  run.volume_error_sum += r.volume_error;
  run.volume_error_max = std::max(run.volume_error_max, r.volume_error);
  run.void_max = std::max(run.void_max, r.void_fraction);
  run.overlap_max = std::max(run.overlap_max, r.overlap / run.limits->spacing);
  run.speed_max = std::max(run.speed_max, r.max_speed);
}

void simulate(const CompareOptions& options, Simulation& simulation, ExpectWatch& watch,
              double duration, const std::string& label, VariantRun& run) {
  const double start_energy = value_of(simulation, "total_energy");
  const double start_particles = value_of(simulation, "particles");
  const Limits& limits = *run.limits;
  double gain = 0;
  watch.see(simulation.metrics());
  run.rows.push_back(simulation.metrics());
  while (!simulation.finished()) {
    if (options.stop && *options.stop) {
      run.outcome = Outcome::interrupted;
      return;
    }
    const double before = processor_seconds();
    const StepReport report = simulation.step();
    run.processor += processor_seconds() - before;
    count(report, run);
    // Liquid that leaves the domain takes energy of either sign with it.
    const bool same_matter = static_cast<double>(report.particles) == start_particles;
    if (limits.energy_scale > 0 && same_matter) {
      gain = (total_energy(report) - start_energy) / limits.energy_scale;
      run.energy_gain = std::max(run.energy_gain.value_or(gain), gain);
    }
    watch.see(simulation.metrics());
    run.rows.push_back(simulation.metrics());
    if (options.progress) options.progress(label, report.time / duration);
    run.reason = fault_of(limits, report, same_matter ? gain : 0);
    if (!run.reason.empty()) {
      run.outcome = Outcome::unstable;
      return;
    }
  }
  run.verdicts = watch.verdicts();
}

}  // namespace

VariantRun run_variant(const CompareOptions& options, const std::vector<std::string>& overrides,
                       const std::string& label) {
  VariantRun run;
  bool built = false;
  try {
    const SceneFile file = SceneFile::load(options.scene, overrides);
    Simulation simulation(file);
    const Scene scene = within_duration(file.scene(), run.notes);
    ExpectWatch watch(scene, simulation.metric_names());
    built = true;
    if (!simulation.prepare(options.stop)) {
      run.outcome = Outcome::interrupted;
      return run;
    }
    run.limits = limits_of(options.criteria, scene, simulation);
    run.columns = simulation.metric_names();
    simulate(options, simulation, watch, file.duration(), label, run);
  } catch (const Error& e) {
    run.outcome = built ? Outcome::unstable : Outcome::refused;
    run.reason = one_line(e.what());
  } catch (const std::bad_alloc&) {
    run.outcome = Outcome::refused;
    run.reason = "out of memory";
  }
  return run;
}

}  // namespace hydrolith
