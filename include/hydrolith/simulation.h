#pragma once
// The public face: load a scene, step it, look at it; or run it into a folder.
//
//   hydrolith::SceneFile scene = hydrolith::SceneFile::load("dam.yaml", {"spacing=0.02"});
//   hydrolith::Simulation simulation(scene);
//   while (!simulation.finished()) simulation.step();
//   hydrolith::Frame last = simulation.frame();

#include "hydrolith/column.h"
#include "hydrolith/error.h"
#include "hydrolith/frame.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

/// "0.1.0"
std::string_view version();
/// The code path the processor gets ("AVX2 (built: ...)").
std::string instruction_set();
/// Threads used from now on; 0 = all cores. Results do not depend on it.
void set_threads(int count);

struct Scene;  // the scene as data: src/scene/scene.h

/// A scene that was read and found valid.
class SceneFile {
 public:
  /// `overrides` as "path=value". Throws SceneError with all faults, or IoError.
  static SceneFile load(const std::filesystem::path& file,
                        const std::vector<std::string>& overrides = {});
  /// From a text; `name` stands in messages, relative paths start from its folder.
  static SceneFile parse(std::string_view yaml, const std::filesystem::path& name = "scene.yaml",
                         const std::vector<std::string>& overrides = {});

  const Scene& scene() const { return *scene_; }
  const std::string& name() const;
  SceneFile named(const std::string& name) const;    // the same with another name
  double duration() const;                           // [s]
  const std::string& yaml() const { return yaml_; }  // as run, overrides applied

 private:
  std::shared_ptr<const Scene> scene_;
  std::string yaml_;
};

/// What a scene amounts to.
struct SceneSize {
  std::int64_t liquid_particles = 0, body_particles = 0;
  std::int64_t emitted_particles = 0;  // that emitters will add over the run
  std::int64_t bodies = 0, dynamic_bodies = 0, distinct_shapes = 0;
  double liquid_volume = 0;  // [m^3]
  double body_mass = 0;      // [kg] of dynamic bodies
  std::size_t memory = 0;    // [bytes]
  double time_step = 0;      // [s] of the first step
};

/// How evenly the bodies are sampled: the worst over all shapes. Spread = standard deviation / mean
/// of the rest volumes V0 of Probst & Teschner 2023, eq. 3.2.
struct SamplingQuality {
  double volume_spread = 0;                 // [-]
  double nearest_min = 0, nearest_max = 0;  // [spacings] distances of nearest neighbours
  std::string worst_body;                   // the one with the largest spread
};

/// The liquid's particles, in the engine's order, which may change with every step; `id` tells
/// which is which.
struct LiquidColumns {
  Column<Vec3> position, velocity;  // [m], [m/s]
  Column<double> volume;            // [m^3] at rest density
  Column<float> pressure;           // [Pa]
  Column<std::uint32_t> id;         // stable over the run
  Column<std::uint32_t> liquid;     // index into Objects::liquids
};

/// The bodies, parallel to Objects::bodies; static and kinematic ones about their shape's origin.
struct RigidColumns {
  Column<Vec3> position, velocity;  // [m], [m/s] of the centre of mass
  Column<Quat> orientation;         // body frame -> world
  Column<Vec3> angular_velocity;    // [rad/s] world frame
  Column<double> mass;              // [kg] 0 unless dynamic
  Column<BodyForces> forces;        // of the last step
};

class Engine;        // src/app/engine.h
class ColumnKeeper;  // src/app/column_keeper.h
struct Checkpoint;   // src/output/checkpoint_file.h: encode_checkpoint makes bytes of it

/// A simulation in memory. Throws SceneError when built, SimulationError when it cannot go on.
class Simulation {
 public:
  explicit Simulation(const SceneFile& scene);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Lets the liquid settle as the scene asks; the first step does so if nobody has. False: `stop`
  /// has ended it, and liquid and bodies are where the scene puts them.
  bool prepare(const std::atomic<bool>* stop = nullptr);
  StepReport step();
  /// Takes steps until `time` [s] is reached, which may be later than the scene's duration; steps
  /// are not cut to meet it, so it may be passed by less than one. How many were taken.
  std::int64_t step_until(double time);
  /// Calls `callback` before every step, when the state is the one the step starts from: there it
  /// may be looked at, set and pushed. An empty function ends that.
  void on_step(std::function<void(Simulation&)> callback);
  double time() const;              // [s]
  std::int64_t steps() const;       // taken so far
  double time_step() const;         // [s] of the next step, as things are; a step may be halved
  bool reached(double time) const;  // but for rounding in the sum of steps
  bool finished() const;            // the scene's duration is reached
  const SceneFile& scene() const { return scene_; }
  const Objects& objects() const;
  Frame frame() const;  // with the fields of output.fields
  SceneSize size() const;
  SamplingQuality sampling_quality() const;  // measured anew at every call
  /// What the log should say about this run: repaired meshes, parts of the scene without effect.
  const std::vector<std::string>& notes() const;

  /// Columns of metrics.csv and their values after the last step.
  const std::vector<std::string>& metric_names() const;
  const std::vector<double>& metrics() const;

