#include "app/resume.h"

#include "app/assets.h"
#include "app/run_record.h"
#include "output/files.h"
#include "output/run_names.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

std::string shown(const YAML::Node& node) {
  if (node.IsNull()) return "";
  YAML::Emitter out;
  out.SetMapFormat(YAML::Flow);
  out.SetSeqFormat(YAML::Flow);
  out << node;
  return out.c_str();
}

/// The value of a key, null where there is none.
YAML::Node value_of(const YAML::Node& map, const std::string& key) {
  return map.IsMap() && map[key] ? YAML::Node(map[key]) : YAML::Node();
}

void compare(const std::string& path, const YAML::Node& a, const YAML::Node& b,
             std::vector<SceneChange>& changes) {
  const std::string before = shown(a), after = shown(b);
  if (before == after) return;
  const auto map_or_nothing = [](const YAML::Node& n) { return n.IsMap() || n.IsNull(); };
  if (map_or_nothing(a) && map_or_nothing(b)) {
    std::vector<std::string> keys;
    for (const YAML::Node& side : {a, b})
      for (const auto& entry : side)
        if (std::find(keys.begin(), keys.end(), entry.first.Scalar()) == keys.end())
          keys.push_back(entry.first.Scalar());
    for (const std::string& key : keys)
      compare(path.empty() ? key : path + "." + key, value_of(a, key), value_of(b, key), changes);
  } else if (a.IsSequence() && b.IsSequence() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      compare(fmt::format("{}[{}]", path, i), a[i], b[i], changes);
  } else {
    changes.push_back({path, before, after});
  }
}

std::string text_of(const SceneChange& c) {
  return fmt::format("{}: {} -> {}", c.path, c.before.empty() ? "(default)" : c.before,
                     c.after.empty() ? "(default)" : c.after);
}

/// Those that may not be, one a line; empty: all may.
std::string refused(const std::vector<SceneChange>& changes) {
  std::string lines;
  for (const SceneChange& c : changes)
    if (!may_change(c.path)) lines += "\n  " + text_of(c);
  return lines;
}

/// RUN/scene.yaml; the checkpoint's own copy if it is lost.
SceneFile scene_of(const fs::path& run, const std::optional<Checkpoint>& checkpoint,
                   const std::vector<std::string>& overrides, std::vector<std::string>* news) {
  const fs::path file = run / "scene.yaml";
  if (!checkpoint || fs::exists(file)) return SceneFile::load(file, overrides);
  if (news) news->push_back("scene.yaml is gone; the checkpoint has it");
  return SceneFile::parse(checkpoint->scene, file, overrides);
}

bool has_name(const std::string& yaml) { return !value_of(YAML::Load(yaml), "name").IsNull(); }

/// Throws Error unless the run can go on with this scene; `before` is the one it had.
void check_scene(const std::string& before, const SceneFile& as_is, const SceneFile& wanted,
                 const fs::path& run) {
  const std::string file = (run / "scene.yaml").string();
  if (const std::string edits = refused(changes_between(before, as_is.yaml())); !edits.empty())
    throw Error(
        fmt::format("{} is not the scene of the checkpoint:{}\n"
                    "Undo these changes, or remove the file: the checkpoint has the scene as it "
                    "was.\nFor a run with them: hydrolith run {}",
                    file, edits, file));
  if (const std::string edits = refused(changes_between(before, wanted.yaml())); !edits.empty())
    throw Error(fmt::format(
        "These would change what is simulated, and the part already done would not fit:{}\n"
        "A run can go on with another duration, output, picture, tolerance, limit of iterations "
        "or time step.\nFor anything else start a new run: hydrolith run {} --set ...",
        edits, file));
}

/// Throws Error if a file that the scene refers to is not what it was.
void check_assets(const std::vector<AssetMark>& before, const Scene& scene, const fs::path& run) {
  const std::vector<AssetMark> now = mark_assets(scene);
  for (const AssetMark& mark : now)
    if (std::find(before.begin(), before.end(), mark) == before.end())
      throw Error(fmt::format(
          "{} has changed since the checkpoint was made, and the part already done would not fit.\n"
          "Put the file back as it was, or start a new run: hydrolith run {}",
          (run / mark.file).string(), (run / "scene.yaml").string()));
}

/// The newest checkpoint that can be read; what is wrong with newer ones goes into `news`.
std::optional<Checkpoint> newest_whole(const fs::path& run, std::vector<std::string>& news) {
  std::vector<std::int64_t> steps = list_checkpoints(run);
  for (std::reverse_iterator step = steps.rbegin(); step != steps.rend(); ++step) {
    try {
      return read_checkpoint(run, *step);
    } catch (const Error& e) {
      news.push_back(fmt::format(
          "{}; {}", e.what(),
          step + 1 == steps.rend() ? "there is none before it" : "falling back to the one before"));
    }
  }
  return std::nullopt;
}

}  // namespace

const fs::path& existing_run(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw IoError(fmt::format(
        "{}: {}", folder.string(),
        fs::exists(folder) ? "a file, not the folder of a run" : "there is no such folder"));
  if (!holds_run(folder))
    throw IoError(fmt::format("{}: not the folder of a run (it has no run.json)", folder.string()));
  return folder;
}

