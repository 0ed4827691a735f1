#include "hydrolith/simulation.h"

#include "app/column_keeper.h"
#include "app/engine.h"
#include "app/metric_columns.h"
#include "core/check.h"
#include "scene/reader.h"

#include <cmath>

namespace hydrolith {

namespace {

std::vector<Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) overrides.push_back(parse_override(text));
  return overrides;
}

/// Rounding in the sum of steps must not add a step: this part of the time may be missing.
constexpr double end_tolerance = 1e-9;

}  // namespace

std::string_view version() { return HYDROLITH_VERSION; }

SceneFile SceneFile::load(const std::filesystem::path& file,
                          const std::vector<std::string>& overrides) {
  SceneDocument document = read_scene(file, parse_overrides(overrides));
  SceneFile result;
  result.scene_ = std::make_shared<const Scene>(std::move(document.scene));
  result.yaml_ = std::move(document.yaml);
  return result;
}

SceneFile SceneFile::parse(std::string_view yaml, const std::filesystem::path& name,
                           const std::vector<std::string>& overrides) {
  SceneDocument document = read_scene_text(yaml, name, parse_overrides(overrides));
  SceneFile result;
  result.scene_ = std::make_shared<const Scene>(std::move(document.scene));
  result.yaml_ = std::move(document.yaml);
  return result;
}

SceneFile SceneFile::named(const std::string& name) const {
  Scene scene = *scene_;
  scene.name = name;
  SceneFile result = *this;
  result.scene_ = std::make_shared<const Scene>(std::move(scene));
  return result;
}

const std::string& SceneFile::name() const { return scene_->name; }
double SceneFile::duration() const { return scene_->duration; }

Simulation::Simulation(const SceneFile& scene)
    : keeper_(std::make_unique<ColumnKeeper>()),
      engine_(make_engine(scene.scene())),
      scene_(scene),
      notes_(engine_->notes()) {
  metric_names_ = step_columns();
  for (std::string& name : engine_->probe_columns()) metric_names_.push_back(std::move(name));
  read_metrics(engine_->present());
}

Simulation::~Simulation() { keeper_.reset(); }  // while its columns are there
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

bool Simulation::prepare(const std::atomic<bool>* stop) {
  keeper_->part();
  if (engine_->prepared()) return true;
  if (!engine_->prepare(stop)) return false;
  notes_ = engine_->notes();
  read_metrics(engine_->present());
  return true;
}

StepReport Simulation::step() {
  struct Clear {  // whatever happens: the next step is pushed anew
    Engine& engine;
    ~Clear() { engine.world_state().applied.clear(); }
  };
  prepare();
  const Clear clear{*engine_};
  call_on_step();
  keeper_->part();
  const StepReport report = engine_->step();
  read_metrics(report);
  return report;
}

std::int64_t Simulation::step_until(double time) {
  require(std::isfinite(time), "step_until: a finite time is wanted, got {}", time);
  std::int64_t steps = 0;
  for (; !reached(time); ++steps) step();
  return steps;
}

void Simulation::read_metrics(const StepReport& report) {
  metrics_.clear();
  append_step_values(report, metrics_);
  engine_->read_probes(metrics_);
}

double Simulation::time() const { return engine_->time(); }
std::int64_t Simulation::steps() const { return engine_->world_state().step; }
double Simulation::time_step() const { return engine_->time_step(); }
bool Simulation::reached(double time) const {
  return engine_->time() >= time - end_tolerance * std::abs(time);
}
bool Simulation::finished() const { return reached(scene_.duration()); }
const Objects& Simulation::objects() const { return engine_->objects(); }
Frame Simulation::frame() const { return engine_->frame(scene_.scene().output.fields); }
SceneSize Simulation::size() const { return engine_->size(); }
SamplingQuality Simulation::sampling_quality() const { return engine_->sampling_quality(); }
const std::vector<std::string>& Simulation::notes() const { return notes_; }
const std::vector<std::string>& Simulation::metric_names() const { return metric_names_; }
const std::vector<double>& Simulation::metrics() const { return metrics_; }

}  // namespace hydrolith
