#include "hydrolith/simulation.h"

#include "commands.h"
#include "core/suggest.h"
#include "scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace hydrolith::command {

namespace fs = std::filesystem;

namespace {

bool is_scene(const fs::path& file) {
  const std::string ext = file.extension().string();
  return ext == ".yaml" || ext == ".yml" || ext == ".json";
}

std::vector<fs::path> gallery_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(gallery_folder()))
    if (entry.is_regular_file() && is_scene(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

/// $HYDROLITH_SCENES, or share/hydrolith/scenes beside an installed command, or scenes/ above a
/// built one.
fs::path gallery_folder() {
  if (const char* named = std::getenv("HYDROLITH_SCENES")) return named;
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  for (fs::path folder = self.parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    for (const char* place : {"share/hydrolith/scenes", "scenes"})
      if (fs::is_regular_file(folder / place / "fountain.yaml", none)) return folder / place;
  throw Error("the built-in scenes were not found; set HYDROLITH_SCENES to their folder");
}

fs::path find_scene(const std::string& name) {
  std::error_code none;
  if (fs::exists(name, none) && !fs::is_directory(name, none)) return name;
  if (is_scene(name)) throw IoError(fmt::format("{}: there is no such file", name));
  std::vector<std::string> known;
  for (const fs::path& file : gallery_files()) {
    if (file.stem() == name) return file;
    known.push_back(file.stem().string());
  }
  throw Error(fmt::format("\"{}\" is neither a file nor a gallery scene.{} See `hydrolith gallery`",
                          name, did_you_mean(name, known)));
}

int gallery() {
  for (const fs::path& file : gallery_files()) {
    try {
      const SceneFile scene = SceneFile::load(file);
      fmt::print("{:<14} {}\n", file.stem().string(), scene.scene().description);
    } catch (const SceneError& e) {
      fmt::print("{:<14} (has faults: see `hydrolith check {}`)\n", file.stem().string(),
                 file.string());
    }
  }
  fmt::print("\nRun one: hydrolith run NAME     The files: {}\n", gallery_folder().string());
  return ok;
}

}  // namespace hydrolith::command
