#include "app/resume.h"

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

/// The changes as text; throws Error with all that are not allowed.
std::vector<std::string> allowed_changes(const std::vector<SceneChange>& changes,
                                         const fs::path& run) {
  std::vector<std::string> texts;
  std::string refused;
  for (const SceneChange& c : changes) {
    const std::string text =
        fmt::format("{}: {} -> {}", c.path, c.before.empty() ? "(default)" : c.before,
                    c.after.empty() ? "(default)" : c.after);
    texts.push_back(text);
    if (!may_change(c.path)) refused += "\n  " + text;
  }
  if (!refused.empty())
    throw Error(fmt::format(
        "These would change what is simulated, and the part already done would not fit:{}\n"
        "A run can go on with another duration, output, picture, tolerance, limit of iterations "
        "or time step.\nFor anything else start a new run: hydrolith run {} --set ...",
        refused, (run / "scene.yaml").string()));
  return texts;
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
  for (const char* section : {"duration", "output", "picture", "time_step", "solver.tolerance",
                              "solver.max_iterations", "hybrid.tolerance", "hybrid.max_iterations"})
    if (in(section)) return true;
  return false;
}

ResumePoint find_resume_point(const fs::path& run, const std::vector<std::string>& overrides) {
  const RunRecord record = read_run_record(run);
  const fs::path file = run / "scene.yaml";
  ResumePoint point;
  point.history = record.history;
  point.checkpoint = newest_whole(run, point.news);
  const std::string before =
      point.checkpoint ? point.checkpoint->scene : SceneFile::load(file).yaml();
  point.scene = SceneFile::load(file, overrides);
  const std::vector<std::string> changes =
      allowed_changes(changes_between(before, point.scene.yaml()), run);
  if (const auto& c = point.checkpoint) {
    if (c->version != version())
      point.news.push_back(fmt::format(
          "the checkpoint was made by Hydrolith {}, this is {}: results may differ in their bits",
          c->version, version()));
    point.news.push_back(fmt::format("going on from step {}, t = {:g} s", c->step, c->time));
    if (record.state == "finished" && c->time >= point.scene.duration())
      point.news.push_back("it is already finished; a longer duration goes on: --set duration=...");
  } else {
    point.news.push_back(fmt::format(
        "going on from the start: there is no whole checkpoint; its {} frames are made anew",
        list_frames(run).size()));
  }
  for (const std::string& change : changes) point.news.push_back("changed " + change);
  for (const std::string& news : point.news)
    point.history.push_back(fmt::format("resume: {}", news));
  return point;
}

}  // namespace hydrolith
