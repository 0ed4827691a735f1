// The same scene in Hydrolith and in Bullet, one after the other in one run, as a Markdown table.
// One thread each: taskset -c 0 bench_bullet SCENE ... Results and their meaning: bench/bullet.md.
//
// A run is stable if, looked at 50 times a simulated second and at the end,
//   at rest (--rest):  no centre of mass is farther from its start than --within and no body's y
//                      axis has turned by more than --tilt;
//   else:              kinetic and potential energy together never exceed that of the start by more
//                      than 1 %, no centre of mass is below y = 0 and no overlap above --within.
// Times are processor time of the steps alone.

#include "hydrolith/simulation.h"

#include "bullet_measure.h"
#include "bullet_sides.h"
#include "scene/scene.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <string>

namespace {

using namespace hydrolith;
using namespace hydrolith::bench;

constexpr double frame_time = 1.0 / 50;  // [s]

struct Settings {
  std::string scene;
  std::vector<std::string> overrides;
  std::vector<std::string> engines = {"hydrolith", "parts"};
  std::vector<double> steps = {4};  // [ms]
  bool search = false;
  double finest = 0.02;  // [ms]
  bool rest = false;
  double within = 5;  // [mm]
  double tilt = 1.5;  // [deg]
  double margin = 1;  // [mm]
  int iterations = 10;
  int segments = 24;
  bool sleeping = false;
  double overlap_every = 0.1;  // [s]
  double at_most = 1e9;        // [s]
};

double processor_time() {  // [s] of all threads
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Outcome {
  std::string discretisation, remark, verdict = "stable";
  double seconds = 0;    // [s] processor time of the steps
  double simulated = 0;  // [s]
  int steps = 0;
  double overlap = 0;  // [m]
  Energy energy;       // at the end
  Drift drift;         // at the end
  double height = 0;   // [m] mean, at the end
  bool stable() const { return verdict == "stable"; }
};

/// What is compared: the scene and what its bodies amount to.
struct Subject {
  explicit Subject(const Settings& settings)
      : file(SceneFile::load(settings.scene, settings.overrides)),
        solids(build_solids(file.scene())),
        gauge(solids, file.scene().spacing) {}
  SceneFile file;
  Solids solids;
  OverlapGauge gauge;
};

std::unique_ptr<Side> make_side(const std::string& engine, double dt, const Settings& settings,
                                const Subject& subject) {
  if (engine == "hydrolith") {
    std::vector<std::string> overrides = settings.overrides;
    overrides.push_back(fmt::format("time_step={}", dt));
    return hydrolith_side(SceneFile::load(settings.scene, overrides));
  }
  BulletOptions options{.dt = dt,
                        .margin = 1e-3 * settings.margin,
                        .iterations = settings.iterations,
                        .segments = settings.segments,
                        .sleeping = settings.sleeping};
  options.shape = engine == "hull"         ? BulletShape::hull
                  : engine == "primitives" ? BulletShape::primitives
                                           : BulletShape::parts;
  return bullet_side(subject.file.scene(), subject.solids, options);
}

std::vector<BodyFrame> frames_of(const RigidBodies& bodies) {
  std::vector<BodyFrame> frames;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    frames.push_back({bodies.pose(i), bodies.v[i], bodies.omega[i], {}});
  return frames;
}

/// Why the state is not what it should be; "stable" if it is.
std::string judge(const Settings& settings, const Outcome& o, double start_energy, double scale,
                  double lowest) {
  const double within = 1e-3 * settings.within;
  if (!std::isfinite(o.energy.total())) return "not a number";
  if (settings.rest) {
    if (o.drift.distance > within) return "moved";
    if (o.drift.angle > settings.tilt * std::numbers::pi / 180) return "tilted";
    return "stable";
  }
  if (o.energy.total() > start_energy + 0.01 * scale) return "gains energy";
  if (lowest < 0) return "through the floor";
  if (o.overlap > within) return "overlaps";
  return "stable";
}

Outcome run(const std::string& engine, double dt, const Settings& settings,
            const Subject& subject) {
  const Scene& scene = subject.file.scene();
  const RigidBodies& start = subject.solids.bodies;
  Outcome o;
  const std::unique_ptr<Side> side = make_side(engine, dt, settings, subject);
  o.discretisation = side->discretisation();
  const double start_energy = energy(start, side->bodies(), scene.gravity).total();
  double next_look = frame_time, next_gauge = settings.overlap_every;
  const double end = scene.duration * (1 - 1e-9);
  while (side->time() < end && o.stable() && o.seconds < settings.at_most) {
    const double before = processor_time();
    try {
      side->step();
    } catch (const SimulationError& e) {
      fmt::print(stderr, "{}\n", e.what());
      o.verdict = "gave up";
    }
    o.seconds += processor_time() - before;
    ++o.steps;
    o.simulated = side->time();
    const bool last = o.simulated >= end || o.seconds >= settings.at_most;
    if (o.simulated < next_look * (1 - 1e-9) && !last && o.stable()) continue;
    while (next_look <= o.simulated) next_look += frame_time;
    const std::vector<BodyFrame> bodies = side->bodies();
    o.energy = energy(start, bodies, scene.gravity);
    o.drift = drift_from(start, bodies);
    o.height = mean_height(start, bodies);
    if (o.simulated >= next_gauge * (1 - 1e-9) || last) {
      while (next_gauge <= o.simulated) next_gauge += settings.overlap_every;
      o.overlap = std::max(o.overlap, subject.gauge.deepest(bodies));
    }
    if (o.stable())
      o.verdict =
          judge(settings, o, start_energy, std::abs(start_energy), lowest_height(start, bodies));
    if (!o.stable() && std::isfinite(o.energy.total()))
      o.overlap = std::max(o.overlap, subject.gauge.deepest(bodies));
  }
  o.remark = side->remark();
  if (!o.stable())
    o.verdict = fmt::format("no: {} at {:.2f} s", o.verdict, o.simulated);
  else if (o.simulated < end)
    o.verdict = fmt::format("until {:.2f} s, where it was stopped", o.simulated);
  return o;
}

void print_head() {
  fmt::print(
      "| engine | bodies as | step [ms] | stable | ms a step | s per simulated s | ms a frame of "
      "1/50 s | largest overlap [mm] | kinetic energy at the end [J] | farthest [mm], tilt [deg] | "
      "mean height [m] | remark |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
}

void print_row(const std::string& engine, double dt, const Outcome& o) {
  const double rate = o.seconds / std::max(o.simulated, 1e-12);
  const std::string name = engine == "hydrolith" ? "Hydrolith" : "Bullet";
  fmt::print(
      "| {} | {} | {:.3g} | {} | {:.3g} | {:.3g} | {:.3g} | {:.3g} | {:.2g} | {:.3g}, {:.2g} | "
      "{:.3f} | {} |\n",
      name, o.discretisation, 1e3 * dt, o.stable() ? "yes" : o.verdict, 1e3 * o.seconds / o.steps,
      rate, 1e3 * frame_time * rate, 1e3 * o.overlap, o.energy.kinetic, 1e3 * o.drift.distance,
      o.drift.angle * 180 / std::numbers::pi, o.height, o.remark);
  std::fflush(stdout);
}

/// From the first step on finer by 1.5 until one is stable, or all that are asked for.
void compare(const std::string& engine, const Settings& settings, const Subject& subject) {
  if (!settings.search) {
    for (const double ms : settings.steps)
      print_row(engine, 1e-3 * ms, run(engine, 1e-3 * ms, settings, subject));
    return;
  }
  for (double ms = settings.steps.front(); ms >= settings.finest; ms /= 1.5) {
    const Outcome o = run(engine, 1e-3 * ms, settings, subject);
    print_row(engine, 1e-3 * ms, o);
    if (o.stable()) return;
  }
}

void add_options(CLI::App& app, Settings& s) {
  app.add_option("scene", s.scene, "Scene file")->required();
  app.add_option("--set", s.overrides, "path=value, as for hydrolith run");
  app.add_option("--engines", s.engines, "hydrolith, and Bullet with hull, parts or primitives")
      ->check(CLI::IsMember({"hydrolith", "hull", "parts", "primitives"}));
  app.add_option("--steps", s.steps, "Time steps [ms]")->check(CLI::PositiveNumber);
  app.add_flag("--search", s.search, "From the first step down by 1.5 until a run is stable");
  app.add_option("--finest", s.finest, "Where the search ends [ms]")->check(CLI::PositiveNumber);
  app.add_flag("--rest", s.rest, "Nothing should move");
  app.add_option("--within", s.within, "Farthest motion at rest, else deepest overlap [mm]");
  app.add_option("--tilt", s.tilt, "Largest tilt at rest [deg]");
  app.add_option("--margin", s.margin, "Bullet: margin of hulls [mm]")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--iterations", s.iterations, "Bullet: iterations of the solver");
  app.add_option("--segments", s.segments, "Bullet: hulls for a turn of a thread")
      ->check(CLI::Range(6, 360));
  app.add_flag("--sleeping", s.sleeping, "Bullet: bodies at rest may sleep");
  app.add_option("--at-most", s.at_most, "Ends a run after this much processor time [s]");
  app.add_option("--overlap-every", s.overlap_every, "Overlap is measured so often [s]");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Hydrolith and Bullet side by side (bench/bullet.md)");
  Settings settings;
  add_options(app, settings);
  CLI11_PARSE(app, argc, argv);
  try {
    set_threads(1);
    const Subject subject(settings);
    const std::vector<BodyFrame> start = frames_of(subject.solids.bodies);
    fmt::print(
        "{}: {} bodies, overlap at the start {:.3g} mm; Bullet {}, margin {} mm, {} iterations\n\n",
        subject.file.name(), start.size(), 1e3 * subject.gauge.deepest(start), bullet_version(),
        settings.margin, settings.iterations);
    print_head();
    for (const std::string& engine : settings.engines) compare(engine, settings, subject);
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