  /// The whole state and the metrics, but for forces applied for the next step; restore() puts a
  /// simulation of the same scene there, and it goes on bit for bit. Throws Error, and changes
  /// nothing, if the state is not one of this scene; what resume() may change may differ.
  Checkpoint checkpoint() const;
  void restore(const Checkpoint& checkpoint);
  /// The same through a file, like those of RUN/checkpoints. Throw IoError.
  void save(const std::filesystem::path& file) const;
  void restore(const std::filesystem::path& file);
  /// A simulation of the scene that is in the file, where the file left it.
  static Simulation load(const std::filesystem::path& file);

  // The state without copies.
  LiquidColumns liquid();
  RigidColumns bodies();

  /// One body, with the forces of the last step.
  BodyFrame body_state(std::size_t body) const;

  // Dynamic bodies may be changed between steps and in on_step(), and driven ones (kinematic with
  // `motion: {driven: true}`) placed and set in motion; `body` is an index into Objects::bodies.
  // Throw Error, and change nothing, for any other body, for what is not finite, and for what
  // leaves the plane of a 2D scene.
  std::size_t body(std::string_view name) const;  ///< throws Error with the nearest name
  /// The body keeps its velocities and forgets its contacts.
  void set_body_pose(std::size_t body, const Pose& pose);
  /// [m/s] of the centre of mass and [rad/s], world frame. A driven body moves at these, of its
  /// shape's origin, until they are set again.
  void set_body_velocity(std::size_t body, const Vec3& velocity, const Vec3& angular_velocity);
  /// Adds a force [N] for the next step alone, part of its solve like the scene's loads; at a point
  /// [m] of the world, or at the centre of mass. If the step is taken back and halved the force
  /// stays the same.
  void apply_force(std::size_t body, const Vec3& force,
                   const std::optional<Vec3>& point = std::nullopt);
  void apply_torque(std::size_t body, const Vec3& torque);  ///< [N m], likewise

 private:
  void read_metrics(const StepReport& report);
  void call_on_step();
  std::unique_ptr<ColumnKeeper> keeper_;  // before the engine: a move must end its loans first
  std::unique_ptr<Engine> engine_;
  std::function<void(Simulation&)> on_step_;
  bool in_on_step_ = false;
  SceneFile scene_;
  std::vector<std::string> metric_names_;
  std::vector<double> metrics_;
  std::vector<std::string> notes_;
};

/// One expectation of the scene, checked against the metrics of the run.
struct Verdict {
  std::string text;  // "block.position.y at the end: 0.103, expected 0.1 +- 0.01"
  bool passed = false;
};

struct Progress {
  StepReport step;
  double duration = 0;  // [s] of simulated time in all
  double wall = 0;      // [s] since the start of the run
  double particles_per_second =
      0;  // liquid and body particles times steps, per second of wall time
  std::int64_t frames = 0;
};

struct RunCallbacks {
  std::function<void(const Progress&)> progress;  ///< called after every step
  std::function<void(Simulation&)> on_step;  ///< called before every step (Simulation::on_step)
  const std::atomic<bool>* stop = nullptr;   ///< set: finish the step, close files, return
};

struct RunOptions : RunCallbacks {
  std::filesystem::path folder;  ///< must not hold a run yet
};

struct ResumeOptions : RunCallbacks {
  std::filesystem::path folder;        ///< of a run that was stopped, however
  std::vector<std::string> overrides;  ///< "path=value": duration, output, tolerance, ...
  bool anew = false;  ///< if checkpoints are lost: begin from the start, make all frames again
  std::function<void(const std::string&)> tell;  ///< where it goes on, damaged files, changes
};

enum class RunState { finished, interrupted };

struct RunResult {
  RunState state = RunState::finished;
  std::int64_t steps = 0, frames = 0;
  double time = 0;  // [s] simulated
  double wall = 0;  // [s]
  int unconverged_steps = 0;
  std::vector<std::string> warnings;  // as the log has them, with what to do
  std::vector<Verdict> verdicts;      // of `expect`; only when finished
};

/// Simulates the scene and writes the run's folder (docs/results.md). What is finished stays on
/// disk whatever happens. Throws SceneError, IoError or SimulationError.
RunResult run(const SceneFile& scene, const RunOptions& options);

/// Goes on from the newest whole checkpoint of a run, bit for bit as if it had never stopped.
/// Throws as run() does, and Error if an override would change what is simulated.
RunResult resume(const ResumeOptions& options);

/// Writes the folder of a run for somebody who takes the steps himself, as run() would: frames,
/// metrics and checkpoints on the scene's schedule.
class Recorder {
 public:
  /// Prepares the simulation and writes the state it is in; the folder must not hold a run yet.
  /// Throws IoError.
  Recorder(Simulation& simulation, const std::filesystem::path& folder);
  ~Recorder();  // whoever has not closed it leaves an interrupted run
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;

  /// After every step: writes what is due. Throws IoError, and Error if time has gone back.
  void record(const Simulation& simulation);
  /// Writes the last frame and a checkpoint and waits until all is on disk. The run is finished if
  /// its duration is reached, otherwise interrupted, or failed if there is a reason.
  RunResult close(const Simulation& simulation, const std::string& failure = "");

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hydrolith
