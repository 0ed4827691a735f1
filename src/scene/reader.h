#pragma once
// From a YAML text to a Scene, or to a SceneError that lists every fault with file:line:column.

#include "scene/scene.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

/// `--set path=value`, e.g. {"liquids[0].density", "800"} or {"parameters.scale", "2"}.
struct Override {
  std::string path, value;
};
/// Splits "path=value". Throws Error.
Override parse_override(std::string_view text);

/// What a scene may ask for; lower it for scenes of strangers.
struct SceneLimits {
  std::int64_t copies = 200'000;  // of repeated bodies and groups, all together
};

struct SceneDocument {
  Scene scene;
  std::string yaml;  // the scene as run: the text with all overrides applied
};

/// Reads, validates and expands. Throws SceneError with all faults, or IoError.
SceneDocument read_scene(const std::filesystem::path& file, const std::vector<Override>& = {});

/// The same for a text; `file` is used in messages and to resolve relative paths.
SceneDocument read_scene_text(std::string_view yaml, const std::filesystem::path& file,
                              const std::vector<Override>& = {}, const SceneLimits& = {});

}  // namespace hydrolith
