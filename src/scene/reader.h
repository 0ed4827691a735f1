#pragma once
// From a YAML text to a Scene, or to a SceneError that lists every fault with file:line:column.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scene/scene.h"

namespace hydrolith {

/// `--set path=value`, e.g. {"liquids[0].density", "800"} or {"parameters.scale", "2"}.
struct Override {
  std::string path, value;
};
/// Splits "path=value". Throws Error.
Override parse_override(std::string_view text);

struct SceneDocument {
  Scene scene;
  std::string yaml;  // the scene as run: the text with all overrides applied
};

/// Reads, validates and expands. Throws SceneError with all faults, or IoError.
SceneDocument read_scene(const std::filesystem::path& file, const std::vector<Override>& = {});

/// The same for a text; `file` is used in messages and to resolve relative paths.
SceneDocument read_scene_text(std::string_view yaml, const std::filesystem::path& file,
                              const std::vector<Override>& = {});

}  // namespace hydrolith
