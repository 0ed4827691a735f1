#include "app/engine.h"

#include "hydrolith/error.h"

#include "hybrid/observe.h"
#include "hybrid/step.h"
#include "particles/build.h"
#include "particles/observe.h"
#include "particles/step.h"
#include "setup/flow.h"
#include "setup/memory_use.h"
#include "setup/probes.h"
#include "setup/world_archive.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace hydrolith {

namespace {

/// Bodies and what emitters will add; an engine knows the rest.
SceneSize world_size(const World& world, const WorldState& state) {
  SceneSize size;
  for (const Emitter& e : world.emitters)
    size.emitted_particles += std::lround(expected_particles(e, world.scene.duration));
  for (std::uint32_t shape : world.solids.shape_of)
    size.body_particles += static_cast<std::int64_t>(world.samples[shape].position.size());
  size.bodies = static_cast<std::int64_t>(state.bodies.size());
  size.dynamic_bodies =
      std::count(state.bodies.kind.begin(), state.bodies.kind.end(), BodyKind::dynamic);
  size.distinct_shapes = static_cast<std::int64_t>(world.solids.shapes.size());
  for (double mass : state.bodies.mass) size.body_mass += mass;
  return size;
}

/// Liquid particles there may be at the end, outlets aside.
std::size_t at_most(const SceneSize& size) {
  return static_cast<std::size_t>(size.liquid_particles + size.emitted_particles);
}

SamplingQuality worst_sampling(const World& world) {
  SamplingQuality worst{.nearest_min = 1, .nearest_max = 1, .worst_body = {}};
  for (std::size_t k = 0; k < world.samples.size(); ++k) {
    const auto& shape_of = world.solids.shape_of;
    const auto body = std::find(shape_of.begin(), shape_of.end(), k) - shape_of.begin();
    const Evenness e = evenness(world.samples[k].position, world.solids.shapes[k].resolution,
                                world.scene.dimensions);
    if (e.volume_spread >= worst.volume_spread) {
      worst.volume_spread = e.volume_spread;
      worst.worst_body = world.scene.bodies[body].name;
    }
    worst.nearest_min = std::min(worst.nearest_min, e.nearest_min);
    worst.nearest_max = std::max(worst.nearest_max, e.nearest_max);
  }
  return worst;
}

/// `S` is an engine's state; const when it is saved.
template <class S, class Column>
void visit_columns(
    S& s, Column&& column) requires std::is_same_v<std::remove_const_t<S>, particles::State> {
  visit_world_columns(s, column);
  column("x", s.x);
  column("v", s.v);
  column("volume", s.volume);
  column("pressure", s.pressure);
  column("excess", s.excess);
  column("id", s.id);
  column("liquid", s.liquid);
  column("next_id", s.next_id);
}

template <class S, class Column>
void visit_columns(S& s,
                   Column&& column) requires std::is_same_v<std::remove_const_t<S>, hybrid::State> {
  visit_world_columns(s, column);
  auto& p = s.liquid;
  column("x", p.x);
  column("v", p.v);
  column("c", p.c);
  column("volume", p.volume);
  column("pressure", p.pressure);
  column("id", p.id);
  column("liquid", p.liquid);
  column("next_id", p.next_id);
}

/// A copy of `state` with the columns of an archive.
template <class State>
State loaded(const World& world, const State& state, const Archive& archive) {
  State s = state;
  visit_columns(s, ArchiveReader(archive));
  check_world_state(world, s);
  return s;
}

class ParticleEngine final : public Engine {
 public:
  explicit ParticleEngine(const Scene& scene)
      : model_(particles::build_model(scene)),
        state_(particles::initial_state(model_)),
        workspace_(model_, state_) {}

  bool prepared() const override { return ready_; }
  bool prepare(const std::atomic<bool>* stop) override {
    if (ready_) return true;
    ready_ = particles::settle(model_, state_, workspace_, stop);
    if (ready_) find_first_forces();
    return ready_;
  }

