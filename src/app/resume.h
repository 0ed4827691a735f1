#pragma once
// Where a run that was stopped can go on, and what may be different from then on.

#include "hydrolith/simulation.h"

#include "output/checkpoint_file.h"

#include <optional>
#include <string>
#include <vector>

namespace hydrolith {

/// `folder` if it holds a run. Throws IoError.
const std::filesystem::path& existing_run(const std::filesystem::path& folder);

struct ResumePoint {
  SceneFile scene;                       // of the run, with changes
  std::string scene_file;                // it came from
  std::optional<Checkpoint> checkpoint;  // none: there is no whole one, the run begins anew
  std::vector<std::string> news;         // for the user: damaged files, where it goes on, changes
  std::vector<std::string> history;      // for the record: what earlier resumes did, and this one
};

/// The newest checkpoint that is whole, and RUN/scene.yaml with overrides. Throws IoError, also if
/// checkpoints are lost and the run may not begin `anew`; SceneError for a faulty override; Error
/// if the scene, or a file it refers to, differs from the checkpoint's in something that may not
/// change.
ResumePoint find_resume_point(const std::filesystem::path& run,
                              const std::vector<std::string>& overrides, bool anew);

/// "duration: 2 -> 5": where two scenes differ, as written in YAML.
struct SceneChange {
  std::string path, before, after;  // "" = not there
};
std::vector<SceneChange> changes_between(const std::string& before, const std::string& after);

/// Whether a key may change on resume: what does not belong to the physics (duration, output,
/// pictures) or only says how exactly it is solved (tolerances, limits of iterations, time step).
bool may_change(const std::string& path);

}  // namespace hydrolith
