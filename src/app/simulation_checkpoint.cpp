// The whole state of a Simulation, kept in memory or in a file, and the way back.

#include "hydrolith/simulation.h"

#include "app/assets.h"
#include "app/column_keeper.h"
#include "app/engine.h"
#include "app/resume.h"
#include "output/checkpoint_file.h"
#include "output/files.h"
#include "output/run_folder.h"
#include "scene/scene.h"

#include <algorithm>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

/// Throws Error with all that differs and may not.
void require_same_scene(const std::string& then, const std::string& now) {
  if (then == now) return;
  std::string differences;
  for (const SceneChange& c : changes_between(then, now))
    if (!may_change(c.path))
      differences += fmt::format("\n  {}: {} there, {} here", c.path,
                                 c.before.empty() ? "(default)" : c.before,
                                 c.after.empty() ? "(default)" : c.after);
  if (!differences.empty())
    throw Error("the state is one of another scene:" + differences +
                "\nRestore it in a simulation of its own scene, or load it with that");
}

Checkpoint read(const fs::path& file) { return decode_checkpoint(read_file(file), file.string()); }

/// Throws Error if a mesh of the scene is no longer what it was.
void require_same_assets(const Checkpoint& c, const Scene& scene) {
  const std::vector<AssetMark> now = mark_assets(scene);
  for (const AssetMark& then : c.assets)
    if (std::find(now.begin(), now.end(), then) == now.end())
      throw Error(fmt::format("{} has changed since the state was saved", then.file));
}

/// Where relative paths of the scene start: from the file that was simulated, or RUN/scene.yaml.
fs::path scene_place(const Checkpoint& c, const fs::path& file) {
  if (!c.scene_file.empty()) return c.scene_file;
  const fs::path folder = fs::absolute(file).parent_path();
  const fs::path of_run = folder.parent_path() / "scene.yaml";
  return fs::exists(of_run) ? of_run : folder / "scene.yaml";
}

}  // namespace

Checkpoint Simulation::checkpoint() const {
  Checkpoint c;
  c.scene = scene_.yaml();
  c.name = scene_.name();
  c.version = version();
  c.time = time();
  c.metrics = metrics_;
  engine_->save(c.state);
  ArchiveReader(c.state)("step", c.step);
  return c;
}

void Simulation::restore(const Checkpoint& checkpoint) {
  require_same_scene(checkpoint.scene, scene_.yaml());
  keeper_->part();
  engine_->load(checkpoint.state);
  engine_->world_state().applied.clear();
  if (checkpoint.metrics.size() == metric_names_.size())
    metrics_ = checkpoint.metrics;
  else  // of a version with other columns
    read_metrics(engine_->present());
}

void Simulation::save(const fs::path& file) const {
  Checkpoint c = checkpoint();
  c.scene_file = fs::absolute(scene_.scene().file).string();
  c.assets = mark_assets(scene_.scene());
  write_file_atomically(file, encode_checkpoint(c, file.string()));
}

void Simulation::restore(const fs::path& file) {
  const Checkpoint c = read(file);
  try {
    require_same_assets(c, scene_.scene());
    restore(c);
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", file.string(), e.what()));
  }
}

Simulation Simulation::load(const fs::path& file) {
  const Checkpoint c = read(file);
  const SceneFile scene = SceneFile::parse(c.scene, scene_place(c, file)).named(c.name);
  require_same_assets(c, scene.scene());
  Simulation simulation(scene);
  simulation.restore(c);
  return simulation;
}

}  // namespace hydrolith
