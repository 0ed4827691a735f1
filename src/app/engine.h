#pragma once
// What the run loop sees of an engine. One virtual call a step, none inside.

#include "hydrolith/simulation.h"

#include "setup/world.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace hydrolith {

struct Archive;

/// An engine's own columns of liquid particles.
struct LiquidParts {
  std::vector<Vec3>&position, &velocity;
  std::vector<double>& volume;
  std::vector<float>& pressure;
  std::vector<std::uint32_t>&id, &liquid;
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Makes the start ready (`settle`); the first step does so if nobody has. False: told to stop
  /// before it was, the state is as placed.
  virtual bool prepared() const = 0;
  virtual bool prepare(const std::atomic<bool>* stop) = 0;
  /// One step of the length the scene asks for.
  virtual StepReport step() = 0;
  virtual double time() const = 0;
  virtual double time_step() const = 0;  ///< [s] of the next step, as things are
  virtual const Objects& objects() const = 0;
  virtual Frame frame(const std::vector<std::string>& fields) const = 0;
  virtual SceneSize size() const = 0;
  virtual SamplingQuality sampling_quality() const = 0;
  virtual StepReport present() const = 0;  ///< audit of the state as it is, without a step
  virtual std::vector<std::string> notes() const = 0;
  virtual std::vector<std::string> probe_columns() const = 0;
  virtual void read_probes(std::vector<double>& values) const = 0;  ///< appends
  /// The whole state, and the way back. Throws Error if it is not one of this scene; the engine is
  /// then as before.
  virtual void save(Archive& archive) const = 0;
  virtual void load(const Archive& archive) = 0;

  // What others may look at and change between steps.
  virtual const World& world() const = 0;
  virtual WorldState& world_state() = 0;
  virtual LiquidParts liquid() = 0;
};

/// Builds the engine that the scene names. Throws SceneError.
std::unique_ptr<Engine> make_engine(const Scene& scene);

}  // namespace hydrolith
