#include "app/assets.h"

#include "core/check.h"
#include "output/files.h"
#include "output/run_folder.h"

#include <set>
#include <string>

namespace hydrolith {

namespace fs = std::filesystem;

namespace {

void collect(const Shape& shape, std::set<std::string>& files) {
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (requires { kind.file; })
          if (!kind.file.empty()) files.insert(kind.file);
        if constexpr (requires { kind.shapes; })
          for (const Shape& part : kind.shapes) collect(part, files);
      },
      shape.kind);
}

std::set<std::string> files_of(const Scene& scene) {
  std::set<std::string> files;
  for (const BodySpec& body : scene.bodies) collect(body.shape, files);
  for (const OutletSpec& outlet : scene.outlets) collect(outlet.shape, files);
  for (const LiquidSpec& liquid : scene.liquids)
    if (liquid.shape) collect(*liquid.shape, files);
  return files;
}

}  // namespace

void copy_assets(const Scene& scene, const fs::path& folder) {
  const fs::path home = fs::absolute(scene.file).parent_path();
  for (const std::string& file : files_of(scene)) {
    const fs::path place = fs::absolute(file).lexically_relative(home);
    if (place.empty() || *place.begin() == "..") continue;
    make_folder((folder / place).parent_path());
    write_file_atomically(folder / place, read_file(file));
  }
}

}  // namespace hydrolith