std::vector<SceneChange> changes_between(const std::string& before, const std::string& after) {
  std::vector<SceneChange> changes;
  compare("", YAML::Load(before), YAML::Load(after), changes);
  return changes;
}

bool may_change(const std::string& path) {
  const auto in = [&](std::string_view section) {
    return path == section || (path.starts_with(section) &&
                               (path[section.size()] == '.' || path[section.size()] == '['));
  };
  for (const char* section :
       {"duration", "output", "picture", "time_step", "solver.tolerance", "solver.volume_tolerance",
        "solver.velocity_tolerance", "solver.min_iterations", "solver.max_iterations",
        "solver.max_travel", "solver.max_overlap", "hybrid.tolerance", "hybrid.max_iterations",
        "hybrid.max_sweeps", "hybrid.friction_tolerance", "hybrid.friction_solves",
        "hybrid.viscosity_tolerance", "hybrid.viscosity_solves"})
    if (in(section)) return true;
  return false;
}

namespace {

/// run.json; what it says besides history does not decide anything that the checkpoint knows.
RunRecord record_of(const fs::path& run, std::vector<std::string>& news) {
  try {
    if (fs::exists(run / "run.json")) return read_run_record(run);
    news.push_back("run.json is gone; it is written anew");
  } catch (const IoError& e) {
    news.push_back(fmt::format("{}; it is written anew", e.what()));
  }
  return {};
}

/// A run that is to begin from its start loses its frames. One that was killed before its first
/// checkpoint does so without asking: they come back in no more time than they took.
void begin_anew(const fs::path& run, const RunRecord& record, bool allowed,
                std::vector<std::string>& news) {
  const std::size_t frames = list_frames(run).size();
  const bool had_one =  // a run that ends in order leaves one after its first step
      (record.state == "finished" || record.state == "interrupted") && record.steps > 0;
  const bool is_lost = !list_checkpoints(run).empty() || (had_one && frames > 0);
  if (is_lost && !allowed) {
    std::string why;
    for (const std::string& line : news) why += line + "\n";
    throw IoError(
        fmt::format("{0}{1}: no checkpoint can be read. It can only begin from its start; its {2} "
                    "frames are then removed and made again:\n  hydrolith resume {1} --anew\n"
                    "To keep them start another run:\n  hydrolith run {3}",
                    why, run.string(), frames, (run / "scene.yaml").string()));
  }
  news.push_back(fmt::format(
      "going on from the start: there is no whole checkpoint; its {} frames are made anew",
      frames));
}

/// Where it goes on, and what may make bits differ.
void tell_where(const Checkpoint& c, const RunRecord& record, double duration,
                std::vector<std::string>& news) {
  if (c.version != version())
    news.push_back(fmt::format(
        "the checkpoint was made by Hydrolith {}, this is {}: results may differ in their bits",
        c.version, version()));
  else if (!record.instruction_set.empty() && record.instruction_set != instruction_set())
    news.push_back(
        fmt::format("the run was made with {}, this is {}: results may differ in their bits",
                    record.instruction_set, instruction_set()));
  news.push_back(fmt::format("going on from step {}, t = {:g} s", c.step, c.time));
  if (c.time >= duration)
    news.push_back(record.state == "finished"
                       ? "it is already finished; a longer duration goes on: --set duration=..."
                       : fmt::format("that is its end: the duration is {:g} s", duration));
}

}  // namespace

ResumePoint find_resume_point(const fs::path& run, const std::vector<std::string>& overrides,
                              bool anew) {
  ResumePoint point;
  const RunRecord record = record_of(run, point.news);
  point.history = record.history;
  point.checkpoint = newest_whole(run, point.news);
  const SceneFile as_is = scene_of(run, point.checkpoint, {}, &point.news);
  const std::string& before = point.checkpoint ? point.checkpoint->scene : as_is.yaml();
  point.scene = scene_of(run, point.checkpoint, overrides, nullptr);
  check_scene(before, as_is, point.scene, run);
  if (point.checkpoint) {
    check_assets(point.checkpoint->assets, point.scene.scene(), run);
    tell_where(*point.checkpoint, record, point.scene.duration(), point.news);
  } else {
    begin_anew(run, record, anew, point.news);
  }
  point.scene_file = record.scene_file;
  // A scene without a name has that of its file, which is another one now.
  if (const std::string& name = point.checkpoint ? point.checkpoint->name : record.scene;
      !name.empty() && !has_name(point.scene.yaml()))
    point.scene = point.scene.named(name);
  for (const SceneChange& change : changes_between(before, point.scene.yaml())) {
    if (change.path == "duration" && point.checkpoint &&
        point.checkpoint->time > point.scene.duration())
      throw Error(fmt::format("duration: {:g} s are over, the run is at t = {:g} s",
                              point.scene.duration(), point.checkpoint->time));
    point.news.push_back("changed " + text_of(change));
  }
  for (const std::string& news : point.news)
    point.history.push_back(fmt::format("resume: {}", news));
  return point;
}

}  // namespace hydrolith
