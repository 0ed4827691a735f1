#include "app/assets.h"

#include "core/check.h"
#include "output/deflate.h"
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

/// Below the scene's folder: from there. Elsewhere: the whole path.
fs::path place_of(const fs::path& file, const Scene& scene) {
  const fs::path whole = fs::absolute(file).lexically_normal();
  const fs::path place =
      whole.lexically_relative(fs::absolute(scene.file).lexically_normal().parent_path());
  return place.empty() || *place.begin() == ".." ? whole : place;
}

}  // namespace

void copy_assets(const Scene& scene, const fs::path& folder) {
  for (const std::string& file : files_of(scene)) {
    const fs::path place = place_of(file, scene);
    if (place.is_absolute()) continue;
    make_folder((folder / place).parent_path());
    write_file_atomically(folder / place, read_file(file));
  }
}

std::vector<AssetMark> mark_assets(const Scene& scene) {
  std::vector<AssetMark> marks;
  for (const std::string& file : files_of(scene))
    marks.push_back({place_of(file, scene).string(), crc32_of(read_file(file))});
  return marks;
}

}  // namespace hydrolith