  StepReport step() override {
    prepare(nullptr);
    return particles::step(model_, state_, workspace_, particles::choose_time_step(model_, state_));
  }
  double time() const override { return state_.time; }
  double time_step() const override { return particles::choose_time_step(model_, state_); }
  const Objects& objects() const override { return model_.objects; }
  Frame frame(const std::vector<std::string>& fields) const override {
    return particles::make_frame(model_, state_, fields);
  }
  StepReport present() const override {
    StepReport report{.step = state_.step, .time = state_.time};
    particles::audit(model_, state_, report);
    return report;
  }
  SceneSize size() const override {
    SceneSize size = world_size(model_, state_);
    size.liquid_particles = static_cast<std::int64_t>(state_.particles());
    for (double volume : state_.volume) size.liquid_volume += volume;
    size.memory = memory_use(model_, at_most(size));
    size.time_step = particles::choose_time_step(model_, state_);
    return size;
  }
  SamplingQuality sampling_quality() const override { return worst_sampling(model_); }
  std::vector<std::string> notes() const override {
    std::vector<std::string> all = model_.solids.notes;
    all.insert(all.end(), workspace_.notes.begin(), workspace_.notes.end());
    return all;
  }
  std::vector<std::string> probe_columns() const override {
    return hydrolith::probe_columns(model_.scene);
  }
  void read_probes(std::vector<double>& values) const override {
    particles::read_probes(model_, state_, values);
  }
  void save(Archive& archive) const override {
    ArchiveWriter write(archive);
    visit_columns(state_, write);
    if (!ready_) write(not_prepared, std::uint32_t{1});
  }
  void load(const Archive& archive) override {
    particles::State s = loaded(model_, state_, archive);
    check_liquid_columns(
        model_, s.x.size(),
        {s.v.size(), s.volume.size(), s.pressure.size(), s.id.size(), s.liquid.size()}, s.liquid);
    state_ = std::move(s);
    ready_ = std::none_of(archive.columns.begin(), archive.columns.end(),
                          [](const Archive::Column& c) { return c.name == not_prepared; });
  }
  const World& world() const override { return model_; }
  WorldState& world_state() override { return state_; }
  LiquidParts liquid() override {
    return {state_.x, state_.v, state_.volume, state_.pressure, state_.id, state_.liquid};
  }

 private:
  /// Forces at the start are those that the first step will find: it is tried on a copy. If it
  /// cannot be taken they stay unknown; the step itself will say why.
  void find_first_forces() {
    particles::State trial = state_;
    try {
      particles::step(model_, trial, workspace_, particles::choose_time_step(model_, trial));
      state_.forces = std::move(trial.forces);
    } catch (const SimulationError&) {
    }
  }

  static constexpr const char* not_prepared = "not_prepared";  // a column of such a state alone
  particles::Model model_;
  particles::State state_;
  particles::Workspace workspace_;
  bool ready_ = false;
};

class HybridEngine final : public Engine {
 public:
  explicit HybridEngine(const Scene& scene)
      : model_(hybrid::build_model(scene)),
        state_(hybrid::initial_state(model_)),
        workspace_(model_, state_) {}

  bool prepared() const override { return true; }
  bool prepare(const std::atomic<bool>*) override { return true; }
  StepReport step() override {
    return hybrid::step(model_, state_, workspace_, hybrid::choose_time_step(model_, state_));
  }
  double time() const override { return state_.time; }
  double time_step() const override { return hybrid::choose_time_step(model_, state_); }
  const Objects& objects() const override { return model_.objects; }
  Frame frame(const std::vector<std::string>& fields) const override {
    return hybrid::make_frame(model_, state_, fields);
  }
  StepReport present() const override {
    StepReport report{.step = state_.step, .time = state_.time};
    hybrid::audit(model_, state_, report);
    return report;
  }
  SceneSize size() const override {
    SceneSize size = world_size(model_, state_);
    size.liquid_particles = static_cast<std::int64_t>(state_.liquid.size());
    for (double volume : state_.liquid.volume) size.liquid_volume += volume;
    size.memory = memory_use(model_, at_most(size));
    size.time_step = hybrid::choose_time_step(model_, state_);
    return size;
  }
  SamplingQuality sampling_quality() const override { return worst_sampling(model_); }
  std::vector<std::string> notes() const override {
    std::vector<std::string> all = model_.solids.notes;
    all.insert(all.end(), model_.remarks.begin(), model_.remarks.end());
    return all;
  }
  std::vector<std::string> probe_columns() const override {
    return hydrolith::probe_columns(model_.scene);
  }
  void read_probes(std::vector<double>& values) const override {
    hybrid::read_probes(model_, state_, workspace_, values);
  }
  void save(Archive& archive) const override { visit_columns(state_, ArchiveWriter(archive)); }
  void load(const Archive& archive) override {
    hybrid::State s = loaded(model_, state_, archive);
    const hybrid::LiquidParticles& p = s.liquid;
    check_liquid_columns(
        model_, p.x.size(),
        {p.v.size(), p.c.size(), p.volume.size(), p.pressure.size(), p.id.size(), p.liquid.size()},
        p.liquid);
    state_ = std::move(s);
  }
  const World& world() const override { return model_; }
  WorldState& world_state() override { return state_; }
  LiquidParts liquid() override {
    hybrid::LiquidParticles& l = state_.liquid;
    return {l.x, l.v, l.volume, l.pressure, l.id, l.liquid};
  }

 private:
  hybrid::Model model_;
  hybrid::State state_;
  hybrid::Workspace workspace_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(const Scene& scene) {
  switch (scene.engine) {
    case EngineKind::particles:
      return std::make_unique<ParticleEngine>(scene);
    case EngineKind::hybrid:
      return std::make_unique<HybridEngine>(scene);
  }
  throw Error("the scene names no known engine");
}

}  // namespace hydrolith
