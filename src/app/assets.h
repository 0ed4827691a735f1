#pragma once
// The files a scene refers to, kept with the run so that RUN/scene.yaml can be run again.

#include "output/checkpoint_file.h"
#include "scene/scene.h"

#include <filesystem>
#include <vector>

namespace hydrolith {

/// Copies meshes and height maps that the scene names by a path below its own folder to the same
/// place below `folder`. Absolute paths and those that lead out (`../`) stay as they are. Throws
/// IoError.
void copy_assets(const Scene& scene, const std::filesystem::path& folder);

/// What those files hold, to notice that one has changed. Throws IoError.
std::vector<AssetMark> mark_assets(const Scene& scene);

}  // namespace hydrolith
