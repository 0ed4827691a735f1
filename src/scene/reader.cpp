#include "scene/reader.h"

#include "scene/overrides.h"
#include "scene/tables.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace hydrolith {

namespace {

constexpr std::size_t max_file_size = 64 << 20;  // [bytes]

std::string read_text(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw IoError(fmt::format("{}: this is a folder, not a scene file", file.string()));
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw IoError(
        fmt::format("{}: the scene file cannot be opened. Is the path right?", file.string()));
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) throw IoError(fmt::format("{}: the scene file cannot be read", file.string()));
  return text.str();
}

/// The scene as run is kept elsewhere: paths that lead out of its folder must still lead to the
/// same files. Whether there was one to change.
bool make_absolute(schema::Node& node, const std::map<std::string, std::string>& outside) {
  if (outside.empty()) return false;
  bool changed = false;
  for (schema::Node& item : node.items) changed = make_absolute(item, outside) || changed;
  if (node.kind != schema::Node::scalar) return changed;
  const auto found = outside.find(node.text);
  if (found == outside.end() || found->second == node.text) return changed;
  node.text = found->second;
  return true;
}

}  // namespace

SceneDocument read_scene(const std::filesystem::path& file,
                         const std::vector<Override>& overrides) {
  return read_scene_text(read_text(file), file, overrides);
}

SceneDocument read_scene_text(std::string_view yaml, const std::filesystem::path& file,
                              const std::vector<Override>& overrides, const SceneLimits& limits) {
  schema::Reader reader(yaml, file, overrides);
  reader.limits = limits;

  // Text to tree.
  std::vector<schema::YamlFault> faults;
  std::optional<schema::Node> root;
  if (yaml.size() > max_file_size)
    faults.push_back({0, 0, "", "a scene file has at most 64 MB; put large data into meshes"});
  else
    root = schema::parse_yaml(yaml, faults);
  for (const schema::YamlFault& fault : faults) reader.fault(fault);
  if (!root) reader.throw_faults();
  if (root->kind == schema::Node::null && overrides.empty())
    reader.fault(*root, "the scene is empty; it needs at least a liquid or a body");
  if (root->kind == schema::Node::null) root->kind = schema::Node::map;
  schema::apply_overrides(reader, *root, overrides);

  // Tree to scene.
  if (!root->find("spacing")) reader.names["spacing"] = reader.scene.spacing;
  schema::table<Scene>().read(reader, *root, reader.scene);
  reader.throw_faults();
  if (reader.scene.name.empty()) reader.scene.name = file.stem().string();
  const bool moved = make_absolute(*root, reader.outside);
  if (!overrides.empty()) return {std::move(reader.scene), schema::write_edited(*root, overrides)};
  return {std::move(reader.scene), moved ? schema::write_yaml(*root) : std::string(yaml)};
}

}  // namespace hydrolith
